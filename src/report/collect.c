/* Adding up launches: per kernel and for the whole run. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static struct report_kernel *find_kernel(struct report *r, u32 launch) {
    const struct manifest_launch *l = &r->play->m->launches[launch];
    for (u32 i = 0; i < r->nkernels; i++)
        if (strcmp(r->kernels[i].name, l->kernel) == 0) return &r->kernels[i];
    struct report_kernel *k = &r->kernels[r->nkernels++];
    k->name = l->kernel;
    k->first = l;
    heddle_kernel_info(r->play->h, r->play->launches[launch].kernel, &k->info);
    return k;
}

static void add_launch(struct report *r, u32 i) {
    const struct heddle_result *res = &r->play->launches[i].result;
    const struct manifest_launch *l = &r->play->m->launches[i];
    struct report_kernel *k = find_kernel(r, i);
    k->launches++;
    k->threads += res->threads;
    k->warp_instructions += res->warp_instructions;
    k->thread_instructions += res->thread_instructions;
    if (memcmp(l->grid, k->first->grid, sizeof(l->grid))) k->grid_varies = true;
    if (memcmp(l->block, k->first->block, sizeof(l->block))) k->block_varies = true;
    r->threads += res->threads;
    r->warp_instructions += res->warp_instructions;
    r->thread_instructions += res->thread_instructions;
    r->wall_seconds += res->wall_seconds;
    for (u32 c = 0; c < HEDDLE_MAX_CLASSES; c++) r->class_warp_instructions[c] += res->class_warp_instructions[c];
}

void report_collect(struct report *r) {
    r->kernels = base_alloc(r->play->m->nlaunches * sizeof(*r->kernels));
    for (u32 i = 0; i < r->play->m->nlaunches; i++)
        if (r->play->launches[i].done) add_launch(r, i);
}

void report_free(struct report *r) { free(r->kernels); }

double report_rate(const struct report *r) { return r->wall_seconds > 0 ? (double)r->warp_instructions / r->wall_seconds : 0; }
