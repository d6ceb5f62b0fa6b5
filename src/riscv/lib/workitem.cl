/* OpenCL C's work-item functions: words of the item and of the launch (layout.h). */
#include "layout.h"

#define LAUNCH(word) (*(__constant const uint *)(LAUNCH_AT + (word)))
#define ITEM(word)   (*(__private uint *)((size_t)__builtin_thread_pointer() - ITEM_B + (word)))
#define OVERLOAD     __attribute__((overloadable))

uint OVERLOAD get_work_dim(void) { return LAUNCH(LAUNCH_DIMS); }
size_t OVERLOAD get_local_id(uint d) { return d < 3 ? ITEM(ITEM_LOCAL + 4 * d) : 0; }
size_t OVERLOAD get_group_id(uint d) { return d < 3 ? ITEM(ITEM_GROUP + 4 * d) : 0; }
size_t OVERLOAD get_global_id(uint d) { return d < 3 ? ITEM(ITEM_FIRST + 4 * d) + ITEM(ITEM_LOCAL + 4 * d) : 0; }
size_t OVERLOAD get_local_size(uint d) { return d < 3 ? LAUNCH(LAUNCH_SIZE + 4 * d) : 1; }
size_t OVERLOAD get_num_groups(uint d) { return d < 3 ? LAUNCH(LAUNCH_COUNT + 4 * d) : 1; }
size_t OVERLOAD get_global_size(uint d) { return get_num_groups(d) * get_local_size(d); }
size_t OVERLOAD get_global_offset(uint d) { return 0; }

void OVERLOAD mem_fence(cl_mem_fence_flags flags) { __asm__ volatile("fence" ::: "memory"); }
void OVERLOAD read_mem_fence(cl_mem_fence_flags flags) { __asm__ volatile("fence" ::: "memory"); }
void OVERLOAD write_mem_fence(cl_mem_fence_flags flags) { __asm__ volatile("fence" ::: "memory"); }
