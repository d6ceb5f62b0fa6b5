# What make install leaves is enough: the command finds its workloads, and a program can be built with header and library.
. "$(dirname "$0")"/common
make -s -C "$top" B="$B" install DESTDIR="$work/root" PREFIX=/usr > "$work/log" 2>&1 || { complain "make install failed"; cat "$work/log"; }
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
expect 0 gcc -std=c17 -Wall -Wextra -Werror -I"$work/root/usr/include" -o "$work/two" "$work/two.c" -L"$work/root/usr/lib" -lheddle -linih -ljansson -lm
expect 0 "$work/two"
finish
