# The programs of docs/api.md compile as C and as C++ without a warning, and run.
. "$(dirname "$0")"/common
awk -v dir="$work" '/^```c$/ { getline; name = $2; file = dir "/" name; print name > (dir "/names"); inside = 1; next }
    /^```$/ { inside = 0 } inside { print > file }' "$top/docs/api.md"
[ "$(wc -l < "$work/names")" -ge 2 ] || complain "docs/api.md has few programs"
libs="$B/libheddle.a -ljansson -linih -lm -lpthread"
while read -r name; do
    # shellcheck disable=SC2086
    expect 0 gcc -std=c17 -Wall -Wextra -Werror -I "$top/include" -o "$work/c" "$work/$name" $libs
    (cd "$B" && expect 0 env HEDDLE_DATA="$B/share/heddle" "$work/c"; exit $failures) || complain "$name fails"
    cp "$work/out" "$work/out.c"
    command -v g++ > /dev/null || continue
    # shellcheck disable=SC2086
    expect 0 g++ -std=c++17 -Wall -Wextra -Werror -I "$top/include" -x c++ -o "$work/cpp" "$work/$name" -x none $libs
    (cd "$B" && expect 0 env HEDDLE_DATA="$B/share/heddle" "$work/cpp"; exit $failures) || complain "$name fails from C++"
    cmp -s "$work/out" "$work/out.c" || complain "$name prints something else from C++"
done < "$work/names"
grep -q '' "$work/out.c" || complain "nothing printed"
finish
