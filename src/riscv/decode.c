/* Words to rows of rv.def, and back to text. The text is what an assembler would read, with addresses for
 * targets. Not decoded: compressed instructions, doubles, vectors. */
#include "riscv/riscv.h"

#define OWN(l)        RV_LANE_##l, 0, 0, NONE
#define PTX0(o, t)    NONE, OP_##o, TYPE_##t, NONE
#define PTX1(o, t, m) NONE, OP_##o, TYPE_##t, MOD_##m
#define NOLANE        NONE, OP_mov, 0, NONE
#define ROW(name, mask, match, operands, set, cls, how, ...)                                                                     \
    {name, mask, match, operands, RV_SET_##set, ICLASS_##cls, RV_HOW_##how, __VA_ARGS__},

const struct rv_row rv_table[RV_COUNT] = {
#define RV(id, name, mask, match, operands, set, cls, how, lane) ROW(name, mask, match, operands, set, cls, how, lane)
#include "riscv/rv.def"
#undef RV
};

const struct rv_row *rv_decode(u32 word, enum rv_variant variant) {
    u8 other = variant == RV_2021 ? RV_SET_V3 : RV_SET_V21;
    for (u32 i = 0; i < RV_COUNT; i++)
        if ((word & rv_table[i].mask) == rv_table[i].match && rv_table[i].set != other) return &rv_table[i];
    return NULL;
}

i32 rv_csr(u32 number, enum rv_variant variant) {
    enum { B = 3, O = 1, N = 2 };
    static const struct {
        u16 first, last;
        u8 variants, kind;
    } rows[] = {
#define CSR(first, last, variants, kind) {first, last, variants, RV_CSR_##kind},
#include "riscv/csr.def"
#undef CSR
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++)
        if (number >= rows[i].first && number <= rows[i].last && rows[i].variants >> variant & 1)
            return (i32)(rows[i].kind | number << 8);
    return NONE;
}

/* --- text */

static const char *const x_names[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                      "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                      "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
static const char *const f_names[] = {"ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
                                      "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
                                      "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
static const char *const modes[] = {"rne", "rtz", "rdn", "rup", "rmm", "5", "6", "dyn"};

static void print_operand(char c, u32 w, u32 address, struct strbuf *out) {
    switch (c) {
    case 'd': strbuf_add(out, "%s", x_names[rv_rd(w)]); break;
    case 's': strbuf_add(out, "%s", x_names[rv_rs1(w)]); break;
    case 't': strbuf_add(out, "%s", x_names[rv_rs2(w)]); break;
    case 'D': strbuf_add(out, "%s", f_names[rv_rd(w)]); break;
    case 'S': strbuf_add(out, "%s", f_names[rv_rs1(w)]); break;
    case 'T': strbuf_add(out, "%s", f_names[rv_rs2(w)]); break;
    case 'R': strbuf_add(out, "%s", f_names[rv_rs3(w)]); break;
    case 'r': strbuf_add(out, "%s", x_names[rv_rs3(w)]); break;
    case 'k': strbuf_add(out, "%u", rv_funct2(w)); break;
    case 'i': strbuf_add(out, "%d", rv_imm_i(w)); break;
    case 'h': strbuf_add(out, "%u", rv_rs2(w)); break;
    case 'u': strbuf_add(out, "0x%x", w >> 12); break;
    case 'b': strbuf_add(out, "0x%x", address + (u32)rv_imm_b(w)); break;
    case 'j': strbuf_add(out, "0x%x", address + (u32)rv_imm_j(w)); break;
    case 'l': strbuf_add(out, "%d(%s)", rv_imm_i(w), x_names[rv_rs1(w)]); break;
    case 'n': strbuf_add(out, "%d(%s)", rv_imm_s(w), x_names[rv_rs1(w)]); break;
    case 'a': strbuf_add(out, "(%s)", x_names[rv_rs1(w)]); break;
    case 'c': strbuf_add(out, "0x%x", w >> 20); break;
    case 'z': strbuf_add(out, "%u", rv_rs1(w)); break;
    case 'v': strbuf_add(out, "%s", modes[rv_rm(w)]); break;
    default: strbuf_add(out, ", "); break;
    }
}

void rv_print(u32 word, const struct rv_row *row, u32 address, struct strbuf *out) {
    if (!row) {
        strbuf_add(out, ".word 0x%08x", word);
        return;
    }
    strbuf_add(out, "%s%s", row->name, *row->operands ? " " : "");
    for (const char *c = row->operands; *c; c++) print_operand(*c, word, address, out);
}
