/* What the loop around a kernel without barriers calls (src/riscv/wrap.c writes that loop). */
#ifdef __riscv /* the host's compilers see nothing of this file */
#include "items.h"

u32 heddle_loop_next(void);
u32 heddle_loop_has(void);
u32 heddle_loop_round(void);

__attribute__((always_inline)) u32 heddle_loop_next(void) { return heddle_item_next(); }
__attribute__((always_inline)) u32 heddle_loop_has(void) { return heddle_round_has(); }
__attribute__((always_inline)) u32 heddle_loop_round(void) { return heddle_round_next(); }

#endif
