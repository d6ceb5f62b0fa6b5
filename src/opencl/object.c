/* Objects: who still needs one, and what happens when nobody does.
 *
 * O1 an object lives while refs + pins > 0
 * O2 a dead object keeps its memory, marked as dead, until a few thousand others have died: a program that
 *    uses a released handle gets an error, not a crash */
#include "opencl/opencl.h"

#include <stdlib.h>

enum { GRAVES = 4096 };

pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t driver_changed = PTHREAD_COND_INITIALIZER;
static struct object *graves[GRAVES];
static u32 next_grave;

void driver_enter(void) { pthread_mutex_lock(&driver_lock); }
void driver_leave(void) { pthread_mutex_unlock(&driver_lock); }

void *object_new(enum object_kind kind, size_t bytes, void (*destroy)(void *)) {
    struct object *o = base_alloc(bytes);
    *o = (struct object){&driver_dispatch, kind, 1, 0, destroy};
    return o;
}

static bool is(const struct object *o, enum object_kind kind) { return o && o->dispatch == &driver_dispatch && o->kind == kind; }

bool object_is(const void *handle, enum object_kind kind) {
    if (!handle) return false;
    driver_enter();
    bool ok = is(handle, kind);
    driver_leave();
    return ok;
}

bool object_retain(void *handle, enum object_kind kind) {
    if (!handle) return false;
    struct object *o = handle;
    driver_enter();
    bool ok = is(o, kind);
    if (ok) o->refs++;
    driver_leave();
    return ok;
}

/* Nobody needs it any more: what it owns goes, its shell is kept for a while */
static void bury(struct object *o) {
    if (o->destroy) o->destroy(o);
    driver_enter();
    o->kind = OBJECT_DEAD;
    struct object *old = graves[next_grave % GRAVES];
    graves[next_grave++ % GRAVES] = o;
    driver_leave();
    free(old);
}

bool object_release(void *handle, enum object_kind kind) {
    if (!handle) return false;
    struct object *o = handle;
    driver_enter();
    bool ok = is(o, kind) && o->refs > 0;
    bool dead = ok && --o->refs == 0 && o->pins == 0;
    if (dead) o->kind = OBJECT_DEAD;
    driver_leave();
    if (dead) bury(o);
    return ok;
}

u32 object_refs(const void *object) {
    driver_enter();
    u32 n = ((const struct object *)object)->refs;
    driver_leave();
    return n;
}

void object_pin(void *object) { ((struct object *)object)->pins++; }

void object_unpin(void *object) {
    struct object *o = object;
    if (!o) return;
    driver_enter();
    bool dead = --o->pins == 0 && o->refs == 0;
    if (dead) o->kind = OBJECT_DEAD;
    driver_leave();
    if (dead) bury(o);
}

/* --- answers */

cl_int answer_bytes(struct answer a, const void *data, size_t bytes) {
    if (a.to && a.room < bytes) return CL_INVALID_VALUE;
    if (a.to && bytes) memcpy(a.to, data, bytes);
    if (a.needed) *a.needed = bytes;
    return CL_SUCCESS;
}

cl_int answer_text(struct answer a, const char *text) { return answer_bytes(a, text, strlen(text) + 1); }
cl_int answer_uint(struct answer a, cl_uint x) { return answer_bytes(a, &x, sizeof(x)); }
cl_int answer_ulong(struct answer a, cl_ulong x) { return answer_bytes(a, &x, sizeof(x)); }
cl_int answer_size(struct answer a, size_t x) { return answer_bytes(a, &x, sizeof(x)); }
cl_int answer_bool(struct answer a, bool x) { return answer_uint(a, x ? CL_TRUE : CL_FALSE); }
cl_int answer_handle(struct answer a, const void *x) { return answer_bytes(a, &x, sizeof(x)); }
