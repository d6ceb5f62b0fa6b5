/* The PTX front end: tells PTX from other files, places a module's variables, and lowers its entries for a
 * machine.
 *
 * Functions have addresses in a window of their own (FUNC_WINDOW), the same ones in every module: an indirect
 * call finds its function among those of the kernel that runs. */
#include "ptx/ptx.h"

#include "config/config.h"
#include "func/texture.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct program {
    struct ptx_module *m;
    u32 nentries;
    struct ptx_func **entries; /* with a body, in order */
};

/* --- recognising */

/* Past one comment or white space at *at; false when neither is there */
static bool skip_one(const u8 *s, size_t n, size_t *at) {
    if (*at < n && isspace(s[*at])) return ++*at, true;
    if (n - *at < 2 || s[*at] != '/' || (s[*at + 1] != '/' && s[*at + 1] != '*')) return false;
    bool line = s[*at + 1] == '/';
    const u8 *end = line ? memchr(s + *at, '\n', n - *at) : memmem(s + *at + 2, n - *at - 2, "*/", 2);
    *at = !end ? n : (size_t)(end - s) + (line ? 1 : 2);
    return true;
}

static bool recognise(const u8 *bytes, size_t n) {
    static const char first[] = ".version";
    size_t at = 0;
    while (skip_one(bytes, n, &at)) {}
    return n - at >= strlen(first) && memcmp(bytes + at, first, strlen(first)) == 0;
}

/* --- variables of module and function scope that live in global or constant memory */

static bool lives_in_memory(const struct ptx_var *v) { return v->space == SPACE_GLOBAL || v->space == SPACE_CONST; }

static bool is_reference(const struct ptx_var *v) { return v->space == SPACE_TEX && v->opaque; }

/* One `name = value` of a reference's initialiser */
static void apply_field(struct tex_sampler *s, const struct ptx_field *f) {
    static const char *const axes[] = {"addr_mode_0", "addr_mode_1", "addr_mode_2"};
    bool yes = f->word ? strcmp(f->word, "true") == 0 || strcmp(f->word, "linear") == 0 : f->number != 0;
    if (strcmp(f->name, "filter_mode") == 0) s->linear = yes;
    if (strcmp(f->name, "normalized_coords") == 0) s->normalized = yes;
    if (strcmp(f->name, "force_unnormalized_coords") == 0) s->normalized = !yes;
    for (u32 i = 0; i < 3; i++)
        for (u8 a = 0; strcmp(f->name, axes[i]) == 0 && a < TEX_ADDRESS_COUNT; a++) {
            bool ogl = f->word && strcmp(f->word, "clamp_ogl") == 0 && a == TEX_clamp;
            if (ogl || (f->word ? strcmp(f->word, tex_addresses[a].spelling) == 0 : f->number == tex_addresses[a].query))
                s->address[i] = a;
        }
}

/* A reference has an entry in the table of textures, bound to nothing yet; a sampler is all there */
static void place_reference(struct memory *mem, struct ptx_var *v) {
    if (!mem->textures || v->linkage == LINK_EXTERN) return;
    struct tex_object o = tex_object_new((enum tex_object_kind)v->opaque);
    o.name = v->name;
    o.bound = v->opaque == PTX_SAMPLERREF;
    for (const struct ptx_field *f = v->fields; f; f = f->next) apply_field(&o.sampler, f);
    o.declared = o.sampler;
    v->address = tex_handle(tex_add(mem->textures, &o));
    v->placed = true;
}

static bool place_var(struct memory *mem, struct ptx_var *v) {
    if (is_reference(v)) place_reference(mem, v);
    if (!lives_in_memory(v)) return true;
    if (v->linkage == LINK_EXTERN) return true; /* reported when an instruction uses it */
    v->address = memory_alloc(mem, v->size_b, v->align_b, OWNER_MODULE, v->space == SPACE_CONST);
    if (!v->address) return false;
    v->placed = true;
    if (v->init) memcpy(memory_host(mem, v->address, v->size_b), v->init, v->size_b);
    return true;
}

static void unplace_var(struct memory *mem, const struct ptx_var *v) {
    struct tex_object *o = v->placed && is_reference(v) ? tex_find(mem->textures, v->address) : NULL;
    if (o) *o = (struct tex_object){0};
    if (v->placed && lives_in_memory(v)) memory_free(mem, v->address, OWNER_MODULE);
}

static void relocate(struct memory *mem, const struct ptx_var *v) {
    if (!v->placed || !lives_in_memory(v)) return;
    u8 *host = memory_host(mem, v->address, v->size_b);
    for (u32 i = 0; i < v->nrelocs; i++) {
        const struct ptx_reloc *r = &v->relocs[i];
        u64 value = (r->func ? r->func->address : r->var->address) + (u64)r->addend;
        value >>= r->shift;
        memcpy(host + r->offset_b, &value, MIN(r->size_b, 8u));
    }
}

static bool place_all(struct memory *mem, struct ptx_module *m) {
    bool ok = true;
    for (u32 i = 0; i < m->nfuncs; i++) m->funcs[i]->address = FUNC_WINDOW + 16ull * (i + 1);
    for (u32 i = 0; i < m->nvars; i++) ok = ok && place_var(mem, m->vars[i]);
    for (u32 i = 0; i < m->nfuncs; i++)
        for (u32 j = 0; j < m->funcs[i]->nvars; j++) ok = ok && place_var(mem, m->funcs[i]->vars[j]);
    if (!ok) return false;
    for (u32 i = 0; i < m->nvars; i++) relocate(mem, m->vars[i]);
    for (u32 i = 0; i < m->nfuncs; i++)
        for (u32 j = 0; j < m->funcs[i]->nvars; j++) relocate(mem, m->funcs[i]->vars[j]);
    return true;
}

/* --- programs */

static void program_free(void *program, struct memory *mem) {
    struct program *p = program;
    for (u32 i = 0; i < p->m->nvars; i++) unplace_var(mem, p->m->vars[i]);
    for (u32 i = 0; i < p->m->nfuncs; i++)
        for (u32 j = 0; j < p->m->funcs[i]->nvars; j++) unplace_var(mem, p->m->funcs[i]->vars[j]);
    ptx_free(p->m);
    free(p->entries);
    free(p);
}

static void *program_load(const char *file, const u8 *bytes, size_t n, struct memory *mem, struct diag *dg) {
    struct ptx_module *m = ptx_parse(file, (const char *)bytes, n, dg);
    if (!m) return NULL;
    struct program *p = base_alloc(sizeof(*p));
    p->m = m;
    p->entries = base_alloc(sizeof(*p->entries) * (m->nfuncs + 1u));
    for (u32 i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->is_entry && m->funcs[i]->has_body) p->entries[p->nentries++] = m->funcs[i];
    if (place_all(mem, m)) return p;
    diag_error(dg, file, 0, 0, "the module's variables need more device memory than the limit of %llu bytes",
               (unsigned long long)mem->limit_b);
    program_free(p, mem);
    return NULL;
}

static u32 kernels(const void *program) { return ((const struct program *)program)->nentries; }
static const char *kernel_name(const void *program, u32 i) { return ((const struct program *)program)->entries[i]->name; }

static bool symbol(const void *program, const char *name, u64 *address, u64 *size_b) {
    const struct ptx_var *v = ptx_find_var(((const struct program *)program)->m, name);
    if (!v || !v->placed) return false;
    *address = v->address;
    *size_b = v->size_b;
    return true;
}

/* --- lowering. A load is taken to be answered by the L2: an assembler cannot know more. */

static struct ptx_schedule schedule_for(const struct config *c) {
    struct ptx_schedule s = {0};
    if (!c || c->schedule != SCHEDULE_LOADS) return s;
    s.registers = c->schedule_registers ? c->schedule_registers : MAX(c->registers / c->threads, 1u);
    s.register_step = MAX(c->register_unit / c->warp_size, 1u);
    s.shared_cy = c->shared_cy;
    s.const_cy = c->const_cy;
    u32 way = c->noc_cy + (c->noc_kind == NOC_MESH ? (mesh_mean_links(c) + 1) * (c->mesh_link_cy + c->mesh_router_cy) : 0);
    s.global_cy = c->perfect_memory ? c->l1_cy : 2 * way * c->core_mhz / c->noc_mhz + c->l2_cy * c->core_mhz / c->l2_mhz;
    return s;
}

static struct kernel *lower(void *program, u32 i, const struct config *machine, struct arena *arena, struct diag *dg) {
    struct program *p = program;
    struct ptx_schedule how = schedule_for(machine);
    return ptx_lower(p->m, p->entries[i], &how, arena, dg);
}

static u64 variant(const struct config *machine) {
    struct ptx_schedule how = schedule_for(machine);
    return hash_fnv1a64(FNV1A64_START, &how, sizeof(how));
}

const struct frontend ptx_frontend = {
    .name = "ptx",
    .doc = "PTX, NVIDIA's virtual assembly: text that begins with .version",
    .endings = "ptx",
    .recognise = recognise,
    .load = program_load,
    .free = program_free,
    .kernels = kernels,
    .kernel_name = kernel_name,
    .lower = lower,
    .variant = variant,
    .symbol = symbol,
};
