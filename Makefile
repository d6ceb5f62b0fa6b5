# heddle: `make` builds build/heddle and build/libheddle.a; `make help` lists the rest.
#
#   CC=clang-19   another compiler            SAN=1     ASan and UBSan, in build-san/
#   DEBUG=1       -O0 and debug info          NO_AVX2=1 leave the AVX2 lanes out
CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif

ifdef SAN
B ?= build-san
SANFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
else
B ?= build
endif

OPT := $(if $(DEBUG),-O0 -g,-O2 -g)
LANEOPT := $(if $(DEBUG),-O0 -g,-O3 -g) -fno-math-errno -fno-trapping-math
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wno-missing-field-initializers -Werror
CFLAGS_ALL := -std=c17 -D_GNU_SOURCE -Isrc -Iinclude -ffp-contract=off $(WARN) $(SANFLAGS) -MMD -MP $(CFLAGS)
LDLIBS_ALL := -ljansson -lzstd -lm $(LDLIBS)
AVX2FLAGS := -mavx2 -mfma -mf16c -DLANES_AVX2

LIB_SRC := $(wildcard src/base/*.c src/isa/*.c src/ptx/*.c src/func/*.c src/api/*.c)
LANE_SRC := $(wildcard src/func/lanes/*.c)
CLI_SRC := $(wildcard src/cli/*.c src/report/*.c src/manifest/*.c)

LIB_OBJ := $(LIB_SRC:src/%.c=$B/obj/%.o) $(LANE_SRC:src/%.c=$B/obj/%.plain.o)
ifndef NO_AVX2
LIB_OBJ += $(LANE_SRC:src/%.c=$B/obj/%.avx2.o)
else
CFLAGS_ALL += -DHEDDLE_NO_AVX2_BUILD
endif
CLI_OBJ := $(CLI_SRC:src/%.c=$B/obj/%.o)

all: $B/heddle $B/libheddle.a

$B/heddle: $(CLI_OBJ) $B/libheddle.a
	@echo "  link  $@"
	@$(CC) $(SANFLAGS) $(LDFLAGS) -o $@ $(CLI_OBJ) $B/libheddle.a $(LDLIBS_ALL)

$B/libheddle.a: $(LIB_OBJ)
	@echo "  ar    $@"
	@rm -f $@ && ar rcs $@ $^

$B/obj/%.plain.o: src/%.c
	@mkdir -p $(@D) && echo "  cc    $< (plain lanes)"
	@$(CC) $(CFLAGS_ALL) $(LANEOPT) -c -o $@ $<

$B/obj/%.avx2.o: src/%.c
	@mkdir -p $(@D) && echo "  cc    $< (avx2 lanes)"
	@$(CC) $(CFLAGS_ALL) $(LANEOPT) $(AVX2FLAGS) -c -o $@ $<

$B/obj/%.o: src/%.c
	@mkdir -p $(@D) && echo "  cc    $<"
	@$(CC) $(CFLAGS_ALL) $(OPT) -c -o $@ $<

clean:
	rm -rf build build-*

-include $(shell find $B -name '*.d' 2>/dev/null)
.PHONY: all clean
.DEFAULT_GOAL := all
