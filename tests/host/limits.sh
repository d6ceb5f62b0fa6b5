#!/bin/bash
# What has no end has a limit: files, launches, buffers, stacks, private memory, printf, traces, the compiler,
# the environment
. "$(dirname "$0")"/common
cd "$work" || exit 1
ulimit -Sv 12000000 # what a limit lets through would otherwise be the host's memory

# special files
expect 2 "$top/tests/within" 60 "$heddle" check /dev/zero; err_has 'File too large: a program or image may have at most'
expect 2 "$top/tests/within" 60 "$heddle" check /; err_has 'Is a directory'
mkfifo fifo.json
(cat "$HEDDLE_DATA"/workloads/vecadd/manifest-tiny.json > fifo.json) &
expect 2 "$top/tests/within" 60 "$heddle" run fifo.json --functional; err_has 'reference'
expect 2 "$top/tests/within" 60 "$heddle" run vecadd --machine /dev/zero; err_has '/dev/zero'

# every kind of input: one byte or entry too many is refused before it is read, with limit and remedy. `table`
# is `heddle list limits`: what is added to it is tried here, too.
"$heddle" list limits > table || complain "no list of limits"
tried=0
limit() { # WHAT UNIT: its limit
    awk -v what="$1" -v unit="$2" 'substr($0, 24, 37) ~ "^" what " *$" && $2 == unit { print $1 }' table
}
refused() { # WHAT [UNIT]: the message that the last command must have left
    tried=$((tried + 1))
    err_has "$1 may have at most $(limit "$1" "${2:-bytes}") ${2:-bytes}; [a-z]"
}
sparse() { truncate -s $(($(limit "$2" bytes) + 1)) "$1"; }
entries() { # FILE KEY OTHER: a manifest with one entry too many under KEY
    { printf '{"%s": [], "%s": [0' "$3" "$2"; yes ',0' | head -n "$(limit 'a manifest' "$2")" | tr -d '\n'; echo ']}'; } > "$1"
}
manifest_of() { # PROGRAM BUFFER
    echo '{"program": "'"$1"'", "buffers": [{"name": "b", "type": "u8", "count": 4'"$2"'}], "launches": [{"kernel": "k", "grid": [1], "block": [1], "args": [{"buf": "b"}]}]}'
}
printf '.version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) { ret; }\n' > k.ptx
sparse over.json 'a manifest'; expect 2 "$heddle" run over.json; refused 'a manifest'
entries over.json launches buffers; expect 2 "$heddle" run k.ptx --manifest over.json; refused 'a manifest' launches
entries over.json buffers launches; expect 2 "$heddle" run k.ptx --manifest over.json; refused 'a manifest' buffers
entries over.json textures launches; sed -i 's/{/{"buffers": [], /' over.json
expect 2 "$heddle" run k.ptx --manifest over.json; refused 'a manifest' textures
sparse over.bin 'the file of a buffer'; manifest_of k.ptx ', "file": "over.bin"' > over.json
expect 2 "$heddle" run over.json --functional; refused 'the file of a buffer'; err_has 'buffers\[0\]'
sparse over.ini 'a machine file'; expect 2 "$heddle" run vecadd --machine ./over.ini; refused 'a machine file'
sparse over.ptx 'a program or image'; expect 2 "$heddle" check over.ptx; refused 'a program or image'
manifest_of over.ptx '' > over.json; expect 2 "$heddle" run over.json; refused 'a program or image'; tried=$((tried - 1))
sparse over.s 'a program of the laboratory'; expect 2 "$heddle" lab tomasulo ./over.s; refused 'a program of the laboratory'
expect 2 env HEDDLE_SET="$(head -c 65537 /dev/zero | tr '\0' a)" "$heddle" list keys; refused 'the value of an environment variable'
sparse over.ini 'the text of an experiment'; expect 2 "$heddle" sweep over.ini; refused 'the text of an experiment'
{ printf '[programs]\nrun = vecadd\n[keys]\nnoc.credits = '; seq -s ', ' 1 1001; printf 'gpu.cta_launch_cy = '; seq -s ', ' 1 100; } > over.ini
expect 2 "$heddle" sweep over.ini --status; refused 'an experiment' runs
mkdir vectors; sparse vectors/index.tsv 'an input file'; expect 2 "$heddle" vectors vectors; refused 'an input file'
rm -rf over.* vectors

# recursion with a large frame, and private memory of many threads
cat > deep.ptx <<'PTX'
.version 7.0
.target sm_75
.address_size 64
.func (.param .b32 r) deep(.param .b32 n) {
    .local .align 4 .b8 big[60000];
    .reg .b32 %a, %b; .reg .pred %p; .reg .b64 %l;
    ld.param.b32 %a, [n];
    mov.b64 %l, big;
    st.local.b32 [%l], %a;
    { .param .b32 x; .param .b32 y; st.param.b32 [x], %a; call (y), deep, (x); ld.param.b32 %b, [y]; }
    st.param.b32 [r], %b;
    ret;
}
.visible .entry k(.param .u64 out) {
    .reg .b32 %a; { .param .b32 x; .param .b32 y; mov.b32 %a, 1; st.param.b32 [x], %a; call (y), deep, (x); ld.param.b32 %a, [y]; }
    ret;
}
.visible .entry wide(.param .u64 out) {
    .local .align 4 .b8 big[500000];
    .reg .b32 %a; .reg .b64 %l;
    mov.b64 %l, big;
    mov.b32 %a, 1;
    st.local.b32 [%l], %a;
    ret;
}
PTX
manifest() { # KERNEL GRID BLOCK
    echo '{"buffers": [{"name": "out", "type": "u32", "count": 4}], "launches": [{"kernel": "'"$1"'", "grid": ['"$2"'], "block": ['"$3"'], "args": [{"buf": 0}]}]}'
}
manifest k 64 256 > deep.json
expect 3 "$top/tests/within" 60 "$heddle" run deep.ptx --manifest deep.json --functional; err_has 'bytes of stack are more than'
expect 3 "$top/tests/within" 60 "$heddle" run deep.ptx --manifest deep.json --machine small; err_has 'bytes of stack are more than'
manifest wide 1000 1024 > wide.json
(ulimit -Sv unlimited; expect 3 "$top/tests/within" 100 "$heddle" run deep.ptx --manifest wide.json --machine gtx480 --set gpu.sms=64; err_has 'threads that run together are larger'; finish) || failures=$((failures + 1))

# many launches and many buffers take no longer than reading them
{
    echo '{"buffers": ['
    seq -f '{"name": "b%.0f", "type": "u32", "count": 4},' 0 199999
    echo '{"name": "out", "type": "u32", "count": 4}], "launches": [{"kernel": "wide", "grid": [1], "block": [1], "args": [{"buf": "out"}]}]}'
} > many.json
(ulimit -St 12; expect 0 "$heddle" run deep.ptx --manifest many.json --functional --quiet; finish) || failures=$((failures + 1))
sed -i 's/"b199999"/"b7"/' many.json
expect 2 "$heddle" run deep.ptx --manifest many.json --functional; err_has 'buffers\[199999\]: the name "b7" is taken by buffers\[7\]'

# simulated printf
cat > print.ptx <<'PTX'
.version 7.0
.target sm_75
.address_size 64
.global .align 1 .b8 text[3] = {120, 10, 0};
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.visible .entry p(.param .u64 out) {
    .reg .b64 %f, %z; .reg .b32 %i, %q; .reg .pred %p;
    mov.b32 %i, 0;
    mov.b64 %z, 0;
    mov.b64 %f, text;
    cvta.global.u64 %f, %f;
loop:
    { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %f; st.param.b64 [a], %z; call (r), vprintf, (f, a); ld.param.b32 %q, [r]; }
    add.s32 %i, %i, 1;
    setp.lt.s32 %p, %i, 20000;
    @%p bra loop;
    ret;
}
PTX
manifest p 1 64 > print.json
expect 0 "$top/tests/within" 100 "$heddle" run print.ptx --manifest print.json --functional --quiet; err_has 'called printf 1000000 times'
same "$(wc -l < out)" 1000000 "lines printed"

# traces
expect 0 "$heddle" run vecadd --size small --machine small --quiet --konata t.kanata --trace-size 1; err_has 'a trace has reached 1 MB'
[ "$(stat -c %s t.kanata)" -lt 20000000 ] || complain "the trace has $(stat -c %s t.kanata) bytes"
whole t.kanata
expect 0 "$heddle" run vecadd --size tiny --machine small --quiet --konata t.kanata --trace-cycles 0..400 --stop-after-trace --json r.json
same "$(json r.json cycles)" 400 "cycles with --stop-after-trace"
expect 2 "$heddle" run vecadd --size tiny --machine small --stop-after-trace; err_has 'needs --trace-cycles'

# the environment is checked as options are
for pair in HEDDLE_MEMROY=1 HEDDLE_STRICT=yes HEDDLE_MEMORY=lots HEDDLE_CACHE_SIZE=-1 HEDDLE_DATA=/nowhere HEDDLE_COMPILE_SECONDS=0; do
    expect 2 env "$pair" "$heddle" list keys; err_has "${pair%%=*}: error"; out_empty
done

# names speak to nobody's terminal
printf '{"name": "a\\u001b[31mb", "ptx": "nowhere", "buffers": [{"name": "x\\u001b[2J", "type": "u9", "count": 1}], "launches": []}' > escape.json
expect 2 "$heddle" run escape.json --functional
! grep -q $'\033' err || complain "an escape sequence is printed raw"
expect 2 "$heddle" run $'nothing\033[31m'
! grep -q $'\033' err || complain "an escape sequence is printed raw"

# figures of nothing are words
expect 0 "$heddle" run vecadd --size tiny --machine small --warmup 100000000 --json r.json
out_has 'no cycle was timed'; out_lacks nan
same "$(json r.json complete)" false "complete of nothing"
expect 0 "$heddle" run --by-pc 8 vecadd --size tiny --machine small; out_has 'vecadd: 8 of'
for name in ipc IPC bfs CPI no_warp; do expect 0 "$heddle" explain $name; done
expect 0 "$heddle" run bfs --size tiny --machine small --fast-forward 3 --per-kernel; out_has '3 launches 0 to 2 ran without timing'; out_has '6 of 18 blocks ran without'

# more threads than processors
expect 0 "$heddle" run vecadd --size tiny --machine small --quiet -j 256; err_has 'processors'

# from another folder, and where /proc is hidden
(cd / && unset HEDDLE_DATA && expect 0 "$heddle" list machines && out_has gtx480; finish) || failures=$((failures + 1))
without_proc() { unshare -m sh -c 'mount -t tmpfs none /proc && [ ! -e /proc/self ] && exec "$@"' sh "$@"; }
if without_proc true 2> /dev/null; then
    unset_data="env -u HEDDLE_DATA"
    mkdir -p elsewhere
    for how in "$heddle" "elsewhere/../$(realpath --relative-to=. "$heddle")"; do
        expect 0 without_proc $unset_data "$how" list machines; out_has gtx480
        expect 0 without_proc $unset_data "$how" run vecadd --size tiny --machine small --quiet
    done
    expect 0 without_proc $unset_data PATH="$B:$PATH" heddle run vecadd --size tiny --functional --quiet
else
    echo "# no right to hide /proc: not tried"
fi

# the compiler: limits and a bounded cache; clocks that go with the GPU
if patient; then
    for n in 1 2 3; do
        sed "s/0\.5f/$n.5f/" "$top/tests/host/patient.c" > p.c
        cc p.c -o p -lOpenCL
        expect 0 env HEDDLE_CACHE_SIZE=4000 "$heddle" exec --functional --quiet -- ./p 1
    done
    bytes=$(cat "$XDG_CACHE_HOME"/heddle/* | wc -c)
    [ "$bytes" -gt 0 ] && [ "$bytes" -le 4000 ] || complain "the cache has $bytes bytes"
    rm -rf "${XDG_CACHE_HOME:?}"/heddle
    # a compiler that takes memory without end, and one that takes time without end
    cat > greedy.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    for (;;) {
        char *p = malloc(16 << 20);
        if (!p) abort();
        memset(p, 1, 16 << 20);
    }
}
C
    cc greedy.c -o greedy
    expect 1 env HEDDLE_COMPILE_MEMORY=268435456 HEDDLE_CLANG="$work/greedy" "$heddle" exec --functional --quiet -- "$work/patient" 1
    err_has 'error: the compiler was ended by signal 6; it may take 0.2 GiB of memory (HEDDLE_COMPILE_MEMORY)'
    # while it takes long a line comes, and one at the end; none with --quiet
    printf '#!/bin/sh\nfor i in "$@"; do [ "$i" != -emit-llvm ] || sleep 11; done\nexec clang-19 "$@"\n' > sleepy; chmod +x sleepy
    sleepy() { HEDDLE_CLANG="$work/sleepy" XDG_CACHE_HOME="$work/$1" "$heddle" exec --functional "${@:2}" -- "$work/patient" 1 > "$1.out" 2> "$1.err"; echo $? > "$1.rc"; }
    sleepy told & told=$!
    sleepy quiet --quiet & quiet=$!
    printf '#!/bin/sh\nwhile :; do :; done\n' > slow; chmod +x slow
    expect 1 env HEDDLE_COMPILE_SECONDS=1 HEDDLE_CLANG="$work/slow" "$heddle" exec --functional -- "$work/patient" 1
    err_has 'HEDDLE_COMPILE_SECONDS'
    wait $told $quiet
    same "$(cat told.rc quiet.rc | tr '\n' ' ')" '0 0 ' "exit codes with a slow compiler"
    grep -q 'heddle: compiling, [0-9.]* MB of text, for [0-9]* s' told.err || complain "no line while the compiler takes long: $(cat told.err)"
    grep -q 'heddle: compiling took [0-9]* s and [0-9.]* GiB of memory' told.err || complain "no line when a long compilation has ended: $(cat told.err)"
    ! grep -q 'compiling' quiet.err || complain "a line of the compiler with --quiet: $(cat quiet.err)"
    # a source and a binary above their limits
    cat > large.c <<'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    cl_platform_id p;
    cl_device_id d;
    cl_int rc;
    size_t n = strtoull(argv[2], NULL, 10);
    char *text = calloc(n + 1, 1), log[1000] = "";
    if (argc < 3 || clGetPlatformIDs(1, &p, NULL) || clGetDeviceIDs(p, CL_DEVICE_TYPE_GPU, 1, &d, NULL)) return 9;
    cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, &rc);
    memset(text, ' ', n);
    if (strcmp(argv[1], "binary") == 0) {
        clCreateProgramWithBinary(c, 1, &d, &n, (const unsigned char **)(size_t)&text, NULL, &rc);
        return rc == CL_INVALID_BINARY ? 3 : 9;
    }
    cl_program program = clCreateProgramWithSource(c, 1, (const char **)(size_t)&text, NULL, &rc);
    if (rc || clBuildProgram(program, 1, &d, "", NULL, NULL) != CL_BUILD_PROGRAM_FAILURE) return 9;
    clGetProgramBuildInfo(program, d, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
    puts(log);
    return 3;
}
C
    cc large.c -o large -lOpenCL || complain "large.c"
    expect 3 "$heddle" exec --functional -- ./large source $(($(limit 'the source of an OpenCL program' bytes) + 1)); refused 'the source of an OpenCL program'
    out_has 'error: .* may have at most'
    expect 3 "$heddle" exec --functional -- ./large binary $(($(limit 'the binary of an OpenCL program' bytes) + 1)); refused 'the binary of an OpenCL program'
    same "$tried" "$(wc -l < table)" "limits that were tried"
    expect 0 "$heddle" exec --quiet --machine small --simulated-time -- "$work/patient" 3
    awk '{ exit !($2 > $4 && $2 < $4 + 0.0001) }' out || complain "the program's clock does not go with the GPU: $(cat out)"
    expect 0 "$heddle" exec --quiet --machine small -- "$work/patient" 3
    awk '{ exit !($2 > 2 * $4) }' out || complain "the program's clock is not its own: $(cat out)"
    # what a killed process left is swept by the next
    mkdir "$TMPDIR/heddle-999999-abcdef" "$TMPDIR/heddle-other" "$TMPDIR/heddle-1-abcdef"
    expect 0 "$heddle" exec --quiet --functional -- "$work/patient" 1
    [ ! -e "$TMPDIR/heddle-999999-abcdef" ] || complain "a folder of a process that is gone was not swept"
    [ -e "$TMPDIR/heddle-other" ] && [ -e "$TMPDIR/heddle-1-abcdef" ] || complain "a folder that is not ours to sweep is gone"
else
    echo "# no OpenCL: the driver's limits are not tried"
fi
finish
