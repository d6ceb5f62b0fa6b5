#!/bin/sh
# Writes C that counts, for every function in the driver's table (src/opencl/dispatch.c: the one list), what it answered.
#
#   tests/opencl/counted.sh CC dispatch.c > counted.c
#
# counted_install() puts a function in front of each entry of the live table, so only calls that the loader hands to the driver count: it answers some wrong ones itself.
# The prototypes come from the OpenCL headers. tests/opencl/covered judges the counts.
set -eu
cc=$1 table=$2

cat <<'C'
#include "tests/opencl/counted.h"
#include <CL/cl_icd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct count {
    const char *name, *kind;
    int right, wrong, incoherent;
};
static cl_icd_dispatch real;
static void note(struct count *c, cl_int code) { __atomic_add_fetch(code ? &c->wrong : &c->right, 1, __ATOMIC_RELAXED); }
/* An object comes with CL_SUCCESS, none with an error; a failed link may leave a program for its log */
static void note_object(struct count *c, const void *object, const cl_int *code, int may_be_both) {
    if (code && (object != NULL) != (*code == CL_SUCCESS) && !(object && may_be_both)) __atomic_add_fetch(&c->incoherent, 1, __ATOMIC_RELAXED);
    note(c, code ? *code : object ? CL_SUCCESS : 1);
}
C

rows=$(sed -n 's/^    \(HERE\|ABSENT\)(\(cl[A-Za-z0-9]*\)),$/\2 \1/p' "$table")
"$cc" -I. -E -P tests/opencl/counted.h | tr '\n' ' ' | tr ';' '\n' | ROWS=$rows awk '
    function split_args(text,    i, c, depth, one) { # into arg[1..n]: at commas outside brackets
        n = 0; one = ""; depth = 0
        for (i = 1; i <= length(text); i++) {
            c = substr(text, i, 1)
            if (c == "(") depth++
            if (c == ")") depth--
            if (c == "," && !depth) { arg[++n] = one; one = "" } else one = one c
        }
        arg[++n] = one
        if (n == 1 && arg[1] ~ /^ *(void)? *$/) n = 0
    }
    function name_of(one) {
        if (match(one, /\( *\* *[a-z_0-9]+ *\)/)) one = substr(one, RSTART, RLENGTH)
        gsub(/\[.*/, "", one); gsub(/[ )]+$/, "", one)
        match(one, /[a-z_0-9A-Z]+$/)
        return substr(one, RSTART)
    }
    BEGIN {
        m = split(ENVIRON["ROWS"], row, /[ \n]+/)
        for (i = 1; i < m; i += 2) { order[++total] = row[i]; kind[row[i]] = row[i + 1] }
    }
    match($0, /cl[A-Z][A-Za-z0-9]*\(/) {
        f = substr($0, RSTART, RLENGTH - 1)
        if (!(f in kind) || f in done) next
        done[f] = 1
        before = substr($0, 1, RSTART - 1); sub(/^.*extern */, "", before)
        rest = substr($0, RSTART + RLENGTH); sub(/\)[^)]*$/, "", rest)
        split_args(rest)
        call = ""
        for (i = 1; i <= n; i++) call = call (i > 1 ? ", " : "") name_of(arg[i])
        object = before !~ /cl_int *$/
        nothing = before ~ /void *$/ && before !~ /\*/
        code = n && name_of(arg[n]) == "errcode_ret" ? "errcode_ret" : "NULL"
        printf "static struct count n_%s = {\"%s\", \"%s\", 0, 0, 0};\n", f, f, kind[f]
        printf "static %s CL_API_CALL c_%s(%s) {\n", before, f, rest
        if (nothing) printf "    real.%s(%s);\n    note(&n_%s, CL_SUCCESS);\n}\n", f, call, f
        else if (object) printf "    %s r = real.%s(%s);\n    note_object(&n_%s, (const void *)r, %s, %d);\n    return r;\n}\n", before, f, call, f, code, f == "clLinkProgram"
        else printf "    cl_int r = real.%s(%s);\n    note(&n_%s, r);\n    return r;\n}\n", f, call, f
    }
    END {
        print "static struct count *const all[] = {"
        for (i = 1; i <= total; i++) {
            if (!(order[i] in done)) { print "#error no prototype for " order[i]; continue }
            print "    &n_" order[i] ","
        }
        print "};\nstatic void install(cl_icd_dispatch *t) {"
        for (i = 1; i <= total; i++) if (order[i] in done) printf "    t->%s = c_%s;\n", order[i], order[i]
        print "}"
    }'

cat <<'C'
static void save(void) {
    FILE *f = fopen(getenv("OCL_COUNTS"), "a");
    for (size_t i = 0; f && i < sizeof(all) / sizeof(all[0]); i++)
        fprintf(f, "%s %s %d %d %d\n", all[i]->name, all[i]->kind, all[i]->right, all[i]->wrong, all[i]->incoherent);
    if (f) fclose(f);
}
void counted_install(cl_platform_id p) {
    cl_icd_dispatch *t = *(cl_icd_dispatch **)p;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), from = (size_t)t / page * page, to = ((size_t)(t + 1) + page - 1) / page * page;
    if (!getenv("OCL_COUNTS") || real.clGetPlatformInfo) return;
    real = *t;
    if (mprotect((void *)from, to - from, PROT_READ | PROT_WRITE)) return;
    install(t);
    atexit(save);
}
C
