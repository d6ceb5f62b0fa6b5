/* layout: where the front end (src/riscv/kernels.c) leaves a launch for the runtime, and where the runtime
 * keeps what a hardware thread knows of its work-item. Read by the assembler, by clang for riscv32 and by
 * the front end, so there is nothing but numbers here: offsets in bytes of 32-bit words. */
#ifndef HEDDLE_RISCV_LAYOUT_H
#define HEDDLE_RISCV_LAYOUT_H

#define LAUNCH_AT                0x7FFF0000 /* the launch: the argument area of programs for Vortex of 2021 */

#define LAUNCH_ENTRY             0  /* the kernel's function: runs a group, or one item where there are barriers */
#define LAUNCH_GROUPS            4  /* groups in all */
#define LAUNCH_COUNT             8  /* groups in x, y and z */
#define LAUNCH_SIZE              20 /* items of a group in x, y and z */
#define LAUNCH_ITEMS             32 /* of a group */
#define LAUNCH_DIMS              36
#define LAUNCH_MAP               40 /* MAP_ */
#define LAUNCH_COROUTINES        44 /* items are coroutines: the kernel has barriers */
#define LAUNCH_DISTRIBUTION      48 /* DISTRIBUTION_ */
#define LAUNCH_NEXT              52 /* dynamic: the next group */
#define LAUNCH_THREAD_AT         56 /* a hardware thread's own memory (its item, then __local objects): the first thread's, */
#define LAUNCH_THREAD_B          60 /* and bytes of each */
#define LAUNCH_STACK_AT          64 /* the end of the first thread's stack, */
#define LAUNCH_STACK_B           68 /* bytes of each, */
#define LAUNCH_STACK_CORE        72 /* and whether each core has its own place for them (shared memory) */
#define LAUNCH_SLOTS_AT          76 /* coroutines: stacks of items, the first thread's, */
#define LAUNCH_SLOTS_B           80 /* bytes of all those of a thread, */
#define LAUNCH_SLOT_B            84 /* and of one */
#define LAUNCH_ROUNDS            88 /* items that a thread goes through, one after the other */
#define LAUNCH_CORE_AT           92 /* lanes: words that a core's warps share, CORE_B bytes each core */
#define LAUNCH_ARGUMENTS         128
#define LAUNCH_IMAGES            0xF000 /* descriptors of images, DESCRIPTOR_B bytes for each argument */
#define DESCRIPTOR_B             64

#define MAP_GROUP                0
#define MAP_LANES                1

#define DISTRIBUTION_STATIC      0
#define DISTRIBUTION_STATIC_2021 1
#define DISTRIBUTION_DYNAMIC     2

#define CORE_MORE                0  /* three words: items wait at a barrier, by phase modulo 3 */
#define CORE_NEXT                12 /* dynamic: the group that is next */
#define CORE_B                   64

/* Before the address in tp */
#define ITEM_B         256
#define ITEM_LOCAL     0  /* local id in x, y and z */
#define ITEM_FIRST     12 /* global id of the group's first item */
#define ITEM_GROUP     24 /* group id */
#define ITEM_LINEAR    36 /* number in its group */
#define ITEM_THREAD    40 /* lanes: the hardware thread's number in its core */
#define ITEM_ROUND     44 /* the item's number among those of its thread */
#define ITEM_SLOT      48 /* coroutines: the end of the item's stack */
#define ITEM_MAIN_SP   52 /* coroutines: the scheduler's own, while an item runs */
#define ITEM_MAIN_RA   56
#define ITEM_THREADS   60 /* lanes: of a core */

#define ITEM_EXIT      64 /* words in which loops with several ways out write down by which one (place.c) */
#define ITEM_EXITS     48 /* so many; the last are of support.c */

#define NEST_WORDS     448 /* v3 with split, before those: depths and masks of open splits and loops (place.c), all near tp */

#define STATUS_BARRIER 97 /* exit status: a barrier that not all items of a group came to */

#endif
