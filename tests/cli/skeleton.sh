# A manifest made from signatures runs as it is for simple kernels, and says what it guessed.
. "$(dirname "$0")"/common
cd "$work" || exit 1
for program in "$top/examples/scale.ptx" "$HEDDLE_DATA/workloads/vecadd/vecadd.ptx" "$HEDDLE_DATA/workloads/saxpy/saxpy.ptx" "$HEDDLE_DATA/workloads/stencil/stencil.ptx"; do
    expect 0 "$heddle" check "$program" --manifest-skeleton=m.json
    expect 0 "$heddle" run m.json --functional --json r.json
    [ "$(json r.json warp_instructions)" -gt 0 ] || complain "$program: nothing ran"
done
cat > k.ptx <<'PTX'
.version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n, .param .f32 f, .param .f64 d, .param .u16 h, .param .u8 b, .param .align 4 .b8 s[12])
.reqntid 8, 4, 1
{
    .reg .b32 %r<3>; .reg .f32 %f<2>; .reg .f64 %d<2>; .reg .b64 %x<3>;
    ld.param.u64 %x0, [p];
    ld.param.u32 %r0, [n];
    ld.param.f32 %f0, [f];
    ld.param.f64 %d0, [d];
    st.global.u32 [%x0], %r0;
    ret;
}
PTX
expect 0 "$heddle" check k.ptx --manifest-skeleton
cp out k.json
for word in '"program": "k.ptx"' '"name": "k.p"' '"buf": "k.p"' '"type": "f32"' '"type": "f64"' '"type": "u16"' '"type": "u8"' '"hex": "000000000000000000000000"' '"iota"'; do out_has "$word"; done
same "$(tr -d ' \n' < k.json | grep -o '"block":\[[0-9,]*\]')" '"block":[8,4,1]' "the block that the kernel requires"
expect 0 "$heddle" run k.json
expect 2 "$heddle" check k.ptx k.ptx --manifest-skeleton
err_has 'for one program'
echo 'this is no program' > bad.ptx
expect 2 "$heddle" check bad.ptx --manifest-skeleton=x.json
[ ! -e x.json ] || complain "a manifest of a program with errors"
printf '.version 7.8\n.target sm_75\n.address_size 64\n' > none.ptx
expect 2 "$heddle" check none.ptx --manifest-skeleton
err_has 'no kernel that can be launched'
finish
