/* config: the keys of a machine (config.def), read from files and command lines, checked, dumped and hashed.
 *
 * A machine is an INI file with sections: [sm.l1] and `mshrs = 64` set sm.l1.mshrs. Keys not named keep their
 * defaults, or those of the machine named by `base = NAME` before the first section. Policies are names here;
 * the rooms that own the tables check them. */
#ifndef HEDDLE_CONFIG_H
#define HEDDLE_CONFIG_H

#include "base/base.h"

enum unit { UNIT_ALU, UNIT_INT, UNIT_SFU, UNIT_FP64, UNIT_TENSOR, UNIT_MEM, UNIT_NONE, UNIT_CSR, UNIT_GPU, UNIT_COUNT };
extern const char *const
    unit_names[UNIT_COUNT]; /* as written in keys: alu int sfu fp64 tensor mem none; csr and gpu are of sm.pipeline = vortex */

enum xclass { /* classes of instructions with a timing of their own */
#define KEY_U32(...)
#define KEY_BOOL(...)
#define KEY_CHOICE(...)
#define KEY_POLICY(...)
#define KEY_COLLECTORS(...)
#define KEY_CLASS(id, unit, latency, interval, doc) XCLASS_##id,
#include "config/config.def"
#undef KEY_CLASS
              XCLASS_COUNT
};
struct class_timing {
    u32 unit; /* enum unit */
    u32 latency_cy, interval_cy;
};
struct collectors {
    bool separated;
    u32 generic;       /* !separated */
    u32 alu, sfu, mem; /* separated */
};
enum { POLICY_NAME_B = 32 };
enum { MAX_SMS = 1024 };                                            /* of gpu.sms */
enum { PIPELINE_COMMON, PIPELINE_VORTEX };                          /* sm.pipeline */
enum { CTA_ROUND_ROBIN, CTA_FILL };                                 /* gpu.cta_order */
enum { SCHEDULE_WRITTEN, SCHEDULE_LOADS };                          /* ptx.schedule */
enum { TRACK_MSHR, TRACK_COMQ };                                    /* sm.hazard.resource */
enum { SCOPE_CHIP, SCOPE_SM };                                      /* sm.hazard.counter.scope */
enum { IN_STAGE_NONE, IN_STAGE_BANK, IN_STAGE_DIV, IN_STAGE_BOTH }; /* sm.hazard.in_stage */
enum { WARP_SCALE_OFF, WARP_SCALE_HYBRID };                         /* sm.warp_scale */
enum { SCALE_FIXED, SCALE_LOOP };                                   /* sm.warp_scale.latency */
enum { SCALE_FREE, SCALE_LOCKSTEP };                                /* sm.warp_scale.sync */
enum { SQUEEZE_OFF, SQUEEZE_THESIS, SQUEEZE_FEWEST };               /* sm.squeeze */
enum { PIPE_UNITS, PIPE_ONE };                                      /* sm.pipe */
enum { AGE_READY, AGE_BUFFERED };                                   /* sm.sched.gto_wait.counts */
enum { AGE_PICK, AGE_LONG };                                        /* sm.sched.gto_wait.resets */
enum { HANDOVER_SENT, HANDOVER_USE };                               /* sm.sched.mascar.handover */
enum { CONSTANTS_PASS, CONSTANTS_REFUSE };                          /* sm.sched.mascar.constants */
enum { REEXEC_ISSUE, REEXEC_PUSH };                                 /* sm.lsu.reexec.order */
enum { REEXEC_NEW, REEXEC_QUEUED };                                 /* sm.lsu.reexec.first */
enum { WRITE_THROUGH, WRITE_BACK };                                 /* sm.l1.write */
enum { REPLACE_LRU, REPLACE_FIFO };                                 /* replace keys */
enum { L1_INDEX_LINEAR, L1_INDEX_FERMI };                           /* sm.l1.index */
enum { NOC_CROSSBAR, NOC_MESH };                                    /* noc.kind */
enum { ARBITER_OLDEST, ARBITER_LOWEST };                            /* noc.arbiter */
enum { PLACE_SPREAD, PLACE_SIDES, PLACE_GPGPUSIM };                 /* noc.mesh.place */
enum { MAP_NONE, MAP_XOR };                                         /* map.hash */
enum { DRAM_FIXED, DRAM_BANKED };                                   /* dram.kind */
enum { QUEUE_OF_BURSTS, QUEUE_OF_REQUESTS };                        /* dram.queue_of */
enum { DRAM_FCFS, DRAM_FRFCFS };                                    /* dram.sched */

enum { DWF_MAJORITY, DWF_MINORITY, DWF_TIMESTAMP, DWF_PDOM, DWF_PC, DWF_SCHED }; /* dwf.policy */
enum { DWF_EXACT, DWF_HEAP, DWF_SCAN };                                          /* dwf.majority */
enum { DWF_AWARE, DWF_FREE };                                                    /* dwf.lanes */
enum { DWF_NEW, DWF_MOVE };                                                      /* dwf.conflict */
enum { DWF_BEFORE, DWF_AFTER };                                                  /* dwf.squeeze */

enum { DWS_BRANCH, DWS_MEMORY, DWS_BOTH };     /* dws.split */
enum { DWS_AGGRESSIVE, DWS_LAZY, DWS_REVIVE }; /* dws.memory */
enum { DWS_LIMITED, DWS_BYPASS };              /* dws.meet */

enum { VWS_ELASTIC, VWS_INELASTIC };                 /* vws.gang */
enum { VWS_SAME_WAY, VWS_ALL_APART };                /* vws.control */
enum { VWS_WAITS, VWS_LOADED_TOGETHER, VWS_SINGLY }; /* vws.memory */
enum { VWS_BIG, VWS_LITTLE, VWS_SCHED };             /* vws.first */
enum { VWS_OF_SLICES, VWS_OF_WARPS };                /* vws.front */
enum { VWS_SLICES = 16 };                            /* of a warp, at most */

enum { WEAVE_BRANCHES, WEAVE_WARPS, WEAVE_BOTH }; /* interweave.with */
enum { LANES_IDENTITY, LANES_MIRROR, LANES_XOR }; /* interweave.lanes */

enum { PRECISE_ROB, PRECISE_HISTORY, PRECISE_FUTURE, PRECISE_CHECKPOINT }; /* order.precise */

struct config {
#define KEY_CLASS(...)
#undef KEY_U32
#undef KEY_BOOL
#undef KEY_CHOICE
#undef KEY_POLICY
#undef KEY_COLLECTORS
#define KEY_U32(field, ...)        u32 field;
#define KEY_BOOL(field, ...)       u32 field;
#define KEY_CHOICE(field, ...)     u32 field;
#define KEY_POLICY(field, ...)     char field[POLICY_NAME_B];
#define KEY_COLLECTORS(field, ...) struct collectors field;
#include "config/config.def"
#undef KEY_U32
#undef KEY_BOOL
#undef KEY_CHOICE
#undef KEY_POLICY
#undef KEY_COLLECTORS
#undef KEY_CLASS
    struct class_timing class[XCLASS_COUNT];
    char machine[64]; /* name it was loaded by */
};

/* --- key.c: one row per key, classes as three */
enum key_type { KEY_TYPE_U32, KEY_TYPE_BOOL, KEY_TYPE_CHOICE, KEY_TYPE_POLICY, KEY_TYPE_COLLECTORS };
struct cfg_key {
    const char *name;
    enum key_type type;
    size_t offset;            /* into struct config */
    u64 min, max;             /* u32 */
    const char *choices;      /* "a|b|c" of a choice; kind of a policy */
    const char *default_text; /* as it would be written */
    const char *unit;         /* "" where there is none */
    const char *doc;
};
extern const struct cfg_key *const cfg_keys;
extern const u32 cfg_key_count;
const struct cfg_key *cfg_key_find(const char *name); /* NULL when unknown */
size_t cfg_key_section(const struct cfg_key *k);      /* length of the name's part before its last dot: its section in a file */
/* What may be written: "an integer from 1 to 8", "lru or fifo" */
void cfg_key_legal(const struct cfg_key *k, struct strbuf *out);
/* Adds "; did you mean A, B or C?" for a name that is no key: near in spelling, or with the same last part.
 * Nothing when there is none. */
void cfg_key_suggest(const char *name, struct strbuf *out);

/* --- config.c */
void config_default(struct config *c);
/* One key by name, from text; false with a message (nearest names, legal range) */
bool config_set(struct config *c, const char *name, const char *value, struct diag *d, const char *file, u32 line);
void config_get_text(const struct config *c, const struct cfg_key *k, char *out, size_t out_b);
u64 config_hash(const struct config *c); /* of all keys, not of the name */
/* Changes what should not matter to a program's time, in the n-th of many ways; 0: nothing */
void config_perturb(struct config *c, u64 n);
extern const char *const config_perturbed[];         /* the keys that it changes; NULL ends them */
void config_dump(const struct config *c, FILE *out); /* a machine file that reads back as c */

/* --- mesh.c: where the mesh has its nodes */
/* Node of a partition; what config_check lets pass has one for each */
u32 mesh_memory_node(const struct config *c, u32 partition);
const u16 *mesh_preset(u32 width, u32 height, u32 memories); /* GPGPU-Sim's nodes of them; NULL: it has none */
/* Links between routers on an average way from a node to a partition, rounded */
u32 mesh_mean_links(const struct config *c);

/* --- check.c. Ranges are config_set's; this is about keys together: powers of two, what divides what. */
bool config_check(const struct config *c, struct diag *d);
/* The key does nothing in c, whatever its value, because of another key's: `other` */
bool config_key_idle(const struct config *c, const char *key, const char **other);

/* --- machine.c: files. A name without '.' that does not start with '/' is looked up among the bundled ones
 * (`small`, `dram/gddr5`). */
bool machine_load(struct config *c, const char *name_or_path, struct diag *d);
/* The text of a machine file over what c holds; `file` is for messages and the place a `base` with a path
 * starts from */
bool machine_parse(struct config *c, const char *file, const char *text, size_t len, struct diag *d);
struct machine_row {
    const char *name, *doc; /* first comment line of the file */
    const char *path;
};
struct machine_list { /* the bundled machines, by name; fragments in subfolders (machines/dram) are not machines */
    struct arena mem;
    struct machine_row *at;
    u32 n;
};
struct machine_list machine_list(void);
void machine_list_free(struct machine_list *l);

#endif
