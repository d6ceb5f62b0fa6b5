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
    for map in group lanes; do
        expect 0 rv $x --size tiny --set runtime.map=$map --set isa.riscv.ext=imaf --set sm.shared_b=16384 --set gpu.sms=2
        out_has 'checksum     ok'
        out_has 'runtime      .* deal out work-items'
    done
done
expect 0 rv sgemm --size tiny
awk '/^runtime/ { ok = $2 > 20 && $2 < 60 } END { exit !ok }' "$work/out" || complain "coroutines of sgemm: $(grep '^runtime' "$work/out")"
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
    expect 0 rv "$work/ring.json" --set runtime.map=lanes --set sm.warps=2 --set sm.warp_size=1 --quiet --dump out "$work/thin.bin"
    cmp -s "$work/group.bin" "$work/thin.bin" || complain "groups of $n: a core of two threads differs"
done
# the group that stands for all, computed here: 17 items, group 0 (values of step i are multiplied by i)
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
    expect 0 as_split "$work/maze.json" --set runtime.map=$map --set sm.warp_size=8 --set sm.warps=2 --quiet --dump out "$work/split.bin"
    cmp -s "$work/ipdom.bin" "$work/split.bin" || complain "split and ipdom differ, map $map"
done
expect 3 as_split "$work/maze.json"
err_has 'split nests deeper than the 8 places'
for x in bfs kmeans nw; do
    expect 0 as_split $x --size tiny
    out_has 'checksum     ok'
done
expect 0 as_split btree --size tiny --set runtime.map=lanes
out_has 'checksum     ok'
expect 2 as_split btree --size tiny
err_has 'it has barriers, .* say so in the manifest .*, or take runtime.map = lanes or isa.vortex.diverge = ipdom'

# what is refused
expect 2 rv histogram --size tiny
err_has 'uses atomics, which the machine does not have .*isa.riscv.ext = imaf'
expect 2 rv sgemm --size tiny --set runtime.map=lanes --set sm.shared_b=1024
err_has 'has 2048 bytes of __local objects, a core.s local memory 1024'
expect 2 rv sgemm --size tiny --set isa.vortex=v3
err_has 'compiled for Vortex of 2021'
expect 2 rv vecadd --size tiny --set runtime.distribution=dynamic
err_has 'takes groups with an atomic'
expect 2 "$heddle" run vecadd --size tiny --functional --machine small --set isa.programs=riscv --set isa.vortex.diverge=ipdom \
    --set sm.warp_size=64 --set sm.warps=2
err_has 'a thread mask of Vortex of 2021 has 32 bits'
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
HEDDLE_CLANG=/nonexistent/clang expect 2 rv "$work/ones.json"
err_has 'not in PATH .tools/setup.sh riscv'
# a section of kernels that is not as heddle writes it
for table in nonsense 'program group plain thread 0 atomics 0\nkernel gone barrier 0 local 0 stack 0 size 0 0 0 args 0' \
    'program group plain thread 0 atomics 0\nkernel _start barrier 0 local 0 stack 0 size 0 0 0 args 900' 'program group plain thread 0 atomics 0'; do
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
sed -i 's/"at": 536870912/"at": 536870913/' "$work/args.json"
expect 2 "$heddle" run "$work/args.json" --functional --machine vortex2021
err_has 'buffers.1.: "out" cannot be placed: .*not a multiple of 64'
sed -i 's/, 77\]/]/' "$work/args.json"
expect 2 "$heddle" run "$work/args.json" --functional --machine vortex2021
err_has '"values" holds 1 numbers, "count" is 2'
finish
