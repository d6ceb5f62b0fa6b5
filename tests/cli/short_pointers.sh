# A manifest passes buffers to the 4-byte parameters of a program of 32-bit addresses, with and without a machine.
. "$(dirname "$0")"/common
cat > "$work/add.ptx" <<'PTX'
.version 3.0
.target sm_20
.address_size 32
.visible .entry add(.param .u32 x, .param .u32 y, .param .u32 n)
{
    .reg .u32 %r<8>;
    .reg .u32 %a<4>;
    ld.param.u32 %a0, [x];
    ld.param.u32 %a1, [y];
    ld.param.u32 %r1, [n];
    cvta.to.global.u32 %a2, %a1;
    mov.u32 %r0, %tid.x;
    shl.b32 %r2, %r0, 2;
    add.u32 %a0, %a0, %r2;
    add.u32 %a2, %a2, %r2;
    ld.u32 %r3, [%a0];
    add.u32 %r3, %r3, %r1;
    st.global.u32 [%a2], %r3;
    ret;
}
PTX
cat > "$work/add.json" <<'JSON'
{"ptx": "add.ptx",
 "buffers": [{"name": "x", "type": "u32", "count": 32, "generator": "iota"}, {"name": "y", "type": "u32", "count": 32}],
 "launches": [{"kernel": "add", "grid": [1], "block": [32], "args": [{"buf": "x"}, {"buf": "y"}, {"type": "u32", "value": 7}]}]}
JSON
for how in --functional "--machine small"; do
    # shellcheck disable=SC2086
    expect 0 "$heddle" run "$work/add.json" $how --quiet --dump y "$work/y"
    same "$(od -An -v -tu4 -w4 "$work/y" | awk '{ if ($1 != NR + 6) bad++ } END { print NR, bad + 0 }')" "32 0" "elements, wrong ones $how"
done
sed -i 's/{"buf": "y"}/{"type": "u64", "value": 1}/' "$work/add.json"
expect 2 "$heddle" run "$work/add.json" --functional --quiet
err_has 'parameter y of add has 4 bytes, the argument 8'
finish
