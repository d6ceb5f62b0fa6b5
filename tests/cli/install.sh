# What make install leaves is enough: the command finds its workloads, and a program can be built with header and library.
. "$(dirname "$0")"/common
# A relative folder, as make has it elsewhere: objects made under another name of it would not be made again
# when a header changes
relative=$(realpath --relative-to="$top" "$B")
make -s -C "$top" B="$relative" install DESTDIR="$work/root" PREFIX=/usr > "$work/log" 2>&1 || { complain "make install failed"; cat "$work/log"; }
expect 0 "$work/root/usr/bin/heddle" run vecadd --functional --size tiny --quiet
cat > "$work/two.c" <<'C'
#include <heddle.h>
#include <string.h>
static const char text[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n .reg .b32 %r<2>;\n .reg .b64 %d<4>;\n ld.param.u64 %d0, [out];\n ld.param.u32 %r1, [n];\n"
    " mov.u32 %r0, %tid.x;\n mul.wide.u32 %d1, %r0, 4;\n add.u64 %d2, %d0, %d1;\n st.global.u32 [%d2], %r1;\n ret;\n}\n";
int main(void) {
    struct heddle *h[2];
    uint64_t buf[2];
    struct heddle_module *m[2];
    for (int i = 0; i < 2; i++) {
        h[i] = heddle_open(NULL);
        if (heddle_module_load(h[i], "k.ptx", text, strlen(text), &m[i])) return fputs(heddle_message(h[i]), stderr), 2;
        buf[i] = heddle_alloc(h[i], 128);
    }
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t n = 7 + i, back[32];
        struct heddle_arg args[] = {{&buf[i], 8}, {&n, 4}};
        struct heddle_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .args = args, .nargs = 2};
        struct heddle_result r;
        if (heddle_launch(h[i], heddle_module_kernel(m[i], "k"), &l, &r)) return fputs(heddle_message(h[i]), stderr), 3;
        if (heddle_read(h[i], buf[i], back, sizeof back) || back[0] != 7 + i || back[31] != 7 + i) return 1;
    }
    for (int i = 0; i < 2; i++) heddle_close(h[i]);
    return 0;
}
C
root=$work/root
expect 0 gcc -std=c17 -Wall -Wextra -Werror -I"$root/usr/include" -o "$work/two" "$work/two.c" "$root/usr/lib/libheddle.a" -linih -ljansson -lm
expect 0 "$work/two"
# the shared library: its name, and what heddle.h declares is all that it exports
expect 0 gcc -std=c17 -I"$root/usr/include" -o "$work/two" "$work/two.c" -L"$root/usr/lib" -lheddle
expect 0 env LD_LIBRARY_PATH="$root/usr/lib" "$work/two"
objdump -p "$root/usr/lib/libheddle.so" | grep -q 'SONAME *libheddle.so.0$' || complain "no soname"
nm -D --defined-only "$root/usr/lib/libheddle.so" | awk '{ print $3 }' | sort > "$work/exported"
grep -oE '\bheddle_[a-z_0-9]+\(' "$top/include/heddle.h" | tr -d '(' | sort -u > "$work/declared"
diff "$work/declared" "$work/exported" > "$work/diff" || { complain "declared (<) and exported (>) differ:"; cat "$work/diff"; }
if command -v pkg-config > /dev/null; then
    export PKG_CONFIG_PATH=$root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
    # shellcheck disable=SC2046
    expect 0 gcc -o "$work/two" "$work/two.c" $(PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config --cflags --libs heddle)
    expect 0 env LD_LIBRARY_PATH="$root/usr/lib" "$work/two"
fi
for file in share/man/man1/heddle-run.1 share/bash-completion/completions/heddle share/zsh/vendor-completions/_heddle \
    share/fish/vendor_completions.d/heddle.fish lib/python3/dist-packages/heddle.py lib/heddle/libheddle-clock.so; do
    [ -s "$root/usr/$file" ] || complain "no $file"
done
# nothing is left after uninstall but what others put there
touch "$root/usr/bin/other"
make -s -C "$top" B="$relative" uninstall DESTDIR="$root" PREFIX=/usr > "$work/log" 2>&1 || { complain "make uninstall failed"; cat "$work/log"; }
same "$(cd "$root" && find . -not -type d)" ./usr/bin/other "what uninstall leaves"
same "$(cd "$root" && find . -type d -empty)" "" "empty folders that uninstall leaves"
finish
