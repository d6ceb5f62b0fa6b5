/* What instructions do to registers and memory: the machines ask here, so that they agree. Integers of 64
 * bits that wrap; memory is words.
 *
 * Does not model time. Vector instructions work on VLEN elements, VSTR words apart, where VMASK has a one;
 * comparisons set VMASK for every element of VLEN. Packed registers are 64 bits. */
#include "lab/lab.h"

#include <stdlib.h>
#include <string.h>

void lab_state_init(struct lab_state *s, const struct lab_program *p) {
    memset(s, 0, sizeof(*s));
    memcpy(s->reg, p->reg, sizeof(s->reg));
    s->nwords = p->nwords;
    s->words = base_alloc((size_t)p->nwords * sizeof(i64));
    memcpy(s->words, p->words, (size_t)p->nwords * sizeof(i64));
}

void lab_state_free(struct lab_state *s) {
    free(s->words);
    s->words = NULL;
}

bool lab_is_branch(const struct lab_inst *in) { return lab_ops[in->op].unit == LAB_BRANCH; }
bool lab_is_vector(const struct lab_inst *in) { return in->op >= LOP_VADD && in->op <= LOP_VSCATTER; }
bool lab_is_packed(const struct lab_inst *in) { return in->op >= LOP_MOVQ && in->op <= LOP_PXOR; }

static i64 shift_right(i64 a, i64 b) { return a >> MIN((u64)b, 63u); }

i64 lab_alu(enum lab_op op, i64 a, i64 b, const char **fault) {
    u64 x = (u64)a, y = (u64)b;
    switch (op) {
    case LOP_ADD:
    case LOP_VADD: return (i64)(x + y);
    case LOP_SUB:
    case LOP_VSUB: return (i64)(x - y);
    case LOP_SLT: return a < b;
    case LOP_SEQ: return a == b;
    case LOP_MUL:
    case LOP_IMUL:
    case LOP_VMUL: return (i64)(x * y);
    case LOP_DIV:
        if (b == 0) *fault = "division by zero";
        return b == 0 ? 0 : b == -1 ? (i64)(0 - x) : a / b;
    case LOP_AND: return a & b;
    case LOP_OR: return a | b;
    case LOP_XOR: return a ^ b;
    case LOP_SHFR:
    case LOP_VSHFR: return shift_right(a, b);
    case LOP_SHFL: return y > 63 ? 0 : (i64)(x << y);
    default: return b; /* MOV, MOVI, MOVA, VMOV */
    }
}

bool lab_taken(enum lab_op op, i64 a, i64 b) {
    switch (op) {
    case LOP_BEQ: return a == b;
    case LOP_BNE: return a != b;
    case LOP_BLT: return a < b;
    case LOP_BGE: return a >= b;
    case LOP_BNZ: return a != 0;
    case LOP_BEZ: return a == 0;
    case LOP_DECBNZ: return a != 1; /* decremented: not zero */
    case LOP_J: return true;
    default: return false;
    }
}

static u64 packed_lane(enum lab_op op, u64 a, u64 b, u64 ones) {
    switch (op) {
    case LOP_PADDB:
    case LOP_PADDW:
    case LOP_PADDD: return (a + b) & ones;
    default: return a == b ? ones : 0; /* PCMPEQ */
    }
}

i64 lab_packed(enum lab_op op, i64 sa, i64 sb) {
    u64 a = (u64)sa, b = (u64)sb, out = 0;
    switch (op) {
    case LOP_PAND: return (i64)(a & b);
    case LOP_PANDN: return (i64)(~a & b);
    case LOP_POR: return (i64)(a | b);
    case LOP_PXOR: return (i64)(a ^ b);
    case LOP_MOVQR: return sa;
    default: break;
    }
    u32 bits = op == LOP_PADDB || op == LOP_PCMPEQB ? 8 : op == LOP_PADDW || op == LOP_PCMPEQW ? 16 : 32;
    u64 ones = (1ull << bits) - 1;
    for (u32 i = 0; i < 64; i += bits) out |= packed_lane(op, a >> i & ones, b >> i & ones, ones) << i;
    return (i64)out;
}

static const char bad_address[] = "address outside of memory";

static i64 *word_at(struct lab_state *s, i64 address, struct lab_effect *e) {
    if (address >= 0 && address < s->nwords) return &s->words[address];
    e->fault = bad_address;
    return NULL;
}

static i64 base_address(const struct lab_state *s, const struct lab_inst *in) {
    return (i64)((u64)in->offset + (in->base == REG_NONE ? 0 : (u64)s->reg[in->base]));
}

static void vector_memory(struct lab_state *s, const struct lab_inst *in, struct lab_effect *e) {
    u32 n = (u32)s->reg[REG_VLEN];
    for (u32 i = 0; i < n && !e->fault; i++) {
        if (!((u64)s->reg[REG_VMASK] >> i & 1)) continue;
        u64 step = in->index != REG_NONE ? (u64)s->v[in->index - REG_V][i] : (u64)i * (u64)s->reg[REG_VSTR];
        i64 *w = word_at(s, (i64)((u64)base_address(s, in) + step), e);
        if (!w) return;
        if (in->dst != REG_NONE) s->v[in->dst - REG_V][i] = *w;
        else *w = s->v[in->src[0] - REG_V][i];
    }
}

static bool element_holds(enum lab_op op, i64 a, i64 b) {
    return op == LOP_VSEQ ? a == b : op == LOP_VSNE ? a != b : op == LOP_VSGE ? a >= b : a < b;
}

static i64 element_of(const struct lab_state *s, u8 reg, i64 imm, u32 i) {
    return reg == REG_NONE ? imm : reg >= REG_V ? s->v[reg - REG_V][i] : s->reg[reg];
}

static void vector_alu(struct lab_state *s, const struct lab_inst *in, struct lab_effect *e) {
    u32 n = (u32)s->reg[REG_VLEN];
    u64 mask = (u64)s->reg[REG_VMASK];
    bool compares = in->op >= LOP_VSEQ && in->op <= LOP_VSLT;
    if (in->op == LOP_VNOTM) {
        s->reg[REG_VMASK] = (i64)~mask;
        return;
    }
    for (u32 i = 0; i < n; i++) {
        i64 a = element_of(s, in->src[0], in->imm, i), b = element_of(s, in->src[1], in->imm, i);
        if (compares) mask = (mask & ~(1ull << i)) | (u64)element_holds(in->op, a, b) << i;
        else if (mask >> i & 1) s->v[in->dst - REG_V][i] = lab_alu(in->op, a, in->op == LOP_VMOV ? a : b, &e->fault);
    }
    s->reg[REG_VMASK] = (i64)mask;
}

static void write_reg(struct lab_state *s, u8 reg, i64 x, u32 vlen_max, struct lab_effect *e) {
    if (reg == REG_VLEN && (x < 0 || x > vlen_max)) {
        e->fault = "VLEN must be from 0 to the machine's vector length; SETVL takes the smaller of the two";
        return;
    }
    s->reg[reg] = x;
}

static void scalar_memory(struct lab_state *s, const struct lab_inst *in, u32 vlen_max, struct lab_effect *e) {
    e->address = base_address(s, in);
    i64 *w = word_at(s, e->address, e);
    if (!w) return;
    if (in->dst != REG_NONE) write_reg(s, in->dst, *w, vlen_max, e);
    else *w = s->reg[in->src[0]];
    if (in->postinc) s->reg[in->base] = (i64)((u64)s->reg[in->base] + 1);
}

struct lab_effect lab_step(struct lab_state *s, const struct lab_inst *in, u32 vlen_max) {
    struct lab_effect e = {0};
    i64 a = in->src[0] == REG_NONE ? in->imm : in->src[0] >= REG_V ? 0 : s->reg[in->src[0]];
    i64 b = in->src[1] == REG_NONE ? in->imm : in->src[1] >= REG_V ? 0 : s->reg[in->src[1]];
    enum lab_unit unit = lab_ops[in->op].unit;
    if (lab_is_branch(in)) {
        e.taken = lab_taken(in->op, a, b);
        if (in->op == LOP_DECBNZ) s->reg[in->dst] = (i64)((u64)a - 1);
    } else if (lab_is_vector(in)) {
        if (unit == LAB_LOAD || unit == LAB_STORE) vector_memory(s, in, &e);
        else vector_alu(s, in, &e);
    } else if (unit == LAB_LOAD || unit == LAB_STORE) {
        scalar_memory(s, in, vlen_max, &e);
    } else if (lab_is_packed(in)) {
        s->reg[in->dst] = lab_packed(in->op, a, b);
    } else if (in->op == LOP_SETVL) {
        s->reg[REG_VLEN] = a < 0 ? 0 : MIN(a, (i64)vlen_max);
        s->reg[in->dst] = s->reg[REG_VLEN];
    } else if (in->op != LOP_NOP) {
        bool one = in->op == LOP_MOV || in->op == LOP_MOVI || in->op == LOP_MOVA;
        i64 x = lab_alu(in->op, a, one ? a : b, &e.fault);
        if (!e.fault) write_reg(s, in->dst, x, vlen_max, &e);
    }
    return e;
}

u32 lab_reads(const struct lab_inst *in, u8 out[8]) {
    u32 n = 0;
    for (u32 i = 0; i < 2; i++)
        if (in->src[i] != REG_NONE) out[n++] = in->src[i];
    if (in->base != REG_NONE) out[n++] = in->base;
    if (in->index != REG_NONE) out[n++] = in->index;
    if (lab_is_vector(in)) {
        out[n++] = REG_VLEN;
        out[n++] = REG_VMASK;
        if (in->op == LOP_VLD || in->op == LOP_VST) out[n++] = REG_VSTR;
    }
    return n;
}

u32 lab_writes(const struct lab_inst *in, u8 out[4]) {
    u32 n = 0;
    if (in->dst != REG_NONE) out[n++] = in->dst;
    if (in->postinc) out[n++] = in->base;
    if (in->op == LOP_SETVL) out[n++] = REG_VLEN;
    if (in->op >= LOP_VSEQ && in->op <= LOP_VNOTM) out[n++] = REG_VMASK;
    return n;
}

u32 lab_interpret(const struct lab_program *p, struct lab_state *s, u32 max, const char **fault) {
    u32 pc = 0, n = 0;
    while (pc < p->code.n && n < max) {
        const struct lab_inst *in = &p->code.at[pc];
        if (in->op == LOP_HALT) break;
        struct lab_effect e = lab_step(s, in, LAB_VLEN_MAX);
        n++;
        if (e.fault) {
            *fault = e.fault;
            return n;
        }
        pc = e.taken ? (u32)in->target : pc + 1;
    }
    return n;
}
