/* A manifest on a simulated GPU: the one place where manifests and libheddle meet.
 *
 * Everything that can be wrong between the two (kernel names, argument counts and sizes) is found in
 * play_open, before the first launch, and named by its place in the manifest. */
#include "manifest/manifest.h"

#include <stdlib.h>
#include <string.h>

static int library_failed(struct play *p, int status) {
    const char *text = heddle_message(p->h);
    size_t n = strlen(text);
    strbuf_add(&p->diag.text, "%s%s", text, n && text[n - 1] == '\n' ? "" : "\n");
    p->diag.errors++;
    return status;
}

/* --- kernels and arguments */

static void fail_no_kernel(struct play *p, u32 launch) {
    const char *name = p->m->launches[launch].kernel;
    u32 n = heddle_module_kernels(p->module);
    const char **names = base_alloc(n * sizeof(*names));
    struct strbuf all = {0};
    u32 known = 0;
    for (u32 i = 0; i < n; i++) {
        struct heddle_kernel_info info = {0};
        heddle_kernel_info(p->h, heddle_module_kernel_at(p->module, i), &info);
        if (!info.name) continue;
        names[known++] = info.name;
        if (known <= 20) strbuf_add(&all, "%s%s", known > 1 ? ", " : "", info.name);
    }
    const char *near = text_nearest(name, names, known);
    if (near)
        diag_error(&p->diag, p->m->file, 0, 0, "launches[%u]: %s has no kernel \"%s\"; did you mean \"%s\"?", launch,
                   p->program_path, name, near);
    else
        diag_error(&p->diag, p->m->file, 0, 0, "launches[%u]: %s has no kernel \"%s\"; it has %s%s", launch, p->program_path,
                   name, all.s ? all.s : "none", known > 20 ? ", ..." : "");
    free(names);
    strbuf_free(&all);
}

/* Programs of 32-bit addresses take a buffer in a parameter of 4 bytes, and in those of images and samplers
 * the low half of a texture's handle */
static bool takes_texture(const struct heddle_param_info *param) {
    return param->size_b == 4 && strcmp(param->space, "tex") == 0;
}
static bool is_short_pointer(const struct manifest_arg *a, const struct heddle_param_info *param) {
    return param->size_b == 4 && (a->buffer >= 0 || (a->texture >= 0 && takes_texture(param)));
}

static void check_arg(struct play *p, u32 launch, u32 i) {
    const struct manifest_launch *l = &p->m->launches[launch];
    struct heddle_param_info param;
    if (heddle_kernel_param(p->h, p->launches[launch].kernel, i, &param)) return;
    if (takes_texture(&param) && l->args[i].texture < 0)
        diag_error(&p->diag, p->m->file, 0, 0,
                   "launches[%u].args[%u]: parameter %s of %s is an image or a sampler: give it a {\"texture\": name}", launch, i,
                   param.name, l->kernel);
    else if (param.size_b != l->args[i].size_b && !is_short_pointer(&l->args[i], &param))
        diag_error(&p->diag, p->m->file, 0, 0, "launches[%u].args[%u]: parameter %s of %s has %u bytes, the argument %u", launch,
                   i, param.name, l->kernel, param.size_b, l->args[i].size_b);
}

static int check_launch(struct play *p, u32 i) {
    const struct manifest_launch *l = &p->m->launches[i];
    p->launches[i].kernel = heddle_module_kernel(p->module, l->kernel);
    if (!p->launches[i].kernel) {
        fail_no_kernel(p, i);
        return HEDDLE_BAD_INPUT;
    }
    struct heddle_kernel_info info;
    int status = heddle_kernel_info(p->h, p->launches[i].kernel, &info);
    if (status) return library_failed(p, status);
    if (l->nargs != info.nparams)
        diag_error(&p->diag, p->m->file, 0, 0, "launches[%u]: kernel %s takes %u argument%s, \"args\" has %u", i, l->kernel,
                   info.nparams, info.nparams == 1 ? "" : "s", l->nargs);
    for (u32 k = 0; k < l->nargs && l->nargs == info.nparams; k++) check_arg(p, i, k);
    return p->diag.errors ? HEDDLE_BAD_INPUT : HEDDLE_OK;
}

/* --- buffers */

static int open_buffer(struct play *p, u32 i) {
    const struct manifest_buffer *b = &p->m->buffers[i];
    p->addr[i] = b->at ? heddle_alloc_at(p->h, b->at, b->bytes) : heddle_alloc(p->h, b->bytes);
    if (!p->addr[i] && b->at) {
        const char *text = heddle_message(p->h);
        diag_error(&p->diag, p->m->file, 0, 0, "buffers[%u]: \"%s\" cannot be placed: %.*s", i, b->name, (int)strcspn(text, "\n"),
                   text);
        return HEDDLE_BAD_INPUT;
    }
    if (!p->addr[i]) {
        diag_error(&p->diag, p->m->file, 0, 0, "buffers[%u]: no room on the device for \"%s\" (%llu bytes; %llu are in use)", i,
                   b->name, (unsigned long long)b->bytes, (unsigned long long)heddle_memory_used(p->h));
        return HEDDLE_BAD_INPUT;
    }
    p->init[i] = base_alloc_aligned(b->bytes);
    return manifest_fill(p->m, i, p->init[i], &p->diag) ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

static int open_texture(struct play *p, u32 i) {
    const struct manifest_texture *t = &p->m->textures[i];
    struct heddle_texture desc = t->desc;
    desc.address = t->buffer >= 0 ? p->addr[t->buffer] + t->offset_b : 0;
    int status = t->ref ? heddle_texture_bind(p->h, p->module, t->ref, &desc)
                        : heddle_texture_new(p->h, (enum heddle_texture_kind)t->kind, &desc, &p->handle[i]);
    if (!status) return HEDDLE_OK;
    const char *text = heddle_message(p->h);
    diag_error(&p->diag, p->m->file, 0, 0, "textures[%u]: %.*s", i, (int)strcspn(text, "\n"), text);
    return status;
}

int play_reset(struct play *p) {
    for (u32 i = 0; i < p->m->nbuffers; i++) {
        int status = heddle_write(p->h, p->addr[i], p->init[i], p->m->buffers[i].bytes);
        if (status) return library_failed(p, status);
    }
    return HEDDLE_OK;
}

/* --- opening and running */

static int open_module(struct play *p, const char *path) {
    p->program_path = p->m->image ? strdup(p->m->image_name) : path ? strdup(path) : manifest_program_path(p->m, &p->diag);
    if (!p->program_path) return HEDDLE_BAD_INPUT;
    int status = p->m->image ? heddle_module_load(p->h, p->m->image_name, p->m->image, p->m->image_b, &p->module)
                             : heddle_module_load_file(p->h, p->program_path, &p->module);
    return status ? library_failed(p, status) : HEDDLE_OK;
}

int play_open(struct play *p, const struct manifest *m, const char *path, const struct heddle_options *opt,
              const struct config *machine) {
    *p = (struct play){.m = m};
    p->addr = base_alloc(m->nbuffers * sizeof(*p->addr));
    p->handle = base_alloc(m->ntextures * sizeof(*p->handle));
    p->init = base_alloc(m->nbuffers * sizeof(*p->init));
    p->launches = base_alloc(m->nlaunches * sizeof(*p->launches));
    p->h = heddle_open(opt);
    if (!p->h) {
        diag_error(&p->diag, NULL, 0, 0, "options out of range: the warp size must be 1 to 64");
        return HEDDLE_BAD_INPUT;
    }
    if (machine) heddle_set_config(p->h, machine); /* before kernels are looked at: they are ordered for it */
    int status = open_module(p, path);
    for (u32 i = 0; i < m->nlaunches && !status; i++) status = check_launch(p, i);
    for (u32 i = 0; i < m->nbuffers && !status; i++) status = open_buffer(p, i);
    for (u32 i = 0; i < m->ntextures && !status; i++) status = open_texture(p, i);
    return status ? status : play_reset(p);
}

static int fill_args(struct play *p, u32 launch, struct heddle_arg *args) {
    const struct manifest_launch *l = &p->m->launches[launch];
    for (u32 k = 0; k < l->nargs; k++) {
        const struct manifest_arg *a = &l->args[k];
        struct heddle_param_info param;
        const void *data = a->buffer >= 0    ? (const void *)&p->addr[a->buffer]
                           : a->texture >= 0 ? (const void *)&p->handle[a->texture]
                                             : a->bytes;
        args[k] = (struct heddle_arg){data, a->size_b};
        int status = heddle_kernel_param(p->h, p->launches[launch].kernel, k, &param);
        if (status) return library_failed(p, status);
        if (!is_short_pointer(a, &param)) continue;
        args[k].size_b = 4; /* the low half comes first */
        if (a->texture >= 0 || p->addr[a->buffer] + p->m->buffers[a->buffer].bytes <= 1ull << 32) continue;
        diag_error(&p->diag, p->m->file, 0, 0,
                   "launches[%u].args[%u]: buffer \"%s\" ends above 4 GiB, which the 4 bytes of parameter %s cannot say; "
                   "make the buffers smaller",
                   launch, k, p->m->buffers[a->buffer].name, param.name);
        return HEDDLE_BAD_INPUT;
    }
    return HEDDLE_OK;
}

int play_launch(struct play *p, u32 i) {
    const struct manifest_launch *l = &p->m->launches[i];
    struct heddle_arg *args = base_alloc(l->nargs * sizeof(*args));
    int status = fill_args(p, i, args);
    if (status) {
        free(args);
        return status;
    }
    struct heddle_launch h = {.dynamic_shared_b = l->dynamic_shared_b, .args = args, .nargs = l->nargs};
    h.registers = p->registers ? p->registers : l->registers;
    h.local_free = l->local_free;
    h.uniform_barriers = l->uniform_barriers;
    memcpy(h.grid, l->grid, sizeof(h.grid));
    memcpy(h.block, l->block, sizeof(h.block));
    status = heddle_launch(p->h, p->launches[i].kernel, &h, &p->launches[i].result);
    free(args);
    if (!status) {
        p->launches[i].done = true;
        return HEDDLE_OK;
    }
    if (status == HEDDLE_STOPPED) return status; /* nobody's mistake */
    library_failed(p, status);
    diag_note(&p->diag, p->m->file, 0, 0, "in launches[%u]", i);
    return status;
}

int play_read(struct play *p, u32 buffer, void *data) {
    int status = heddle_read(p->h, p->addr[buffer], data, p->m->buffers[buffer].bytes);
    return status ? library_failed(p, status) : HEDDLE_OK;
}

/* --- comparing */

static void **new_copies(const struct play *p, bool initial) {
    void **data = base_alloc(p->m->nbuffers * sizeof(*data));
    for (u32 i = 0; i < p->m->nbuffers; i++) {
        data[i] = base_alloc_aligned(p->m->buffers[i].bytes);
        if (initial) memcpy(data[i], p->init[i], p->m->buffers[i].bytes);
    }
    return data;
}

static void free_copies(const struct play *p, void **data) {
    for (u32 i = 0; data && i < p->m->nbuffers; i++) free(data[i]);
    free(data);
}

static int run_reference(struct play *p, workload_reference_fn *reference, void **want) {
    if (!reference) {
        diag_error(&p->diag, p->m->file, 0, 0, "expect: there is no CPU reference for it");
        return HEDDLE_BAD_INPUT;
    }
    struct workload_buffers b = {p->m->nbuffers, base_alloc(p->m->nbuffers * sizeof(*b.buf))};
    for (u32 i = 0; i < b.n; i++) {
        const struct manifest_buffer *mb = &p->m->buffers[i];
        b.buf[i] = (struct workload_buffer){mb->name, mb->type->name, mb->count, mb->bytes, want[i]};
    }
    bool known = reference(&b);
    free(b.buf);
    if (!known)
        diag_error(&p->diag, p->m->file, 0, 0, "the CPU reference does not know these buffers: names, types or counts differ");
    return known ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

int play_compare(struct play *p, workload_reference_fn *reference, struct outcome *o) {
    bool by_reference = p->m->expect.mode == EXPECT_REFERENCE;
    void **data = new_copies(p, false), **want = by_reference ? new_copies(p, true) : NULL;
    int status = HEDDLE_OK;
    for (u32 i = 0; i < p->m->nbuffers && !status; i++) status = play_read(p, i, data[i]);
    if (!status && by_reference) status = run_reference(p, reference, want);
    if (!status) manifest_compare(p->m, data, want, o);
    free_copies(p, data);
    free_copies(p, want);
    return status;
}

void play_close(struct play *p) {
    if (p->h && p->module) heddle_module_free(p->h, p->module);
    if (p->h) heddle_close(p->h);
    for (u32 i = 0; p->init && i < p->m->nbuffers; i++) free(p->init[i]);
    free(p->init);
    free(p->addr);
    free(p->handle);
    free(p->launches);
    free(p->program_path);
    diag_free(&p->diag);
}
