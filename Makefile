# heddle: `make` builds build/heddle and build/libheddle.a; `make help` lists the rest.
#
#   CC=clang-19   another compiler, in build-clang/     SAN=1      ASan and UBSan, in build-san/
#   DEBUG=1       no optimisation, in build-debug/      NO_AVX2=1  leave the AVX2 lanes out, in build-noavx2/
#   WHOLE=0       the timing model not optimised across its files, in build-parts/: slower, but a change of it is linked at once
#   TRAINED=0     the timing model not optimised for the way it runs in training (gcc, build/ only): slower, but built half a minute sooner
# Variants combine (CC=clang-19 SAN=1 builds in build-clang-san/) and stand side by side; B=DIR overrides the place.
CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages
FUZZ_SECONDS ?= 1800

# --- which variant
# gcc optimises the rooms in which a simulated cycle is spent (src/core, src/mem, src/gpu, src/func) as one program, where it can and the
# build is not one for finding mistakes.
ONE_PROGRAM := -flto=auto -flinker-output=nolto-rel -r
PARTS := $(if $(filter 0,$(WHOLE)),-parts)
ifeq ($(findstring clang,$(notdir $(CC)))$(SAN)$(DEBUG)$(FUZZ)$(PARTS)$(findstring -fsanitize,$(CFLAGS)),)
override WHOLE := $(shell echo 'int x;' | $(CC) -x c $(ONE_PROGRAM) -o /dev/null - 2>/dev/null && echo 1)
else
override WHOLE :=
endif
VARIANT := $(if $(findstring clang,$(notdir $(CC))),$(if $(FUZZ),,-clang))$(if $(FUZZ),-fuzz)$(if $(SAN),-san)$(if $(DEBUG),-debug)$(if $(NO_AVX2),-noavx2)$(PARTS)
B ?= build$(VARIANT)
ifdef SAN
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif
ifdef FUZZ
SANFLAGS := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
endif

# --- flags
# Builds for finding mistakes are optimised a little: compiling them fully takes half as long again and finds no more.
SEEKS := $(SAN)$(FUZZ)$(findstring -fsanitize,$(CFLAGS))
OPT := $(if $(DEBUG),-O0 -g,$(if $(SEEKS),-O1 -g,-O2 -g))
LANEOPT := $(if $(DEBUG),-O0 -g,$(if $(SEEKS),-O1 -g,-O3 -g)) -fno-math-errno -fno-trapping-math
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wno-missing-field-initializers -Werror
ifneq ($(findstring clang,$(notdir $(CC))),)
WARN += -Wno-pass-failed # a lane loop that stays scalar without optimisation or under a sanitizer is no mistake
endif
# Position-independent, so that command, library and driver are made of the same objects. Against code for the command alone it costs 0.01 % of
# host instructions, with timing and without, as long as what one file calls in another is hidden and cannot be replaced at load time.
PIC := -fPIC -fvisibility=hidden -fno-semantic-interposition
# x86: machines since 2009, for their population count; lanes have their own, chosen at run time
ARCH := $(if $(filter x86_64 amd64,$(shell uname -m)),-march=x86-64-v2)
CFLAGS_ALL := $(ARCH) -std=c17 -D_GNU_SOURCE -Isrc -Iinclude -I. -ffp-contract=off $(PIC) $(WARN) $(SANFLAGS) -MMD -MP $(CFLAGS)
LDLIBS_ALL := -ljansson -linih -lsqlite3 -lz -lm $(LDLIBS)
AVX2FLAGS := -mavx2 -mfma -mf16c -DLANES_AVX2
ifdef NO_AVX2
CFLAGS_ALL += -DHEDDLE_NO_AVX2_BUILD
endif

# make -s says nothing but errors
SAY := $(if $(findstring s,$(filter-out -%,$(firstword $(MAKEFLAGS)))),true,echo)

# --- what there is
LIB_SRC := $(wildcard src/base/*.c src/config/*.c src/stats/*.c src/trace/*.c src/isa/*.c src/ptx/*.c src/riscv/*.c src/front/*.c src/func/*.c src/mem/*.c src/core/*.c src/core/*/*.c src/gpu/*.c src/api/*.c)
LANE_SRC := $(wildcard src/func/lanes/*.c)
CLI_SRC := $(wildcard src/cli/*.c src/sweep/*.c src/lab/*.c src/report/*.c src/power/*.c src/manifest/*.c)
MACHINES := $(wildcard machines/*.ini machines/*/*.ini lab/*.s lab/*.ini studies/*.ini)
WORKLOADS := $(shell sed -n 's/^WORKLOAD.[ ]*\([a-z0-9_]*\).*/\1/p' workloads/workloads.def 2>/dev/null)
REF_SRC := $(wildcard workloads/*/ref.c)
UNIT := $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c))
# folders of tests beside tests/unit whose programs stand on tests/micro/micro.c
CYCLE_TESTS := micro replay pressure
LAB := $(patsubst tests/lab/%.c,%,$(wildcard tests/lab/test_*.c))
FUZZERS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
CLANG_CL ?= clang-19

# With WHOLE these become one object
TIMING_OBJ := $(patsubst src/%.c,$B/obj/%.o,$(filter src/core/% src/mem/% src/gpu/% src/func/%,$(LIB_SRC)))
LIB_OBJ := $(filter-out $(if $(WHOLE),$(TIMING_OBJ)),$(LIB_SRC:src/%.c=$B/obj/%.o)) $(if $(WHOLE),$B/obj/timing.o) $(LANE_SRC:src/%.c=$B/obj/%.plain.o) $(if $(NO_AVX2),,$(LANE_SRC:src/%.c=$B/obj/%.avx2.o))
REF_OBJ := $(REF_SRC:%.c=$B/obj/%.o)
MAIN_OBJ := $B/obj/cli/main.o
CMD_OBJ := $(filter-out $(MAIN_OBJ),$(CLI_SRC:src/%.c=$B/obj/%.o)) $(REF_OBJ)
SHARE := $B/share/heddle
TRAINED ?= $(if $(filter build,$(notdir $B)),1)
override TRAINED := $(if $(WHOLE),$(if $(VARIANT),,$(filter 1,$(TRAINED))))

all: $B/heddle $B/libheddle.a $B/libheddle.so workloads machines page opencl riscv manuals ## build the command, the library and the bundled workloads and machines

# --- the command and the library. libcommand.a is the command without its main(), for the tests.
$B/heddle: $(MAIN_OBJ) $B/libcommand.a $B/libheddle.a
	@$(SAY) "  link  $@"
	@$(CC) $(SANFLAGS) $(LDFLAGS) -o $@ $(MAIN_OBJ) $B/libcommand.a $B/libheddle.a $(LDLIBS_ALL)

$B/libheddle.a: $(LIB_OBJ)
$B/libcommand.a: $(CMD_OBJ)
$B/libheddle.a $B/libcommand.a:
	@$(SAY) "  ar    $@"
	@rm -f $@ && ar rcs $@ $^

# What heddle.h declares is all that it exports (a pragma there). The last number is what a program needs to have:
# it changes when a program that was linked with an older library would no longer run.
VERSION := $(shell sed -n 's/^.define VERSION "\(.*\)"/\1/p' src/api/api.c)
SOVERSION := 0
SONAME := libheddle.so.$(SOVERSION)
$B/$(SONAME): $(LIB_OBJ)
	@$(SAY) "  link  $@"
	@$(CC) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs -Wl,--as-needed $(SANFLAGS) $(LDFLAGS) -o $@ $(LIB_OBJ) $(LDLIBS_ALL) -lpthread
$B/libheddle.so: $B/$(SONAME)
	@ln -sf $(SONAME) $@

# Manual pages and completions, from the command's own tables
manuals: $B/manuals/.made
$B/manuals/.made: $B/heddle
	@$(SAY) "  man   $(@D)"
	@rm -rf $(@D) && mkdir -p $(@D)
	@$B/heddle help --man > $(@D)/heddle.1
	@for c in $$($B/heddle list commands | cut -d' ' -f1); do $B/heddle help --man $$c > $(@D)/heddle-$$c.1 || exit 1; done
	@for s in bash zsh fish; do $B/heddle help --completion $$s > $(@D)/heddle.$$s || exit 1; done
	@touch $@

# Objects depend on the flags they were made with: a change of CFLAGS rebuilds, a touch of this file does not.
FLAGS_NOW := $(CC) $(if $(WHOLE),whole)$(if $(TRAINED), trained) $(CFLAGS_ALL) $(OPT) $(LANEOPT) $(AVX2FLAGS)
ifeq ($(filter clean help,$(MAKECMDGOALS)),)
$(shell mkdir -p $B; echo '$(FLAGS_NOW)' | cmp -s - $B/flags || echo '$(FLAGS_NOW)' > $B/flags)
endif

$B/obj/%.plain.o: src/%.c $B/flags
	@mkdir -p $(@D) && $(SAY) "  cc    $< (plain lanes)"
	@$(CC) $(CFLAGS_ALL) $(LANEOPT) -c -o $@ $<

$B/obj/%.avx2.o: src/%.c $B/flags
	@mkdir -p $(@D) && $(SAY) "  cc    $< (avx2 lanes)"
	@$(CC) $(CFLAGS_ALL) $(LANEOPT) $(AVX2FLAGS) -c -o $@ $<

# The commit, for --version and the rows of a sweep: these two alone are compiled again when it changes. A
# package's build, which is no checkout, names it: COMMIT=
ifndef COMMIT
COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)$(shell git diff --quiet HEAD 2>/dev/null || test $$? -ne 1 || echo -n ' and changes')
endif
ifeq ($(filter clean help,$(MAKECMDGOALS)),)
$(shell echo '$(COMMIT)' | cmp -s - $B/commit || echo '$(COMMIT)' > $B/commit)
endif
$(MAIN_OBJ) $B/obj/sweep/build.o: CFLAGS_ALL += -DHEDDLE_COMMIT='"$(COMMIT)"'
$(MAIN_OBJ) $B/obj/sweep/build.o: $B/commit

# The machine's inner loops. Private: what training needs first is compiled as everything else is.
$(TIMING_OBJ): private OPT := $(if $(DEBUG),-O0 -g,$(if $(SEEKS),-O1 -g,-O3 -fno-tree-slp-vectorize -g))$(if $(WHOLE), -flto)
$B/obj/timing.o: $(TIMING_OBJ)
	@$(SAY) "  whole $@"
	@$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -Wno-error -O3 -fno-tree-slp-vectorize -g $(if $(TRAINED),-fprofile-use -Wno-missing-profile) $(ONE_PROGRAM) -o $@ $(TIMING_OBJ)

# Training: the timing model and the functional simulator are compiled to count which way their branches go, run as tools/train.sh says, and
# compiled again for these ways; what was never run is compiled as it would be without. It is done once for a build folder. Functions that
# have changed since are compiled without, and so is all of it where training fails: what the simulator computes never depends on it. Both
# compilations have one name (-dumpdir), by which static functions are known again.
TRAIN_OBJ := $(TIMING_OBJ:$B/obj/%=$B/train/%)
PROFILE :=
ifdef TRAINED
$(TIMING_OBJ): $B/train/made
$(TIMING_OBJ): private PROFILE = $$(test -f $(@:.o=.gcda) && echo -fprofile-use -fprofile-partial-training -fprofile-correction -Wno-missing-profile -Wno-coverage-mismatch)
endif
$B/train/made: tools/train.sh $B/flags | $(MAIN_OBJ) $(CMD_OBJ) $(filter-out $(TIMING_OBJ) $B/obj/timing.o,$(LIB_OBJ))
	@rm -rf $(@D) && mkdir -p $(@D) && $(SAY) "  train $(@D)"
	@$(MAKE) -s --no-print-directory B=$B $B/train/heddle && tools/train.sh $B || echo "training failed: what is built is slower, and no less right"
	@touch $@
$B/train/heddle: $(TRAIN_OBJ)
	@$(CC) -fprofile-generate $(LDFLAGS) -o $@ $(MAIN_OBJ) $(CMD_OBJ) $(filter-out $(TIMING_OBJ) $B/obj/timing.o,$(LIB_OBJ)) $(TRAIN_OBJ) $(LDLIBS_ALL)
$(TRAIN_OBJ): private OPT := -O3 -fno-tree-slp-vectorize
$B/train/%.o: src/%.c
	@mkdir -p $(@D) $(@D:$B/train%=$B/obj%)
	@$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) $(OPT) -w -g0 -fprofile-generate -dumpdir $(@D:$B/train%=$B/obj%)/ -dumpbase $(<F) -dumpbase-ext .c -c -o $@ $<

$B/obj/%.o: src/%.c $B/flags
	@mkdir -p $(@D) && $(SAY) "  cc    $<"
	@$(CC) $(CFLAGS_ALL) $(OPT) $(PROFILE) -c -o $@ $<

# workloads/, tests/, bench/ and tools/ keep their folder's name under obj/
$B/obj/%.o: %.c $B/flags
	@mkdir -p $(@D) && $(SAY) "  cc    $<"
	@$(CC) $(CFLAGS_ALL) $(OPT) -c -o $@ $<

# --- bundled workloads: OpenCL C to PTX, at build time
WORKLOAD_FILES := $(foreach w,$(WORKLOADS),$(SHARE)/workloads/$w/$w.ptx $(patsubst %,$(SHARE)/%,$(wildcard workloads/$w/*.json)))
ifneq ($(shell command -v $(CLANG_CL) 2>/dev/null),)
workloads: $(WORKLOAD_FILES) ## compile the bundled workloads to PTX
else
workloads:
	@echo "  skip  workloads: $(CLANG_CL) is not installed (tools/setup.sh workloads)"
endif

define WORKLOAD_RULE
$(SHARE)/workloads/$1/$1.ptx: workloads/$1/$1.cl tools/compile_cl.sh src/opencl/flags.def
	@mkdir -p $$(@D) && $(SAY) "  cl    $$<"
	@tools/compile_cl.sh $$< $$@
endef
$(foreach w,$(WORKLOADS),$(eval $(call WORKLOAD_RULE,$w)))
# the same kernels on other data
$(SHARE)/workloads/bfs_mesh/bfs_mesh.ptx $(SHARE)/workloads/bfs_power/bfs_power.ptx: workloads/bfs/bfs.cl
$(SHARE)/workloads/spmv_power/spmv_power.ptx: workloads/spmv/spmv.cl

$(SHARE)/workloads/%.json: workloads/%.json
	@mkdir -p $(@D) && cp $< $@

# --- bundled machines: copied, so that the build directory is laid out as an installation
machines: $(MACHINES:%=$(SHARE)/%)
$(MACHINES:%=$(SHARE)/%): $(SHARE)/%: %
	@mkdir -p $(@D) && cp $< $@

# --- the report page: our scripts and style are embedded (.incbin); D3 is Debian's and is copied, with its licence
$B/obj/report/page_files.o: $(wildcard src/report/page/*)
D3 := $(firstword $(wildcard /usr/share/nodejs/d3/dist/d3.min.js))
ifneq ($(D3),)
page: $(SHARE)/page/d3.min.js $(SHARE)/page/d3.licence.txt ## copy the library of the report page
$(SHARE)/page/d3.min.js: $(D3)
	@mkdir -p $(@D) && cp $< $@
$(SHARE)/page/d3.licence.txt: /usr/share/doc/node-d3/copyright
	@mkdir -p $(@D) && cp $< $@
else
page:
	@echo "  skip  page: D3 is not installed (tools/setup.sh build); --html and heddle report need it"
endif

# --- the OpenCL driver: the library's objects and its own, and the builtin functions of OpenCL C as bitcode
OCL_OBJ := $(patsubst src/%.c,$B/obj/%.o,$(wildcard src/opencl/*.c))
# what changes a program on its way: a program that was compiled by others of them is compiled again
OCL_COMPILER := $(addprefix src/opencl/,compile.c hoist.c kernel_calls.c mend.c triples.c)
$B/obj/opencl/compile.o: CFLAGS_ALL += -DCOMPILER_SUM='"$(shell cat $(OCL_COMPILER) | cksum)"'
$B/obj/opencl/compile.o: $(OCL_COMPILER)
OCL_LIB := $(patsubst %,$(SHARE)/opencl/%,builtins.bc builtins-offset.bc memory.bc language3.bc images.bc casts.bc math.bc prelude.h)
OCL_TESTS := $(patsubst tests/opencl/%.c,%,$(wildcard tests/opencl/*.c))
OCL_COUNTED := $B/obj/tests/opencl/counted.o
ifneq ($(wildcard /usr/include/CL/cl_icd.h),)
opencl: $B/libheddle-opencl.so $(if $(shell command -v $(CLANG_CL) 2>/dev/null),$(OCL_LIB)) ## build the OpenCL driver that heddle exec gives to programs
else
opencl:
	@echo "  skip  opencl: CL/cl_icd.h is not installed (tools/setup.sh build)"
endif

opencl: $B/libheddle-clock.so
$B/libheddle-clock.so: src/opencl/preload/clock.c $B/flags
	@$(SAY) "  link  $@"
	@$(CC) $(filter-out -fsanitize%,$(CFLAGS_ALL)) -O2 -g -fPIC -fvisibility=default -shared -o $@ $<
# of the command's archive it takes the reports, for HEDDLE_JSON
$B/libheddle-opencl.so: $(OCL_OBJ) $(LIB_OBJ) $B/libcommand.a
	@$(SAY) "  link  $@"
	@echo '{ local: heddle_*; };' > $B/opencl.map
	@$(CC) -shared -Wl,-Bsymbolic -Wl,--version-script=$B/opencl.map $(SANFLAGS) $(LDFLAGS) -o $@ $(OCL_OBJ) $(LIB_OBJ) $B/libcommand.a $(LDLIBS_ALL) -ldl -lpthread

CL_FLAGS := $(shell awk -F'"' '/^FLAG/ { print $$2 }' src/opencl/flags.def)
CL_BITCODE := $(CLANG_CL) -x cl $(CL_FLAGS) -cl-std=CL1.2 -emit-llvm -c -Xclang -cl-ext=+cl_khr_3d_image_writes,+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics
$(SHARE)/opencl/builtins-offset.bc: src/opencl/lib/builtins.cl src/opencl/flags.def
	@mkdir -p $(@D) && $(SAY) "  cl    $< (with offset)"
	@$(CL_BITCODE) -DHEDDLE_OFFSET -o $@ $<
$(SHARE)/opencl/%.bc: src/opencl/lib/%.cl src/opencl/flags.def
	@mkdir -p $(@D) && $(SAY) "  cl    $<"
	@$(CL_BITCODE) -o $@ $<
CL_FEATURES := $(shell awk -F'"' '/^FEATURE/ { printf "-Xclang -cl-ext=+%s -D%s=1 ", $$2, $$2 }' src/opencl/features.def)
$(SHARE)/opencl/language3.bc: src/opencl/lib/language3.cl src/opencl/flags.def src/opencl/features.def
	@mkdir -p $(@D) && $(SAY) "  cl    $<"
	@$(CL_BITCODE) -cl-std=CL3.0 $(CL_FEATURES) -o $@ $<
$(SHARE)/opencl/prelude.h: src/opencl/lib/prelude.h
	@mkdir -p $(@D) && cp $< $@

# as a user would compile them, but for the warnings
$(OCL_TESTS:%=$B/opencl/%): $B/opencl/%: $B/obj/tests/opencl/%.o $(OCL_COUNTED)
	@mkdir -p $(@D) && $(SAY) "  link  $@"
	@$(CC) $(SANFLAGS) $(LDFLAGS) -o $@ $< $(OCL_COUNTED) -lOpenCL -lcmocka -lpthread -lm $(LDLIBS)
$(OCL_COUNTED:.o=.c): tests/opencl/counted tests/opencl/counted.h src/opencl/dispatch.c
	@mkdir -p $(@D) && $(SAY) "  count $@"
	@tests/opencl/counted $(CC) src/opencl/dispatch.c > $@
$(OCL_COUNTED): $(OCL_COUNTED:.o=.c) $B/flags
	@$(SAY) "  cc    $<"
	@$(CC) $(CFLAGS_ALL) $(OPT) -c -o $@ $<
opencl-tests: opencl $(OCL_TESTS:%=$B/opencl/%) machines ## build the tests of the OpenCL driver (tests/run.sh opencl runs them)

# --- the runtime of OpenCL C as RISC-V programs: objects, assembly and bitcode that heddle links programs with
RV_FLAGS := --target=riscv32 -march=rv32imaf_zicsr -mabi=ilp32f -O2 -ffreestanding -fno-jump-tables -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -ffixed-x31 -ffunction-sections -fno-optimize-sibling-calls
RV_LIB := $(patsubst %,$(SHARE)/riscv/%,flags.txt start.s start_v3.s dispatch.s dispatch_v3.s support.s items.bc workitem.bc images.bc casts.bc math.bc atomics.bc)
RV_VARIANT = $(if $(findstring _v3,$(@F)),-DHEDDLE_V3)
RV_NAMES := -gline-tables-only -fdebug-compilation-dir=. -ffile-prefix-map=src/riscv/lib/=heddle-runtime/
RV_BUILTINS := -fdebug-compilation-dir=. -ffile-prefix-map=src/riscv/lib/=heddle-builtins/ -ffile-prefix-map=src/opencl/lib/=heddle-builtins/ -gline-tables-only
ifneq ($(shell command -v $(CLANG_CL) 2>/dev/null),)
riscv: $(RV_LIB) $(foreach w,$(WORKLOADS),$(SHARE)/workloads/$w/$w.cl) ## compile the runtime of OpenCL C as RISC-V programs
else
riscv:
	@echo "  skip  riscv: $(CLANG_CL) is not installed (tools/setup.sh workloads riscv)"
endif
$(SHARE)/workloads/%.cl: workloads/%.cl
	@mkdir -p $(@D) && cp $< $@
$(SHARE)/riscv/flags.txt: Makefile
	@mkdir -p $(@D) && echo '$(RV_FLAGS)' | cmp -s - $@ || echo '$(RV_FLAGS)' > $@
# once for each variant of Vortex
$(SHARE)/riscv/start.s $(SHARE)/riscv/start_v3.s: src/riscv/lib/start.S src/riscv/lib/layout.h src/riscv/lib/variant.h $(SHARE)/riscv/flags.txt
	@mkdir -p $(@D) && $(SAY) "  rv    $< ($(@F))"
	@$(CLANG_CL) $(RV_FLAGS) $(RV_VARIANT) -Isrc/riscv/lib -E -P -o $@ $<
$(SHARE)/riscv/dispatch.s $(SHARE)/riscv/dispatch_v3.s: src/riscv/lib/dispatch.c src/riscv/lib/layout.h src/riscv/lib/items.h src/riscv/lib/variant.h $(SHARE)/riscv/flags.txt
	@mkdir -p $(@D) && $(SAY) "  rv    $< ($(@F))"
	@$(CLANG_CL) $(RV_FLAGS) $(RV_VARIANT) $(RV_NAMES) -Wall -Wextra -Werror -S -o $@ $<
$(SHARE)/riscv/%.s: src/riscv/lib/%.c $(SHARE)/riscv/flags.txt
	@mkdir -p $(@D) && $(SAY) "  rv    $<"
	@$(CLANG_CL) $(RV_FLAGS) $(RV_BUILTINS) -Wall -Wextra -Werror -S -o $@ $<
$(SHARE)/riscv/%.bc: src/riscv/lib/%.c src/riscv/lib/layout.h src/riscv/lib/items.h $(SHARE)/riscv/flags.txt
	@mkdir -p $(@D) && $(SAY) "  rv    $<"
	@$(CLANG_CL) $(RV_FLAGS) $(RV_NAMES) -Wall -Wextra -Werror -emit-llvm -c -o $@ $<
$(SHARE)/riscv/%.bc: src/riscv/lib/%.cl src/riscv/lib/layout.h $(SHARE)/riscv/flags.txt
	@mkdir -p $(@D) && $(SAY) "  rv    $<"
	@$(CLANG_CL) -x cl -cl-std=CL1.2 $(RV_FLAGS) $(RV_BUILTINS) -Wall -Werror -emit-llvm -c -o $@ $<
# the driver's
$(SHARE)/riscv/images.bc $(SHARE)/riscv/casts.bc: $(SHARE)/riscv/%.bc: src/opencl/lib/%.cl src/riscv/lib/texel.cl $(SHARE)/riscv/flags.txt
	@mkdir -p $(@D) && $(SAY) "  rv    $<"
	@$(CLANG_CL) -x cl -cl-std=CL1.2 $(RV_FLAGS) $(RV_BUILTINS) -Isrc -Xclang -cl-ext=+cl_khr_3d_image_writes -Xclang -disable-llvm-passes -Wall -Werror -emit-llvm -c -o $@ $<

# --- tests, benchmarks and tools: one program each
$(UNIT:%=$B/tests/%): $B/tests/%: $B/obj/tests/unit/%.o $B/libcommand.a $B/libheddle.a
	@mkdir -p $(@D) && $(SAY) "  link  $@"
	@$(CC) $(SANFLAGS) $(LDFLAGS) -o $@ $< $B/libcommand.a $B/libheddle.a -lcmocka $(LDLIBS_ALL)

define CYCLE_TEST_RULE
$1_PROGRAMS := $(patsubst tests/%.c,$B/%,$(wildcard tests/$1/test_*.c))
$B/$1/%: $B/obj/tests/$1/%.o $B/obj/tests/micro/micro.o $B/libcommand.a $B/libheddle.a
	@mkdir -p $$(@D) && $(SAY) "  link  $$@"
	@$(CC) $(SANFLAGS) $(LDFLAGS) -o $$@ $$^ -lcmocka $(LDLIBS_ALL)
endef
$(foreach folder,$(CYCLE_TESTS),$(eval $(call CYCLE_TEST_RULE,$(folder))))

$(LAB:%=$B/lab/%): $B/lab/%: $B/obj/tests/lab/%.o $B/obj/tests/lab/model.o $B/obj/tests/micro/micro.o $B/libcommand.a $B/libheddle.a
	@mkdir -p $(@D) && $(SAY) "  link  $@"
	@$(CC) $(SANFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS_ALL)

$(FUZZERS:%=$B/%): $B/%: $B/obj/tests/fuzz/%.o $B/libcommand.a $B/libheddle.a
	@$(SAY) "  link  $@"
	@$(CC) $(SANFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $< $B/libcommand.a $B/libheddle.a $(LDLIBS_ALL)

$B/bench_functional $B/bench_timing: $B/%: $B/obj/bench/%.o $B/libcommand.a $B/libheddle.a
	@$(SAY) "  link  $@"
	@$(CC) $(SANFLAGS) $(LDFLAGS) -o $@ $< $B/libcommand.a $B/libheddle.a $(LDLIBS_ALL)

$B/bench_oclgrind: $B/obj/bench/bench_oclgrind.o $B/libcommand.a $B/libheddle.a
	@$(SAY) "  link  $@"
	@$(CC) $(SANFLAGS) $(LDFLAGS) -o $@ $< $B/libcommand.a $B/libheddle.a -lOpenCL $(LDLIBS_ALL)

$B/gen_stats: $B/obj/tools/gen_stats.o $B/libcommand.a $B/libheddle.a
	@$(SAY) "  link  $@"
	@$(CC) $(SANFLAGS) $(LDFLAGS) -o $@ $< $B/libcommand.a $B/libheddle.a $(LDLIBS_ALL)

$B/gen_docs $B/gen_policies $B/view: $B/%: $B/obj/tools/%.o $B/libheddle.a
	@$(SAY) "  link  $@"
	@$(CC) $(SANFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $B/libheddle.a $(LDLIBS_ALL)

$B/json_get: $B/obj/tests/cli/json_get.o
	@$(SAY) "  link  $@"
	@$(CC) $(SANFLAGS) $(LDFLAGS) -o $@ $< $(LDLIBS_ALL)

CMOCKA := $(shell printf '\043include <cmocka.h>' | $(CC) -include stdarg.h -include stddef.h -include setjmp.h -include stdint.h -E - >/dev/null 2>&1 && echo yes)
ifeq ($(CMOCKA),)
unit micro replay pressure: no-cmocka
no-cmocka:
	@echo "cmocka, which the tests are written with, is not installed: tools/setup.sh test (Debian: libcmocka-dev)" >&2; exit 1
endif
unit: $(UNIT:%=$B/tests/%) machines ## build the unit tests (tests/run.sh runs them)
micro: $(micro_PROGRAMS) machines ## build the tests of exact cycles (tests/run.sh micro runs them)
replay: $(replay_PROGRAMS) machines ## build the tests of hazards, replay and prediction (tests/run.sh replay runs them)
pressure: $(pressure_PROGRAMS) machines ## build the tests of memory-aware scheduling, re-execution and energy (tests/run.sh pressure runs them)
lab: $(LAB:%=$B/lab/%) machines ## build the tests of the laboratory (tests/run.sh lab runs them)
fuzzers: $(FUZZERS:%=$B/%) machines

# Recorded results of real hardware, unpacked next to the build
$B/data/%/.unpacked: tests/data/%.tar.zst
	@rm -rf $(@D) && mkdir -p $(@D) && $(SAY) "  data  $<"
	@zstd -dcq $< | tar -xf - -C $(@D) --strip-components=1 && touch $@
data: $B/data/ptxvec_open/.unpacked $B/data/ptxvec_more/.unpacked $B/data/ptxvec_random/.unpacked $B/data/ptxvec_tex/.unpacked $B/data/silicon_apps/.unpacked

# --- what people type
demo: ## install what is missing, build, and run a workload whose result can be seen
	@tools/setup.sh build workloads
	@$(MAKE) --no-print-directory -j$$(nproc) all $B/view
	@B=$B tools/demo.sh

test: ## install what is missing and run every suite, less than 15 minutes on two cores
	@tools/setup.sh build workloads test riscv
	@tests/run.sh

# the suites whose tools nobody else needs, installed by their own groups of tools/setup.sh
test-page test-cluster test-foreign test-package: test-%: ## install the tools that only this suite needs, and run it
	@tools/setup.sh build workloads test riscv $*
	@tests/run.sh $(if $(filter package cluster,$*),--all) $*

test-all: ## run every test, however long
	@tools/setup.sh build workloads test riscv
	@tests/run.sh --all

mutation: all micro ## change every key by a step: some micro test must notice, and some golden measurement
	@tests/micro/mutation.sh $B
	@tests/golden/mutation.sh $B

lint: ## format, clang-tidy, include direction, generated docs, sizes
	@tools/lint.sh

# Each study goes on where it was stopped: its runs are kept in $B/study
STUDIES := mascar mascar_whole turner cpi jin order aurud aurud_long
$(STUDIES:%=study-%): study-%: all $B/data/silicon_apps/.unpacked
	@mkdir -p $B/study && $B/heddle study $* --database $B/study/$*.db --out docs/studies
study-mascar: ## a study's page, docs/studies/mascar.md; likewise -mascar_whole, -turner, -cpi, -jin, -order, -aurud, -aurud_long

fuzz: ## fuzz parser, manifest reader and execution, ten minutes each (FUZZ_SECONDS in all)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run.sh

bench-functional: $B/bench_functional $B/data/silicon_apps/.unpacked ## functional speed: each application against a bare fused multiply-add loop
	@$B/bench_functional --json $B/bench_functional.json $B/data/silicon_apps

bench-timing: $B/bench_timing machines ## timed speed: six kernels against GPGPU-Sim, two host threads, memory, and a profile of each kernel
	@$B/bench_timing --json $B/bench_timing.json
	@B=$B tools/bench.sh

# Debian's oclgrind brings no entry for the loader
OCLGRIND := /usr/lib/oclgrind/liboclgrind-rt-icd.so
scale: all ## size paper of every bundled workload, measured: docs/workloads.md (about a quarter of an hour of one core)
	@tools/scale.py $B --jobs $(or $(JOBS),1) > $B/workloads.md && mv $B/workloads.md docs/workloads.md
bench-oclgrind: $B/bench_oclgrind workloads ## functional speed against Oclgrind, one thread each (Debian package oclgrind)
	@if [ ! -e $(OCLGRIND) ]; then echo "bench-oclgrind: $(OCLGRIND) not found; install the Debian package oclgrind" >&2; exit 1; fi
	@OCLGRIND_NUM_THREADS=1 OCL_ICD_VENDORS=$(OCLGRIND) HEDDLE_DATA=$(abspath $(SHARE)) $B/bench_oclgrind --json $B/bench_oclgrind.json

bench: bench-functional bench-timing ## every benchmark there is

check-sampling: all ## does the interval of --sample hold in 93 of 100 pairs? three minutes
	tests/sampling/check.sh $B
check-sampling-paper: all ## the same at size paper on the whole chip; half an hour
	tests/sampling/check.sh --paper $B
check-sampling-fresh: all ## the same with pairs that are drawn anew for each SEED=N; five minutes
	tests/sampling/check.sh --fresh $(or $(SEED),1) $B

check-jitter: all ## do fresh perturbations fall inside the jitter of eight? three minutes
	tests/sampling/jitter.sh $B $B/study/jitter.db

docs: $B/gen_docs $B/gen_stats $B/gen_policies ## write the documentation that is printed from tables
	@$B/gen_docs isa > docs/isa.md
	@$B/gen_docs config > docs/config.md
	@$B/gen_stats > docs/stats.md
	@$B/gen_policies > docs/policies.md

# Where each file goes: what follows is read by install and by uninstall
D = $(DESTDIR)$(PREFIX)
DL = $(DESTDIR)$(LIBDIR)
install: all ## install to PREFIX (/usr/local), under DESTDIR: command, libraries, header, pages, completions, share/heddle
	install -D -m 755 $B/heddle $D/bin/heddle
	install -D -m 644 include/heddle.h $D/include/heddle.h
	install -D -m 644 $B/libheddle.a $(DL)/libheddle.a
	install -D -m 644 $B/$(SONAME) $(DL)/$(SONAME).$(VERSION)
	ln -sf $(SONAME).$(VERSION) $(DL)/$(SONAME)
	ln -sf $(SONAME) $(DL)/libheddle.so
	mkdir -p $(DL)/pkgconfig
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$${prefix}/include' '' 'Name: heddle' \
	    'Description: GPU programs on a simulated GPU, cycle by cycle' 'Version: $(VERSION)' 'Cflags: -I$${includedir}' \
	    'Libs: -L$${libdir} -lheddle' 'Libs.private: -ljansson -linih -lm -lpthread' > $(DL)/pkgconfig/heddle.pc
	for f in opencl clock; do if [ -e $B/libheddle-$$f.so ]; then install -D -m 644 $B/libheddle-$$f.so $D/lib/heddle/libheddle-$$f.so; fi; done
	for f in $B/manuals/*.1; do install -D -m 644 $$f $D/share/man/man1/$${f##*/}; done
	install -D -m 644 $B/manuals/heddle.bash $D/share/bash-completion/completions/heddle
	install -D -m 644 $B/manuals/heddle.zsh $D/share/zsh/vendor-completions/_heddle
	install -D -m 644 $B/manuals/heddle.fish $D/share/fish/vendor_completions.d/heddle.fish
	install -D -m 644 python/heddle.py $(DESTDIR)$(PYTHONDIR)/heddle.py
	cd $B/share && find heddle -type f -exec install -D -m 644 {} $(abspath $D)/share/{} \;

uninstall: ## remove what install put under PREFIX and DESTDIR; folders that others use stay
	rm -f $D/bin/heddle $D/include/heddle.h $(DL)/libheddle.a $(DL)/libheddle.so $(DL)/$(SONAME) $(DL)/$(SONAME).$(VERSION) $(DL)/pkgconfig/heddle.pc
	rm -f $D/share/man/man1/heddle.1 $D/share/man/man1/heddle-*.1 $D/share/bash-completion/completions/heddle
	rm -f $D/share/zsh/vendor-completions/_heddle $D/share/fish/vendor_completions.d/heddle.fish $(DESTDIR)$(PYTHONDIR)/heddle.py
	rm -rf $D/lib/heddle $D/share/heddle
	-rmdir -p --ignore-fail-on-non-empty $D/bin $D/include $(DL)/pkgconfig $D/share/man/man1 $D/share/bash-completion/completions \
	    $D/share/zsh/vendor-completions $D/share/fish/vendor_completions.d $(DESTDIR)$(PYTHONDIR) 2>/dev/null || true

# A copy of the tree's files with this build beside them: debian/rules installs from it and compiles nothing twice.
# A plain dpkg-buildpackage in a checkout does the same with a build of its own.
deb: all ## Debian packages into build/deb (tools/setup.sh package)
	@tools/setup.sh --check package
	rm -rf $B/deb && mkdir -p $B/deb/heddle-$(VERSION)
	git ls-files -z | xargs -0 cp -p --parents -t $B/deb/heddle-$(VERSION)
	cd $B/deb/heddle-$(VERSION) && DEB_HEDDLE_BUILD=$(abspath $B) DEB_HEDDLE_COMMIT='$(COMMIT)' dpkg-buildpackage -us -uc -b -rfakeroot
	lintian --fail-on warning,error --suppress-tags initial-upload-closes-no-bugs $B/deb/*.changes

clean: ## remove every build
	rm -rf build build-*

help: ## this list
	@sed -n 's/^\([a-z -]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{printf "%-24s %s\n", $$1, $$2}'
	@echo "variables: CC=clang-19  SAN=1  DEBUG=1  NO_AVX2=1  WHOLE=0  TRAINED=0  PREFIX=DIR  FUZZ_SECONDS=N (see the top of the Makefile)"

-include $(shell find $B -path $B/deb -prune -o -type f -name '*.d' -print 2>/dev/null)
.PHONY: all workloads machines page opencl riscv opencl-tests unit lab $(CYCLE_TESTS) $(STUDIES:%=study-%) scale fuzzers data demo test test-page test-cluster test-foreign test-package test-all check-sampling check-sampling-paper check-sampling-fresh check-jitter mutation lint fuzz bench-functional bench-timing bench-oclgrind bench docs install uninstall deb manuals clean help
.SECONDARY:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all
