/* gen_stats: prints docs/stats.md from the tables of counters, formulas, causes and hazards. `make docs`
 * writes the file, `make lint` checks that it is current. */
#include "report/report.h"

#include <ctype.h>

static void print_intro(void) {
    printf(
        "# Statistics\n\n"
        "<!-- Printed by tools/gen_stats.c from src/stats/*.def and src/mem/mem_stats.def: change those and run `make docs`. "
        "-->\n\n"
        "Everything a timed launch counts, and everything made of it. `heddle explain NAME` shows one, `heddle list stats` all; "
        "the same names are the keys of\n"
        "`--json`, the columns of `--csv` and what `heddle compare --metric` takes (a prefix such as `cpi.` may be left out).\n\n"
        "Three sums hold in every run and are checked at the end of every launch:\n\n"
        "- the parts of a CPI stack, whichever method made it, sum to cycles x SMs x schedulers;\n"
        "- warp states sum to cycles x SMs x warp slots + `formed_beyond_cycles` (0 unless `sm.diverge` is dwf);\n"
        "- scheduler cycles sum to cycles x SMs x schedulers.\n");
}

static void print_row(const struct metric *m) {
    printf("| `%s%s` | %s | %s", m->prefix, m->name, m->unit, m->doc);
    if (m->kind == METRIC_STALL) printf(" Counts as `%s`.", cpi_table[stall_table[m->index].cpi].name);
    printf(" |\n");
}

int main(void) {
    print_intro();
    for (u32 i = 0, last = METRIC_KINDS; i < metric_count(); i++) {
        struct metric m = metric_at(i);
        if (m.kind != last) {
            const char *doc = metric_kind_docs[m.kind];
            printf("\n## %c%s\n\n| name | unit | meaning |\n| --- | --- | --- |\n", toupper((unsigned char)doc[0]), doc + 1);
        }
        last = m.kind;
        print_row(&m);
    }
    printf(
        "\n## Limits (`heddle run --limits`)\n\n"
        "The use of ports, buses, units and queues, the tightest first; in the JSON results `limits`, of the run and of each\n"
        "kernel. A row has `used`, the share of what all of them could do in the cycles measured; `hottest`, the same of the\n"
        "busiest memory partition; the least cycles, and with them the highest speedup, that it allows. Addresses stay with\n"
        "their partition, so there the hottest sets the bound; work of SMs could be dealt out otherwise, so there the average\n"
        "does. Bounds of issue slots and units hold for any schedule of the program. Those of packets, lines and bursts hold\n"
        "for the traffic of the run: more hits mean less of it. Those of queues (L1 MSHRs, miss queue, DRAM queue) hold at the\n"
        "latency of the run, by Little's law. No bound is above the cycles measured.\n\n"
        "Not told is what has no count of its use: banks of registers and shared memory (in the units' and the memory\n"
        "stage's time), collectors and reservation stations, the queue before the memory stage and that of re-executions, the\n"
        "caches of instructions, constants and textures, TLB walks, credits, the queues and MSHRs of L2 slices and of Vortex's\n"
        "L1 banks. What waits for one shows in `noc_wait_in`, `credit_wait_cycles`, `l2_mshr_full` and in warps' time.\n");
    return 0;
}
