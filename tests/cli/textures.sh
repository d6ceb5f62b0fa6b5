# A manifest binds textures, samplers and surfaces: to a module's references and as arguments. The result is the same with time, and the texture cache is asked.
. "$(dirname "$0")"/common
cat > "$work/blur.ptx" <<'PTX'
.version 7.8
.target sm_75
.address_size 64
.global .texref image;
.visible .entry blur(.param .u64 paper)
{
    .reg .b32 %r<8>;
    .reg .f32 %f<8>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd0, [paper];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %ctaid.x;
    cvt.rn.f32.u32 %f4, %r0;
    cvt.rn.f32.u32 %f5, %r1;
    add.f32 %f4, %f4, 0f3F800000;
    add.f32 %f5, %f5, 0f3F800000;
    tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [image, {%f4, %f5}];
    shl.b32 %r0, %r0, 2;
    mov.b32 %r2, %f0;
    sust.b.2d.b32.trap [%rd0, {%r0, %r1}], %r2;
    ret;
}
PTX
manifest() { # KEYS-OF-THE-IMAGE
    cat > "$work/blur.json" <<JSON
{"ptx": "blur.ptx",
 "buffers": [{"name": "pixels", "type": "u8", "count": 1024, "generator": "mod", "p0": 256},
             {"name": "result", "type": "f32", "count": 1024, "check": true}],
 "textures": [{"name": "image", "ref": "image", "buffer": "pixels", "geometry": "2d", "format": "unorm8x1", "width": 32, "height": 32, $1},
              {"name": "paper", "kind": "surface", "buffer": "result", "format": "f32x1", "width": 32, "height": 32}],
 "launches": [{"kernel": "blur", "grid": [32], "block": [32], "args": [{"texture": "paper"}]}]}
JSON
}
manifest '"filter": "linear", "address": ["clamp", "wrap"]'
expect 0 "$heddle" run "$work/blur.json" --functional --quiet --dump pixels "$work/in" --dump result "$work/out1"
# the middle of four pixels: a quarter of each, to 16 bits
od -An -v -tu1 -w1 "$work/in" > "$work/in.txt"
od -An -v -tf4 -w4 "$work/out1" > "$work/out.txt"
same "$(paste "$work/in.txt" "$work/out.txt" | awk '{ p[NR - 1] = $1; o[NR - 1] = $2 }
    END { for (y = 0; y < 31; y++) for (x = 0; x < 31; x++) { n++; i = 32 * y + x; d = o[i] - (p[i] + p[i + 1] + p[i + 32] + p[i + 33]) / 1020
          if (d > 1e-5 || d < -1e-5) bad++ } print n, bad + 0 }')" "961 0" "pixels, wrong ones"
expect 0 "$heddle" run "$work/blur.json" --machine gtx480 --quiet --dump result "$work/out2" --json "$work/timed.json"
[ "$(json "$work/timed.json" launches.0.counters.tex_misses)" -gt 0 ] || complain "the texture cache of gtx480 was not asked"
cmp -s "$work/out1" "$work/out2" || complain "with time the result is another"
manifest '"filtre": "linear"'
expect 2 "$heddle" run "$work/blur.json" --functional --quiet
err_has 'textures\[0\]: unknown key "filtre"; did you mean "filter"?'
manifest '"filter": "cubic"'
expect 2 "$heddle" run "$work/blur.json" --functional --quiet
err_has 'textures\[0\]: filter = "cubic": expected linear or nearest'
manifest '"levels": 2'
expect 2 "$heddle" run "$work/blur.json" --functional --quiet
err_has 'textures\[0\]: the texels take 1280 bytes'
manifest '"filter": "nearest"'
sed -i 's/"texture": "paper"/"texture": "papier"/' "$work/blur.json"
expect 2 "$heddle" run "$work/blur.json" --functional --quiet
err_has 'no texture "papier"'
manifest '"filter": "nearest"'
sed -i 's/"texture": "paper"/"texture": "image"/' "$work/blur.json"
expect 2 "$heddle" run "$work/blur.json" --functional --quiet
err_has "is bound to 'image' and has no handle"
sed -i 's/"buffer": "pixels"/"buffer": "pixel"/' "$work/blur.json"
expect 2 "$heddle" run "$work/blur.json" --functional --quiet
err_has 'textures\[0\]: no buffer "pixel"; legal names are pixels, result'
expect 0 "$heddle" list textures
for name in geometry format width address filter border; do out_has "^$name "; done
finish
