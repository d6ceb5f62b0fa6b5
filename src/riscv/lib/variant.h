/* variant: what programs say in one way for Vortex of 2021 and in another for v3 (HEDDLE_V3). start.S and
 * dispatch.c are compiled once for each; nothing else of the runtime has Vortex's own instructions. Macros of
 * instructions take registers, in assembly and, as TEXT(TMC(%0)) of dispatch.c, in C. */
#ifndef HEDDLE_RISCV_VARIANT_H
#define HEDDLE_RISCV_VARIANT_H

#define CSR_LANE   0xCC0 /* in its warp */
#define CSR_MASK   0xCC4
#define CSR_NLANES 0xFC0
#define CSR_NWARPS 0xFC1
#define CSR_NCORES 0xFC2

#ifdef HEDDLE_V3
#define CSR_WARP               0xCC1 /* in its core */
#define CSR_CORE               0xCC2
#define CSR_HART               0xF14 /* in the machine */
#define TMC(mask)              .insn r 0x0b, 0, 0, x0, mask, x0
#define WSPAWN(count, pc)      .insn r 0x0b, 1, 0, x0, count, pc
#define BAR(id, count)         .insn r 0x0b, 4, 0, x0, id, count
#define PRED(holds, otherwise) .insn r 0x0b, 5, 0, x0, holds, otherwise
#define READ_THREAD(to, beside)                                                                                                  \
    csrr to, CSR_WARP;                                                                                                           \
    csrr beside, CSR_NLANES;                                                                                                     \
    mul to, to, beside;                                                                                                          \
    csrr beside, CSR_LANE;                                                                                                       \
    add to, to, beside
#else
#define CSR_THREAD              0xCC1 /* in its core */
#define CSR_HART                0xCC2
#define CSR_WARP                0xCC3
#define CSR_CORE                0xCC5
#define TMC(mask)               .insn s 0x6b, 0, x0, 0(mask)
#define WSPAWN(count, pc)       .insn s 0x6b, 1, pc, 0(count)
#define BAR(id, count)          .insn s 0x6b, 4, count, 0(id)
#define PRED(holds)             .insn s 0x6b, 0, x1, 0(holds)
#define READ_THREAD(to, beside) csrr to, CSR_THREAD
#endif

#endif
