# tools/scale.py measures workloads, keeps what it has, and prints the page of docs/workloads.md.
. "$(dirname "$0")"/common
command -v python3 > /dev/null || { echo "no python3; to install: apt-get install python3"; exit 77; }
mkdir "$work/build"
ln -s "$heddle" "$work/build"
scale() { python3 "$top/tools/scale.py" "$work/build" --size tiny "$@"; }
expect 0 scale histo vecadd
out_has '^# Workloads at size tiny'
out_has '^| histo | [0-9.]* MB | [0-9]* | [a-z_]* | [0-9.]* | 100 % | [0-9]* |'
out_has '^| vecadd |'
out_has '^| histo-2 | C | 35.9 | histo_main |.*| no |$'
out_lacks '^| bfs'
sed -i 's/"processor_seconds": [0-9.]*/"processor_seconds": 77/' "$work/build/scale/tiny/histo.json"
expect 0 scale --jobs 2 histo vecadd
out_has '^| histo .* | 77 |$'
cp "$work/out" "$work/first"
expect 0 scale --print
cmp -s "$work/first" "$work/out" || complain "--print prints otherwise"
expect 1 scale vecad
err_has 'no bundled workload: vecad'
finish
