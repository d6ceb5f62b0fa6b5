# OpenCL C as RISC-V programs: bundled workloads on vortex2021, both maps, distributions, groups of all sizes with
# barriers in loops, and what is refused.
. "$(dirname "$0")"/common
if ! command -v clang-19 >/dev/null || ! command -v ld.lld-19 >/dev/null; then
    echo "clang-19 and lld-19 are not installed (tools/setup.sh workloads riscv)"
    exit 77
fi
rv() { # what beyond machine and mode
    "$heddle" run "$@" --machine vortex2021 --functional --set isa.vortex.diverge=ipdom
}
for x in sgemm bfs nearn; do
    for how in "group 2021" "group v3" "lanes 2021" "lanes v3"; do
        read -r map variant <<< "$how"
        expect 0 rv $x --size tiny --set runtime.map="$map" --set isa.vortex="$variant" --set isa.riscv.ext=imaf \
            --set sm.shared_b=16384 --set gpu.sms=2
        out_has 'checksum     ok'
        out_has 'runtime      .* deal out work-items'
    done
done
expect 0 rv sgemm --size tiny
awk '/^runtime/ { ok = $2 > 20 && $2 < 60 } END { exit !ok }' "$work/out" || complain "coroutines of sgemm: $(grep '^runtime' "$work/out")"
expect 0 "$heddle" run vecadd --size tiny --machine vortex2021 --quiet --json "$work/r.json"
[ "$(json "$work/r.json" counters.runtime_instructions)" = "$(json "$work/r.json" launches.0.runtime_warp_instructions)" ] ||
    complain "the runtime's instructions: $(json "$work/r.json" counters.runtime_instructions)"
expect 0 rv btree --size tiny --set runtime.distribution=dynamic --set isa.riscv.ext=imaf --set gpu.sms=3
out_has 'checksum     ok'

# groups of 1, 15, 16, 17 and 256 items with barriers in loops: neighbours' sums travel around the group
cat > "$work/ring.cl" <<'CL'
__kernel void ring(__global uint *out, uint steps) {
    __local uint cell[256];
    uint me = get_local_id(0), n = get_local_size(0), sum = 0;
    cell[me] = get_global_id(0) * 2654435761u;
    for (uint i = 0; i < steps; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint left = cell[(me + n - 1) % n];
        barrier(CLK_LOCAL_MEM_FENCE);
        cell[me] += left * (i + get_group_id(0));
        sum = sum * 31 + left;
    }
    out[get_global_id(0)] = sum;
}
CL
for n in 1 15 16 17 256; do
    cat > "$work/ring.json" <<JSON
{"program": "ring.cl", "buffers": [{"name": "out", "type": "u32", "count": $((n * 19)), "check": true}],
 "launches": [{"kernel": "ring", "grid": [19], "block": [$n], "args": [{"buf": "out"}, {"type": "u32", "value": 5}]}]}
JSON
    for map in group lanes; do
        expect 0 rv "$work/ring.json" --set runtime.map=$map --set gpu.sms=2 --quiet --dump out "$work/$map.bin"
    done
    cmp -s "$work/group.bin" "$work/lanes.bin" || complain "groups of $n: the maps differ"
    expect 0 rv "$work/ring.json" --set isa.vortex=v3 --set isa.vortex.diverge=split --set runtime.map=lanes --set gpu.sms=2 --quiet \
        --dump out "$work/v3.bin"
    cmp -s "$work/group.bin" "$work/v3.bin" || complain "groups of $n: v3 differs"
    expect 0 rv "$work/ring.json" --set runtime.map=lanes --set sm.warps=2 --set sm.warp_size=1 --quiet --dump out "$work/thin.bin"
    cmp -s "$work/group.bin" "$work/thin.bin" || complain "groups of $n: a core of two threads differs"
done
# the group that stands for all, computed here: 256 items, group 0 (values of step i are multiplied by i)
want=$(awk 'BEGIN { n = 256; M = 4294967296; for (m = 0; m < n; m++) c[m] = (m * 2654435761) % M
    for (i = 0; i < 5; i++) { for (m = 0; m < n; m++) l[m] = c[(m + n - 1) % n]
        for (m = 0; m < n; m++) { c[m] = (c[m] + l[m] * i) % M; s[m] = (s[m] * 31 + l[m]) % M } }
    printf "%u", s[3] }')
got=$(od -An -tu4 -j12 -N4 "$work/group.bin" | tr -d ' ')
[ "$got" = "$want" ] || complain "item 3 of 256 is $got, not $want"

expect 0 rv "$work/ring.cl" --manifest "$work/ring.json" --set gpu.sms=2 --quiet --dump out "$work/named.bin"
cmp -s "$work/group.bin" "$work/named.bin" || complain "the source named on the command line gives something else"

# the runtime of 2021 gives what is left to the last core, which has no work here: group 32 of 33 is lost
cat > "$work/ones.cl" <<'CL'
__kernel void ones(__global uint *out) { out[get_global_id(0)] = 1; }
CL
cat > "$work/ones.json" <<'JSON'
{"program": "ones.cl", "buffers": [{"name": "out", "type": "u32", "count": 33, "check": true}],
 "launches": [{"kernel": "ones", "grid": [33], "block": [1], "args": [{"buf": "out"}], "local": "free"}]}
JSON
ones() { # key=value: how many items ran
    expect 0 rv "$work/ones.json" --set gpu.sms=4 --set isa.riscv.ext=imaf --quiet --dump out "$work/ones.bin" --set "$1"
    od -An -v -tu4 -w4 "$work/ones.bin" | grep -c 1
}
[ "$(ones runtime.distribution=static)" = 33 ] || complain "static loses groups"
[ "$(ones runtime.distribution=dynamic)" = 33 ] || complain "dynamic loses groups"
[ "$(ones runtime.distribution=static2021)" = 32 ] || complain "static2021 loses none: $(ones runtime.distribution=static2021)"
[ "$(ones runtime.local=11)" = 33 ] || complain "another local size loses groups"
expect 2 rv "$work/ones.json" --set runtime.local=2
err_has 'runtime.local = 2 does not divide the 33 work-items'

# split: the hardware does what split, join and pred say, which are placed by us. The ways through this are nasty.
as_split() { "$heddle" run "$@" --machine vortex2021 --functional --set isa.vortex.diverge=split --set isa.riscv.ext=imaf; }
cat > "$work/maze.cl" <<'CL'
__kernel void maze(__global const uint *in, __global uint *out, uint n) {
    uint i = get_global_id(0), x = in[i % n], sum = 0, odd = 0;
    for (uint a = 0; a < (x & 7); a++) {            /* lanes leave at different times */
        if (in[(i + a) % n] % 5 == 0) continue;     /* go on early */
        if (in[(i + a) % n] % 11 == 3) break;       /* leave early, */
        for (uint b = a; b < 9; b += 1 + (x >> 8 & 1)) {
            uint y = in[(i * 3 + b) % n];
            if (y % 17 == 4) { odd = b; goto out; } /* out of two loops at once, */
            if ((y & 3) == 1 || (x & 16 && y & 32)) sum += y; /* a side with two entries */
            else if (y % 13 == 7) { sum ^= 0x55; break; }     /* with work on the way */
            sum = sum * 3 + b;
        }
        if (sum % 29 == 11) { out[i] = sum + a; return; } /* and out of the function */
    }
    sum += 7;
out:
    do { sum = sum * 5 + odd; x >>= 1; } while (x & 3);
    while (x > 2) { x -= 1 + (x & 1); if (x % 7 == 6) continue; sum ^= x; }
    out[i] = sum;
}
CL
cat > "$work/maze.json" <<'JSON'
{"program": "maze.cl", "buffers": [{"name": "in", "type": "u32", "count": 997, "generator": "mod", "seed": 5, "p0": 4000, "p1": 0},
  {"name": "out", "type": "u32", "count": 2304, "check": true}],
 "launches": [{"kernel": "maze", "grid": [48], "block": [48], "args": [{"buf": "in"}, {"buf": "out"}, {"type": "u32", "value": 997}]}]}
JSON
expect 0 rv "$work/maze.json" --quiet --dump out "$work/ipdom.bin"
for map in group lanes; do
    for variant in 2021 v3; do
        expect 0 as_split "$work/maze.json" --set isa.vortex=$variant --set runtime.map=$map --set sm.warp_size=8 --set sm.warps=2 --quiet \
            --dump out "$work/split.bin"
        cmp -s "$work/ipdom.bin" "$work/split.bin" || complain "split and ipdom differ, map $map, $variant"
    done
done
expect 3 as_split "$work/maze.json"
err_has 'split nests deeper than the 8 places'
expect 0 as_split "$work/maze.json" --set isa.vortex=v3 --quiet --dump out "$work/split.bin" # loops take no places
cmp -s "$work/ipdom.bin" "$work/split.bin" || complain "split and ipdom differ on v3 with warps of 4"
# clang copies a loop's condition that has two sides behind them, and the loop has two ways in: compiled again
cat > "$work/sides.cl" <<'CL'
__kernel void sides(__global const uint *in, __global uint *out, uint n) {
    uint i = get_global_id(0), x = in[i % n], odd = i & 1, sum = 0;
    for (uint a = 0; a < ((odd ? in[(i + a) % n] / 3 : x) & 7); a++) sum += i;
    out[i] = sum;
}
CL
sed 's/maze/sides/g' "$work/maze.json" > "$work/sides.json"
expect 0 rv "$work/sides.json" --quiet --dump out "$work/ipdom.bin"
for variant in 2021 v3; do
    expect 0 as_split "$work/sides.json" --set isa.vortex=$variant --quiet --dump out "$work/split.bin"
    cmp -s "$work/ipdom.bin" "$work/split.bin" || complain "split and ipdom differ where a condition has two sides, $variant"
done
for x in bfs kmeans nw; do
    for variant in 2021 v3; do
        expect 0 as_split $x --size tiny --set isa.vortex=$variant
        out_has 'checksum     ok'
    done
done
for x in btree mri_gridding; do # barriers in loops in loops
    for variant in 2021 v3; do
        expect 0 as_split $x --size tiny --set runtime.map=lanes --set isa.vortex=$variant --set sm.shared_b=16384
        out_has 'checksum     ok'
    done
done
expect 2 as_split btree --size tiny
err_has 'it has barriers, .* say so in the manifest .*, or take runtime.map = lanes or isa.vortex.diverge = ipdom'

# __local memory: indexed with constants only (clang splits it), aligned beyond 16, of a kernel that calls a kernel
job() { # name groups items: a manifest of NAME.cl, whose last kernel k takes one buffer
    cat > "$work/$1.json" <<JSON
{"program": "$1.cl", "buffers": [{"name": "out", "type": "s32", "count": $(($2 * $3)), "generator": "zero", "check": true}],
 "launches": [{"kernel": "k", "grid": [$2], "block": [$3], "args": [{"buf": "out"}], "barriers": "uniform"}]}
JSON
}
word() { od -An -v -td4 -w4 "$1" | awk -v n="$2" 'NR == n + 1 { print $1 }'; }
cat > "$work/constants.cl" <<'CL'
__kernel void k(__global int *p) {
    __local int c[4];
    int l = get_local_id(0), g = get_group_id(0);
    if (l == 0) { c[0] = g * 1000; c[1] = g * 7 + 1; c[2] = g; c[3] = g + 5; }
    barrier(CLK_LOCAL_MEM_FENCE);
    p[get_global_id(0)] = c[0] + c[1] * l + c[2] * 3 + c[3];
}
CL
cat > "$work/aligned.cl" <<'CL'
__kernel void k(__global int *p) {
    __local char a[20]; __local int16 b[32]; __local long16 c[3];
    int l = get_local_id(0), g = get_group_id(0);
    if (l < 20) a[l] = l;
    if (l < 3) c[l] = (long16)(g + l);
    b[l] = (int16)(g * 7 + l);
    barrier(CLK_LOCAL_MEM_FENCE);
    int16 v = b[31 - l];
    p[get_global_id(0)] = v.s0 + v.sf * 3 + v.s7 + a[l % 20] + (int)c[l % 3].sf;
}
CL
cat > "$work/nested.cl" <<'CL'
__kernel void inner(__global int *p) {
    __local int t[64];
    int l = get_local_id(0);
    t[l] = p[l] + 1 + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    p[l] = t[63 - l];
}
__kernel void k(__global int *p) {
    __local int u[64];
    int l = get_local_id(0);
    u[l] = l * 100;
    barrier(CLK_LOCAL_MEM_FENCE);
    inner(p);
    barrier(CLK_LOCAL_MEM_FENCE);
    p[l] += u[63 - l];
}
CL
job constants 64 32
job aligned 64 32
job nested 1 64
for map in group lanes; do
    for x in "constants 650 21495" "aligned 650 836" "nested 3 6061"; do
        read -r name at want <<< "$x"
        for variant in 2021 v3; do
            rm -f "$work/$name.bin"
            expect 0 as_split "$work/$name.json" --set isa.vortex=$variant --set runtime.map=$map --set sm.shared_b=16384 --quiet \
                --dump out "$work/$name.bin"
            [ "$(word "$work/$name.bin" "$at")" = "$want" ] ||
                complain "$name, $map, $variant: word $at is $(word "$work/$name.bin" "$at"), not $want"
        done
    done
done
printf '__kernel void k(__global int *p) { __local int a[64] __attribute__((aligned(512))); a[p[0]] = 1; p[1] = a[p[2]]; }\n' > "$work/page.cl"
job page 1 4
expect 2 rv "$work/page.json"
err_has 'a __local object is aligned to 512 bytes; with runtime.map = group 256 is the most'
printf '__kernel void k(__global int *p) { __local int a[9000000]; a[p[0]] = 1; p[1] = a[p[2]]; }\n' > "$work/page.cl"
for map in group lanes; do
    expect 2 rv "$work/page.json" --set runtime.map=$map
    err_has '36000000 bytes of __local objects; 16777216 are the most'
done
printf '__kernel void k(__global int *p) { __local int a[20000]; a[p[0]] = 1; p[1] = a[p[2]]; }\n' > "$work/page.cl"
expect 2 rv "$work/page.json" --set runtime.map=lanes --set isa.vortex=v3
err_has '80000 bytes of __local objects; 65536 are the most'

# a function whose name ends as that of one with a barrier does is another
cat > "$work/suffix.cl" <<'CL'
__attribute__((noinline)) void b(__global int *p, int i) { p[i] += 1; barrier(CLK_GLOBAL_MEM_FENCE); p[i] += 2; }
__attribute__((noinline)) int ab(int x) { return x * 3 + 1; }
__kernel void k(__global int *p) {
    int i = get_global_id(0), x = i;
    if (i & 1) x = ab(x);
    p[i] = x;
    b(p, i);
}
CL
job suffix 1 64
for map in group lanes; do
    expect 0 as_split "$work/suffix.json" --set runtime.map=$map --quiet --dump out "$work/suffix.bin"
    [ "$(word "$work/suffix.bin" 2) $(word "$work/suffix.bin" 5)" = "5 19" ] || complain "suffix, $map: $(od -An -td4 -N32 "$work/suffix.bin")"
done

# double precision is the compiler's, from libgcc
if ls /usr/lib/gcc/riscv64-unknown-elf/*/rv32imf/ilp32f/libgcc.a >/dev/null 2>&1; then
    printf '__kernel void k(__global int *p) { int i = get_global_id(0); double d = i * 1e9; p[i] = (int)((d + 0.25) / 7.5 - d / 7.5 + i * 2.5); }\n' > "$work/double.cl"
    job double 2 16
    expect 0 rv "$work/double.json" --quiet --dump out "$work/double.bin"
    [ "$(word "$work/double.bin" 31)" = 77 ] || complain "double: word 31 is $(word "$work/double.bin" 31)"
    expect 2 as_split "$work/double.json"
    err_has 'use of type .double. requires cl_khr_fp64'
fi

# what is refused
sed 's/"grid": \[1\]/"grid": [4194304, 2097152, 2097152]/' "$work/suffix.json" > "$work/many.json"
expect 2 rv "$work/many.json"
err_has '4194304 x 2097152 x 2097152 groups of 64 x 1 x 1 work-items are more than 32-bit programs count'
sed 's/"grid": \[1\], "block": \[64\]/"local": "free", "grid": [1, 4194305], "block": [1, 1024]/' "$work/suffix.json" > "$work/many.json"
expect 2 rv "$work/many.json" --set runtime.local=1
err_has '1 x 4194305 x 1 groups of 1 x 1024 x 1 work-items are more'
expect 0 rv "$work/constants.json" --set runtime.local=8
err_has "warning: runtime.local = 8 does nothing for kernel 'k': its launch does not leave the size of groups free"
expect 2 "$heddle" run "$work/constants.json" --machine small
err_has 'constants.cl: OpenCL C is compiled for machines with isa.programs = riscv'
expect 2 "$heddle" run "$work/constants.cl" --machine vortex2021
err_has 'a program needs --manifest FILE, which says what to launch$'
HEDDLE_CLANG=$(command -v true) expect 2 rv "$work/constants.json"
err_has 'ended without an error, but its output .program.ll. cannot be read'
expect 2 rv histogram --size tiny
err_has 'uses atomics, which the machine does not have .*isa.riscv.ext = imaf'
expect 2 rv sgemm --size tiny --set runtime.map=lanes --set sm.shared_b=1024
err_has 'has 2048 bytes of __local objects, a core.s local memory 1024'
mkdir "$work/cache"
XDG_CACHE_HOME="$work/cache" expect 0 rv "$work/constants.json" --set isa.vortex=v3
mv "$work"/cache/heddle/*.elf "$work/v3.elf"
sed 's/constants.cl/v3.elf/' "$work/constants.json" > "$work/given.json"
expect 0 rv "$work/given.json" --set isa.vortex=v3
expect 2 rv "$work/given.json"
err_has 'compiled for Vortex v3; the machine has isa.vortex = 2021'
printf 'int f(__global int *p, int n) { return n > 1 ? p[n] * f(p, n - 2) + f(p, n - 1) : n; }\n%s\n' \
    '__kernel void k(__global int *p) { p[get_global_id(0)] = f(p, p[0]); }' > "$work/page.cl"
expect 2 as_split "$work/page.json" --set isa.vortex=v3
err_has 'function f calls itself'
expect 2 rv vecadd --size tiny --set runtime.distribution=dynamic
err_has 'takes groups with an atomic'
expect 2 "$heddle" run vecadd --size tiny --functional --machine small --set isa.programs=riscv --set isa.vortex.diverge=ipdom \
    --set sm.warp_size=64 --set sm.warps=2
err_has 'a thread mask of Vortex has 32 bits'
printf '__kernel void broken(__global uint *out) { out[0] = no_such_thing; }\n' > "$work/ones.cl"
expect 2 rv "$work/ones.json"
err_has 'ones.cl:1:.*undeclared identifier .no_such_thing.'
printf 'float sinpi(float);\n__kernel void ones(__global float *out) { out[0] = sinpi(out[1]); }\n' > "$work/ones.cl"
expect 2 rv "$work/ones.json"
err_has 'undefined symbol: sinpi'
printf '__kernel void ones(__global uint *out) { if (get_local_id(0) < 2) barrier(CLK_LOCAL_MEM_FENCE); out[0] = 1; }\n' > "$work/ones.cl"
sed -i 's/"block": \[1\]/"block": [4]/; s/"count": 33/"count": 132/' "$work/ones.json"
for map in group lanes; do
    expect 3 rv "$work/ones.json" --set runtime.map=$map
    err_has 'a barrier that not all work-items of a group come to'
done
# images: what a launch gives for them
cat > "$work/image.cl" <<'CL'
__constant sampler_t corner = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
__kernel void k(read_only image2d_t from, sampler_t s, __global uint *out) {
    out[0] = read_imageui(from, corner, (int2)(1, 1)).x;
    out[1] = read_imageui(from, s, (int2)(9, 9)).x;
    out[2] = get_image_width(from) * 10 + get_image_height(from);
}
CL
cat > "$work/image.json" <<'JSON'
{"program": "image.cl", "buffers": [{"name": "texels", "type": "u8", "count": 12, "generator": "iota"},
  {"name": "out", "type": "u32", "count": 3, "check": true}],
 "textures": [{"name": "im", "buffer": "texels", "format": "u8x1", "width": 3, "height": 4},
  {"name": "s", "kind": "sampler"}],
 "launches": [{"kernel": "k", "grid": [1], "block": [1], "args": [{"texture": "im"}, {"texture": "s"}, {"buf": "out"}]}]}
JSON
for map in group lanes; do
    expect 0 rv "$work/image.json" --set runtime.map=$map --quiet --dump out "$work/out.bin"
    same "$(od -An -tu4 "$work/out.bin" | tr -s ' ')" ' 4 11 34' "the image, map $map"
done
expect 0 "$heddle" run "$work/image.json" --machine vortex2021 --quiet --audit --dump out "$work/out.bin"
same "$(od -An -tu4 "$work/out.bin" | tr -s ' ')" ' 4 11 34' "the image with time, under split"
for how in "split group" "split lanes" "ipdom group" "ipdom lanes"; do # with time, on v3
    read -r diverge map <<< "$how"
    expect 0 "$heddle" run kmeans --size tiny --machine vortex2021 --audit --set isa.vortex=v3 --set isa.vortex.diverge="$diverge" \
        --set runtime.map="$map" --set isa.riscv.ext=imaf
    out_has 'checksum     ok'
done
sed 's/{"texture": "im"}, {/{"buf": "texels"}, {/' "$work/image.json" > "$work/given.json"
expect 2 rv "$work/given.json"
err_has 'launches.0..args.0.: parameter 0 of k is an image or a sampler: give it a {"texture": name}'
sed 's/{"buf": "out"}/{"texture": "im"}/' "$work/image.json" > "$work/given.json"
expect 2 rv "$work/given.json"
err_has 'launches.0..args.2.: parameter 2 of k has 4 bytes, the argument 8'
sed 's/{"texture": "im"}, {/{"texture": "s"}, {/' "$work/image.json" > "$work/given.json"
expect 2 rv "$work/given.json"
err_has 'parameter 0 is of type image2d_t and wants a texture or a surface, not a sampler'
printf '__kernel void k(read_only image2d_depth_t from, sampler_t s, __global uint *out) { out[0] = 1; }\n' > "$work/image.cl"
expect 2 rv "$work/image.json"
err_has 'kernel k: parameter 0 is an image2d_depth_t, a type of image that is not here'
HEDDLE_CLANG=/nonexistent/clang expect 2 rv "$work/ones.json"
err_has 'not in PATH .tools/setup.sh riscv'
# a section of kernels that is not as heddle writes it
for table in nonsense 'program group plain thread 0 atomics 0\nkernel gone barrier 0 local 0 stack 0 size 0 0 0 args 0' \
    'program group plain thread 0 atomics 0\nkernel _start barrier 0 local 0 stack 0 size 0 0 0 args 900' \
    'program group plain thread 0 atomics 0\nkernel _start barrier 0 local 0 stack 0 size 0 0 0 args 1 4@0:image9d_t' 'program group plain thread 0 atomics 0'; do
    printf '.globl _start\n_start: nop\n.section .heddle.kernels,"",@progbits\n.ascii "%s\\n"\n' "$table" > "$work/table.s"
    rm -f "$work/table.elf"
    expect 0 clang-19 --target=riscv32 -march=rv32imf -mabi=ilp32f -c "$work/table.s" -o "$work/table.o"
    expect 0 ld.lld-19 -Ttext 0x80000000 "$work/table.o" -o "$work/table.elf"
    expect 2 "$heddle" check "$work/table.elf"
    err_has 'its section .heddle.kernels is not as heddle writes it'
done

# buffers at fixed addresses and with written contents: arguments of a program that runs as it is.
# lui a0, 0x7ffff; lw a1, 0(a0); lw a2, 4(a0); sw a2, 0(a1); tmc 0
printf '\067\365\377\177\203\045\005\000\003\046\105\000\043\240\305\000\153\000\000\000' > "$work/args.bin"
cat > "$work/args.json" <<'JSON'
{"program": "args.bin", "buffers": [
  {"name": "args", "type": "u32", "count": 2, "at": "0x7ffff000", "values": [536870912, 77]},
  {"name": "out", "type": "u32", "count": 16, "at": 536870912, "check": true}],
 "launches": [{"kernel": "program", "grid": [1], "block": [1], "args": []}]}
JSON
expect 0 "$heddle" run "$work/args.json" --functional --machine vortex2021 --quiet --dump out "$work/out.bin"
[ "$(od -An -tu4 -N4 "$work/out.bin" | tr -d ' ')" = 77 ] || complain "the program found no arguments"
# buffers over one another, over the text, and over the launch of a compiled kernel
for at in 0x7ffff000 0x7ffff004 0x80000000 0x80000040; do
    sed "s/\"at\": 536870912/\"at\": \"$at\"/" "$work/args.json" > "$work/over.json"
    expect 2 "$heddle" run "$work/over.json" --functional --machine vortex2021
    err_has "buffers.1.: \"out\" cannot be placed: 64 bytes at $at: it "
done
for at in 0x10000000 0x7fff0000; do
    sed "s/\"check\"/\"at\": \"$at\", \"check\"/; s/\"buffers\": \[/&{\"name\": \"first\", \"type\": \"u32\", \"count\": 64, \"at\": \"0x10000000\"}, /" "$work/suffix.json" > "$work/over.json"
    expect 2 rv "$work/over.json"
    err_has "buffers.1.: \"out\" cannot be placed: 256 bytes at $at: it overlaps memory that is in use"
done
sed -i 's/"at": 536870912/"at": 536870913/' "$work/args.json"
expect 2 "$heddle" run "$work/args.json" --functional --machine vortex2021
err_has 'buffers.1.: "out" cannot be placed: .*not a multiple of 64'
sed -i 's/, 77\]/]/' "$work/args.json"
expect 2 "$heddle" run "$work/args.json" --functional --machine vortex2021
err_has '"values" holds 1 numbers, "count" is 2'
finish
