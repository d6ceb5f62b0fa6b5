/* Where a launch begins, and coroutines: work-items of kernels with barriers, each with a stack of its own.
 *
 * Warp 0 of every core begins here with one lane on, starts the other warps, and each switches its lanes on,
 * gives them their stacks and memory, and goes to dispatch.c. A core has ended when its last warp has.
 *
 * A scheduler (dispatch.c) starts or resumes one item after the other. An item comes back when it ends (0 in
 * a0) or at a barrier (1), where it leaves what a function has to preserve on its own stack, and sp at the
 * end of its slot; 0 there means that it has ended. */
#include "layout.h"
#include "variant.h"

    .file 1 "." "heddle-runtime/start.S" /* lines of the runtime are known by its folder; one a function will do */
    .section .text.start, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    .loc 1 1
    csrr t0, CSR_NWARPS
    la t1, warp_start
    WSPAWN(t0, t1)
warp_start:
    li t0, -1
    TMC(t0)                             /* all lanes */
    li gp, 0                            /* the exit status */
    li s0, LAUNCH_AT
    csrr t0, CSR_HART
    lw t1, LAUNCH_THREAD_B(s0)
    mul t1, t1, t0
    lw t2, LAUNCH_THREAD_AT(s0)
    add tp, t1, t2
    addi tp, tp, ITEM_B
    lw t3, LAUNCH_STACK_CORE(s0)
    READ_THREAD(t4, t5)
    beqz t3, 1f                         /* all lanes alike: it is one word in memory */
    mv t0, t4
1:  lw t1, LAUNCH_STACK_B(s0)
    mul t1, t1, t0
    lw sp, LAUNCH_STACK_AT(s0)
    sub sp, sp, t1
    sw t4, ITEM_THREAD-ITEM_B(tp)
    call heddle_dispatch
    TMC(x0)                             /* no lane */
    .size _start, . - _start

    .macro STATE op, fop                /* ra, s0 to s11, fs0 to fs11 */
    \op ra, 0(sp)
    \op s0, 4(sp)
    \op s1, 8(sp)
    \op s2, 12(sp)
    \op s3, 16(sp)
    \op s4, 20(sp)
    \op s5, 24(sp)
    \op s6, 28(sp)
    \op s7, 32(sp)
    \op s8, 36(sp)
    \op s9, 40(sp)
    \op s10, 44(sp)
    \op s11, 48(sp)
    \fop fs0, 52(sp)
    \fop fs1, 56(sp)
    \fop fs2, 60(sp)
    \fop fs3, 64(sp)
    \fop fs4, 68(sp)
    \fop fs5, 72(sp)
    \fop fs6, 76(sp)
    \fop fs7, 80(sp)
    \fop fs8, 84(sp)
    \fop fs9, 88(sp)
    \fop fs10, 92(sp)
    \fop fs11, 96(sp)
    .endm
#define STATE_B 112

    .text
/* u32 heddle_item_start(void): the item of ITEM_SLOT, from its beginning */
    .globl heddle_item_start
    .type heddle_item_start, @function
heddle_item_start:
    .loc 1 2
    sw sp, ITEM_MAIN_SP-ITEM_B(tp)
    sw ra, ITEM_MAIN_RA-ITEM_B(tp)
    lw sp, ITEM_SLOT-ITEM_B(tp)
    addi sp, sp, -16
    li t0, LAUNCH_AT
    lw t0, LAUNCH_ENTRY(t0)
    jalr t0
    lw t0, ITEM_SLOT-ITEM_B(tp)         /* it has ended, in whatever phase */
    sw zero, -4(t0)
    lw sp, ITEM_MAIN_SP-ITEM_B(tp)
    lw ra, ITEM_MAIN_RA-ITEM_B(tp)
    li a0, 0
    ret
    .size heddle_item_start, . - heddle_item_start

/* u32 heddle_item_resume(void): the item of ITEM_SLOT, behind the barrier it waits at */
    .globl heddle_item_resume
    .type heddle_item_resume, @function
heddle_item_resume:
    .loc 1 3
    sw sp, ITEM_MAIN_SP-ITEM_B(tp)
    sw ra, ITEM_MAIN_RA-ITEM_B(tp)
    lw t0, ITEM_SLOT-ITEM_B(tp)
    lw sp, -4(t0)
    beqz sp, ended
    STATE lw, flw
    addi sp, sp, STATE_B
    ret
ended:                                  /* others of its group wait at a barrier that it never came to */
    li gp, STATUS_BARRIER
    ecall
    .size heddle_item_resume, . - heddle_item_resume

/* void barrier(cl_mem_fence_flags) */
    .globl _Z7barrierj
    .type _Z7barrierj, @function
_Z7barrierj:
    .loc 1 4
    fence
    addi sp, sp, -STATE_B
    STATE sw, fsw
    lw t0, ITEM_SLOT-ITEM_B(tp)
    sw sp, -4(t0)
    lw sp, ITEM_MAIN_SP-ITEM_B(tp)
    lw ra, ITEM_MAIN_RA-ITEM_B(tp)
    li a0, 1
    ret
    .size _Z7barrierj, . - _Z7barrierj
