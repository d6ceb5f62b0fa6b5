/* The machine's keys: the table, setting and reading, files, what is refused and in which words, and that a
 * dump reads back. */
#include "config/config.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* --- short forms */

static void expect_text(const struct diag *d, const char *text) { assert_string_equal(d->text.s ? d->text.s : "", text); }

static void set_ok(struct config *c, const char *name, const char *value) {
    struct diag d = {0};
    if (!config_set(c, name, value, &d, "x.ini", 7)) print_message("%s", d.text.s);
    assert_int_equal(d.errors, 0);
    diag_free(&d);
}

/* The message without "x.ini:7: error: " and the newline; the machine is left as it was */
static void set_wrong(const char *name, const char *value, const char *message) {
    struct config c, before;
    struct diag d = {0};
    char text[512];
    config_default(&c);
    before = c;
    assert_false(config_set(&c, name, value, &d, "x.ini", 7));
    snprintf(text, sizeof(text), "x.ini:7: error: %s\n", message);
    expect_text(&d, text);
    assert_int_equal(d.errors, 1);
    assert_memory_equal(&c, &before, sizeof(c));
    diag_free(&d);
}

static const char *get(const struct config *c, const char *name) {
    static char text[64];
    config_get_text(c, cfg_key_find(name), text, sizeof(text));
    return text;
}

/* A legal value that is not the present one */
static void alter(struct config *c, const struct cfg_key *k) {
    char now[64], text[64];
    config_get_text(c, k, now, sizeof(now));
    switch (k->type) {
    case KEY_TYPE_U32:
        snprintf(text, sizeof(text), "%llu", (unsigned long long)(strtoull(now, NULL, 10) == k->max ? k->min : k->max));
        break;
    case KEY_TYPE_BOOL: strcpy(text, strcmp(now, "true") ? "true" : "false"); break;
    case KEY_TYPE_CHOICE:
        snprintf(text, sizeof(text), "%.*s", (int)strcspn(k->choices, "|"), k->choices);
        if (strcmp(text, now) == 0) {
            const char *second = k->choices + strlen(text) + 1;
            snprintf(text, sizeof(text), "%.*s", (int)strcspn(second, "|"), second);
        }
        break;
    case KEY_TYPE_POLICY: strcpy(text, "another_1"); break;
    case KEY_TYPE_COLLECTORS: strcpy(text, "separated:1/2/64"); break;
    }
    set_ok(c, k->name, text);
    config_get_text(c, k, now, sizeof(now));
    assert_string_equal(now, text);
}

static char *dump(const struct config *c, size_t *len) {
    char *text = NULL;
    FILE *f = open_memstream(&text, len);
    config_dump(c, f);
    fclose(f);
    return text;
}

static void expect_dump_reads_back(const struct config *c) {
    struct config back;
    struct diag d = {0};
    size_t len;
    char *text = dump(c, &len);
    config_default(&back);
    if (!machine_parse(&back, c->machine, text, len, &d)) print_message("%s", d.text.s);
    assert_int_equal(d.errors, 0);
    assert_memory_equal(&back, c, sizeof(back));
    assert_true(config_hash(&back) == config_hash(c));
    free(text);
    diag_free(&d);
}

/* --- the table */

static void keys_have_all_they_need(void **state) {
    (void)state;
    struct config c;
    config_default(&c);
    for (u32 i = 0; i < cfg_key_count; i++) {
        const struct cfg_key *k = &cfg_keys[i];
        assert_ptr_equal(cfg_key_find(k->name), k); /* so no name is there twice */
        assert_non_null(strchr(k->name, '.'));
        assert_string_equal(get(&c, k->name), k->default_text);
        assert_true(strlen(k->doc) > 8 && k->doc[strlen(k->doc) - 1] == '.');
        if (k->type == KEY_TYPE_U32) assert_true(k->min <= k->max && k->max <= UINT32_MAX && *k->unit);
    }
    assert_null(cfg_key_find("sm.l1"));
}

static void every_key_takes_its_whole_range(void **state) {
    (void)state;
    for (u32 i = 0; i < cfg_key_count; i++) {
        const struct cfg_key *k = &cfg_keys[i];
        struct config c;
        struct diag d = {0};
        char text[32];
        config_default(&c);
        alter(&c, k);
        if (k->type != KEY_TYPE_U32) continue;
        snprintf(text, sizeof(text), "%llu", (unsigned long long)k->min);
        set_ok(&c, k->name, text);
        assert_string_equal(get(&c, k->name), text);
        snprintf(text, sizeof(text), "%llu", (unsigned long long)k->max + 1);
        assert_false(config_set(&c, k->name, text, &d, NULL, 0));
        snprintf(text, sizeof(text), "%lld", (long long)k->min - 1);
        assert_false(config_set(&c, k->name, text, &d, NULL, 0));
        assert_int_equal(d.errors, 2);
        diag_free(&d);
    }
}

static void every_word_of_a_choice_is_its_number(void **state) {
    (void)state;
    struct config c;
    config_default(&c);
    for (u32 u = 0; u <= UNIT_NONE; u++) {
        set_ok(&c, "sm.class.sfu.unit", unit_names[u]);
        assert_int_equal(c.class[XCLASS_sfu].unit, u);
    }
    set_ok(&c, "gpu.cta_order", "fill");
    assert_int_equal(c.cta_order, CTA_FILL);
    set_ok(&c, "sm.l1.write", "back");
    assert_int_equal(c.l1_write, WRITE_BACK);
    set_ok(&c, "l2.replace", "fifo");
    assert_int_equal(c.l2_replace, REPLACE_FIFO);
    set_ok(&c, "map.hash", "none");
    assert_int_equal(c.map_hash, MAP_NONE);
    set_ok(&c, "dram.kind", "fixed");
    assert_int_equal(c.dram_kind, DRAM_FIXED);
    set_ok(&c, "dram.sched", "fcfs");
    assert_int_equal(c.dram_sched, DRAM_FCFS);
}

static void values_may_be_written_in_several_ways(void **state) {
    (void)state;
    struct config c;
    config_default(&c);
    set_ok(&c, "sm.l1.mshrs", "0x20");
    assert_int_equal(c.l1_mshrs, 32);
    set_ok(&c, "sm.l1.mshrs", "010"); /* decimal */
    assert_int_equal(c.l1_mshrs, 10);
    static const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};
    for (u32 i = 0; i < ARRAY_LEN(yes); i++) {
        set_ok(&c, "noc.ideal", yes[i]);
        assert_int_equal(c.noc_ideal, 1);
        set_ok(&c, "noc.ideal", no[i]);
        assert_int_equal(c.noc_ideal, 0);
    }
    set_ok(&c, "sm.collectors", "separated:4/2/3");
    assert_true(c.collectors.separated && c.collectors.alu == 4 && c.collectors.sfu == 2 && c.collectors.mem == 3);
    set_ok(&c, "sm.collectors", "generic:5");
    assert_true(!c.collectors.separated && c.collectors.generic == 5 && c.collectors.alu == 0);
}

static void wrong_values_are_refused(void **state) {
    (void)state;
    set_wrong("sm.l1.mshrs", "0", "sm.l1.mshrs must be an integer from 1 to 16384, not \"0\"");
    set_wrong("sm.l1.mshrs", "", "sm.l1.mshrs must be an integer from 1 to 16384, not \"\"");
    set_wrong("sm.l1.mshrs", "64 ", "sm.l1.mshrs must be an integer from 1 to 16384, not \"64 \"");
    set_wrong("sm.l1.mshrs", "-1", "sm.l1.mshrs must be an integer from 1 to 16384, not \"-1\"");
    set_wrong("sm.l1.mshrs", "0x", "sm.l1.mshrs must be an integer from 1 to 16384, not \"0x\"");
    set_wrong("sm.l1.mshrs", "99999999999999999999",
              "sm.l1.mshrs must be an integer from 1 to 16384, not \"99999999999999999999\"");
    set_wrong("noc.ideal", "maybe", "noc.ideal must be true or false, not \"maybe\"");
    set_wrong("l2.replace", "random", "l2.replace must be lru or fifo, not \"random\"");
    set_wrong("sm.class.int.unit", "fpu", "sm.class.int.unit must be alu, int, sfu, fp64, tensor, mem or none, not \"fpu\"");
    set_wrong("sm.sched", "Two Level",
              "sm.sched must be a policy of kind sched, not \"Two Level\"; \"heddle list policies\" names them");
    set_wrong("sm.sched", "a_name_that_is_longer_than_any_policys",
              "sm.sched must be a policy of kind sched, not \"a_name_that_is_longer_than_any_policys\"; \"heddle list policies\" "
              "names them");
    static const char *const collectors[] = {"8", "generic:", "generic:0", "generic:8/8", "separated:1/2", "separated:1/2/65"};
    for (u32 i = 0; i < ARRAY_LEN(collectors); i++) {
        char text[256];
        snprintf(text, sizeof(text), "sm.collectors must be generic:N or separated:A/S/M, with numbers from 1 to 64, not \"%s\"",
                 collectors[i]);
        set_wrong("sm.collectors", collectors[i], text);
    }
}

static void unknown_keys_get_the_nearest_names(void **state) {
    (void)state;
    set_wrong("sm.l1.mshr", "1", "unknown key \"sm.l1.mshr\"; did you mean sm.l1.mshrs?");
    set_wrong("l1.mshrs", "1",
              "unknown key \"l1.mshrs\"; did you mean l2.mshrs, sm.icache.mshrs, sm.const.mshrs, sm.tex.mshrs or sm.l1.mshrs?");
    set_wrong("volume", "1", "unknown key \"volume\"; \"heddle list keys\" lists them");
    set_wrong("", "1", "unknown key \"\"; \"heddle list keys\" lists them");
}

/* --- hash and dump */

static void the_hash_is_of_every_key_and_of_nothing_else(void **state) {
    (void)state;
    struct config c;
    config_default(&c);
    u64 plain = config_hash(&c);
    u64 *seen = calloc(cfg_key_count, sizeof(u64));
    for (u32 i = 0; i < cfg_key_count; i++) {
        config_default(&c);
        alter(&c, &cfg_keys[i]);
        seen[i] = config_hash(&c);
        assert_true(seen[i] != plain);
        for (u32 j = 0; j < i; j++) assert_true(seen[i] != seen[j]);
    }
    free(seen);
    config_default(&c);
    strcpy(c.machine, "renamed");
    assert_true(config_hash(&c) == plain);
}

static void a_dump_reads_back_with_every_key_changed(void **state) {
    (void)state;
    struct config c;
    config_default(&c);
    expect_dump_reads_back(&c);
    for (u32 i = 0; i < cfg_key_count; i++) {
        alter(&c, &cfg_keys[i]);
        expect_dump_reads_back(&c);
    }
}

/* --- bundled machines */

static void bundled_machines_load_and_hold_together(void **state) {
    (void)state;
    static const char *const expected[] = {"gtx480", "h200", "jin2012", "small", "turner2012"};
    struct machine_list all = machine_list();
    u32 found = 0;
    for (u32 i = 0; i < all.n; i++) {
        struct config c;
        struct diag d = {0};
        if (!machine_load(&c, all.at[i].name, &d) || !config_check(&c, &d)) print_message("%s", d.text.s);
        assert_int_equal(d.errors, 0);
        assert_string_equal(c.machine, all.at[i].name);
        assert_true(strlen(all.at[i].doc) > 10);
        expect_dump_reads_back(&c);
        for (u32 j = 0; j < ARRAY_LEN(expected); j++) found += strcmp(all.at[i].name, expected[j]) == 0;
        if (i) assert_true(strcmp(all.at[i - 1].name, all.at[i].name) < 0);
        diag_free(&d);
    }
    assert_int_equal(found, ARRAY_LEN(expected));
    machine_list_free(&all);
}

static void small_is_the_defaults(void **state) {
    (void)state;
    struct config small, plain;
    struct diag d = {0};
    config_default(&plain);
    assert_true(config_check(&plain, &d));
    assert_true(machine_load(&small, "small", &d));
    for (u32 i = 0; i < cfg_key_count; i++) assert_string_equal(get(&small, cfg_keys[i].name), cfg_keys[i].default_text);
    assert_memory_equal(&small, &plain, sizeof(small));
}

static void machines_are_what_their_papers_say(void **state) {
    (void)state;
    struct config c;
    struct diag d = {0};
    assert_true(machine_load(&c, "gtx480", &d));
    assert_true(c.sms == 15 && c.warps == 48 && c.l1_sets * c.l1_ways * c.l1_line_b == 32768 && c.l1_mshrs == 64);
    assert_true(c.partitions * c.slices * c.l2_sets * c.l2_ways * c.l2_line_b == 768 * 1024 && c.slices * c.l2_mshrs == 64);
    assert_true(c.dram_queue == 32 && c.t_ras == 28 && c.dram_mhz == 924);
    assert_true(machine_load(&c, "turner2012", &d));
    assert_true(c.sms == 10 && c.noc_mhz == 1400 && c.dram_mhz == 1800 && c.l2_line_b == 32 && c.collectors.generic == 8);
    assert_true(machine_load(&c, "jin2012", &d));
    assert_true(c.sms == 28 && c.alu_width == 8 && c.perfect_memory && c.class[XCLASS_fp32].latency_cy == 24);
    assert_true(machine_load(&c, "h200", &d));
    assert_true(c.sms == 132 && c.subcores == 4 && c.shared_reserved_b == 1024 && c.t_rcd == 31);
    assert_true(machine_load(&c, "dram/ddr4_2400", &d));
    assert_true(c.dram_mhz == 1200 && c.t_cl == 16 && c.sms == 2);
}

/* --- text of machine files */

struct text_case {
    const char *text, *errors;
};

static void expect_errors(const char *text, size_t len, const char *errors) {
    struct config c;
    struct diag d = {0};
    config_default(&c);
    bool ok = machine_parse(&c, "m.ini", text, len, &d);
    expect_text(&d, errors);
    assert_int_equal(ok, *errors == 0);
    diag_free(&d);
}

static void wrong_files_are_told_with_their_line(void **state) {
    (void)state;
    static const struct text_case cases[] = {
        {"[sm.l1]\nmshrs = 64\n\n[l2]\nmshrs = 0\n", "m.ini:5: error: l2.mshrs must be an integer from 1 to 16384, not \"0\"\n"},
        {"[sm.l1]\nmshrs = 8\n[l2]\nways = 2\n[sm.l1]\nsets = 4\nmshrs = 9",
         "m.ini:7: error: sm.l1.mshrs is set twice; the first time in line 2\n"},
        {"[sm.l3]\nmshrs = 8\n[l2]\nways = 0", "m.ini:1: error: unknown section [sm.l3]; did you mean [sm.l1]?\n"
                                               "m.ini:4: error: l2.ways must be an integer from 1 to 4096, not \"0\"\n"},
        {"[everything]\n", "m.ini:1: error: unknown section [everything]; sections are keys without their last part: [sm.l1]\n"},
        {"[]\nx = 1", "m.ini:1: error: unknown section []; sections are keys without their last part: [sm.l1]\n"},
        {"[sm.l1]\nmshr = 8", "m.ini:2: error: unknown key \"sm.l1.mshr\"; did you mean sm.l1.mshrs?\n"},
        {"[sm.l1]\nmshrs\n", "m.ini:2: error: not a section \"[name]\", a key \"name = value\" or a comment \"; text\"\n"},
        {"[sm.l1\nmshrs = 1\n", "m.ini:2: error: \"mshrs\" before the first section, where only base = MACHINE can stand\n"
                                "m.ini:1: error: not a section \"[name]\", a key \"name = value\" or a comment \"; text\"\n"},
        {"sms = 3\n", "m.ini:1: error: \"sms\" before the first section, where only base = MACHINE can stand\n"},
        {"base = small\nbase = small\n", "m.ini:2: error: a second base; the first is in line 1\n"},
        {"[gpu]\nbase = small\n", "m.ini:2: error: base = MACHINE must stand before the first section\n"},
        {"\nbase = smal\n", "m.ini:2: error: unknown machine \"smal\"; did you mean \"small\"?\n"},
        {"base = \n", "m.ini:1: error: unknown machine \"\"; machines are aurud2023, aurud2023_fgto, aurud2023_frrr, "
                      "aurud2023_l1, aurud2023_l1_16, gtx480, "
                      "h200, jin2012, small, turner2012, vortex2021, "
                      "or a file, whose "
                      "name has a dot\n"},
        {"base = nowhere.ini\n", "m.ini:1: error: cannot read the machine \"nowhere.ini\": No such file or directory\n"},
    };
    for (u32 i = 0; i < ARRAY_LEN(cases); i++) expect_errors(cases[i].text, strlen(cases[i].text), cases[i].errors);
    expect_errors("[gpu]\0sms = 1\n", 14, "m.ini: error: not a text file\n");
}

static void long_lines_are_refused_unless_they_are_comments(void **state) {
    (void)state;
    char text[2000] = "[gpu]\n";
    memset(text + 6, 'x', 1000);
    strcpy(text + 1006, "\nsms = 3\n");
    expect_errors(text, strlen(text), "m.ini:2: error: a line of 1000 bytes; at most 198 are possible, comments apart\n");
    text[6] = ';';
    expect_errors(text, strlen(text), "");
}

static void twenty_errors_are_enough(void **state) {
    (void)state;
    struct config c;
    struct diag d = {0};
    struct strbuf text = {0};
    strbuf_add(&text, "[gpu]\n");
    for (u32 i = 0; i < 100; i++) strbuf_add(&text, "wrong%u = 1\n", i);
    config_default(&c);
    assert_false(machine_parse(&c, "m.ini", text.s, text.len, &d));
    assert_int_equal(d.errors, 20);
    strbuf_free(&text);
    diag_free(&d);
}

static void layout_does_not_matter(void **state) {
    (void)state;
    static const char text[] =
        "\xEF\xBB\xBF; a machine\r\n[gpu]\r\n   sms   =   7   ; seven\r\n\tcore_mhz=1400\n# more\n\n[sm.l1] ; cache\n"
        "mshrs: 5";
    struct config c;
    struct diag d = {0};
    config_default(&c);
    assert_true(machine_parse(&c, "m.ini", text, strlen(text), &d));
    assert_true(c.sms == 7 && c.core_mhz == 1400 && c.l1_mshrs == 5);
    assert_string_equal(c.machine, "m.ini");
}

/* --- files */

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/heddle-config-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static const char *write_file(const char *name, const char *text) {
    FILE *f = fopen(path_of(name), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path_of(name);
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"a.ini", "b.ini", "big.ini"};
    for (u32 i = 0; i < ARRAY_LEN(names); i++) unlink(path_of(names[i]));
    return rmdir(folder);
}

static void load_wrong(const char *name, const char *errors) {
    struct config c;
    struct diag d = {0};
    assert_false(machine_load(&c, name, &d));
    expect_text(&d, errors);
    diag_free(&d);
}

static void a_base_is_found_beside_its_file(void **state) {
    (void)state;
    struct config c;
    struct diag d = {0};
    write_file("b.ini", "base = gtx480\n[gpu]\nsms = 3\n[sm.l1]\nmshrs = 7\n");
    const char *a = write_file("a.ini", "base = b.ini\n[gpu]\nsms = 4\n");
    if (!machine_load(&c, a, &d)) print_message("%s", d.text.s);
    assert_int_equal(d.errors, 0);
    assert_true(c.sms == 4 && c.l1_mshrs == 7 && c.l1_sets == 64 && c.dram_mhz == 924);
}

static void machines_that_name_each_other_end_in_a_message(void **state) {
    (void)state;
    char errors[512];
    write_file("b.ini", "base = a.ini\n");
    const char *a = write_file("a.ini", "base = b.ini\n");
    snprintf(errors, sizeof(errors), "%s:1: error: more than 8 machines based on each other; does one name itself?\n", a);
    load_wrong(a, errors);
}

static void unreadable_files_are_told(void **state) {
    (void)state;
    char errors[512];
    snprintf(errors, sizeof(errors), "error: cannot read the machine \"%s/\": it is a folder\n", folder);
    load_wrong(path_of(""), errors);
    load_wrong("./nowhere.ini", "error: cannot read the machine \"./nowhere.ini\": No such file or directory\n");
    load_wrong("/dev/zero", "error: cannot read the machine \"/dev/zero\": it is not a file\n");
    load_wrong("gtx48", "error: unknown machine \"gtx48\"; did you mean \"gtx480\"?\n");
    load_wrong("turing", "error: unknown machine \"turing\"; machines are aurud2023, aurud2023_fgto, aurud2023_frrr, "
                         "aurud2023_l1, aurud2023_l1_16, gtx480, "
                         "h200, jin2012, small, turner2012, vortex2021, or a file, whose "
                         "name has a dot\n");
    load_wrong("dram/none", "error: unknown machine \"dram/none\"; machines are aurud2023, aurud2023_fgto, aurud2023_frrr, "
                            "aurud2023_l1, aurud2023_l1_16, "
                            "gtx480, h200, jin2012, small, turner2012, vortex2021, or a file, "
                            "whose name has a dot\n");
    const char *big = write_file("big.ini", "");
    assert_int_equal(truncate(big, 2 << 20), 0);
    snprintf(errors, sizeof(errors),
             "error: cannot read the machine \"%s\": File too large: a machine file may have at most 1048576 bytes; name a file "
             "of \"[section]\" and \"key = value\" lines; \"base\" takes the rest from another machine\n",
             big);
    load_wrong(big, errors);
}

/* --- keys together: each rule broken once */

static void keys_that_do_not_fit_each_other_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *name[4], *value[4];
        const char *message;
    } cases[] = {
        {{"sm.icache.sets"}, {"3"}, "sm.icache.sets is 3; it must be a power of two, such as 2 or 4"},
        {{"sm.icache.line_b"}, {"96"}, "sm.icache.line_b is 96; it must be a power of two, such as 64 or 128"},
        {{"sm.const.sets"}, {"5"}, "sm.const.sets is 5; it must be a power of two, such as 4 or 8"},
        {{"sm.const.line_b"}, {"33"}, "sm.const.line_b is 33; it must be a power of two, such as 32 or 64"},
        {{"sm.l1.sets"}, {"48"}, "sm.l1.sets is 48; it must be a power of two, such as 32 or 64"},
        {{"sm.l1.line_b", "l2.line_b", "sm.l1.sector_b"},
         {"96", "64", "32"},
         "sm.l1.line_b is 96; it must be a power of two, such as 64 or 128"},
        {{"sm.l1.sector_b"}, {"48"}, "sm.l1.sector_b is 48; it must be a power of two, such as 32 or 64"},
        {{"sm.shared.banks"}, {"12"}, "sm.shared.banks is 12; it must be a power of two, such as 8 or 16"},
        {{"l2.sets"}, {"100"}, "l2.sets is 100; it must be a power of two, such as 64 or 128"},
        {{"l2.line_b"}, {"100"}, "l2.line_b is 100; it must be a power of two, such as 64 or 128"},
        {{"l2.sector_b"}, {"40"}, "l2.sector_b is 40; it must be a power of two, such as 32 or 64"},
        {{"map.interleave_b"}, {"300"}, "map.interleave_b is 300; it must be a power of two, such as 256 or 512"},
        {{"dram.banks"}, {"6"}, "dram.banks is 6; it must be a power of two, such as 4 or 8"},
        {{"dram.row_b"}, {"1000"}, "dram.row_b is 1000; it must be a power of two, such as 512 or 1024"},
        {{"dram.burst_b"}, {"24"}, "dram.burst_b is 24; it must be a power of two, such as 16 or 32"},
        {{"sm.l1.line_b", "l2.line_b"},
         {"64", "64"},
         "sm.l1.sector_b is 128; it must be at most sm.l1.line_b, which is 64: a sector is part of a line"},
        {{"l2.sector_b", "l2.line_b"},
         {"64", "32"},
         "l2.sector_b is 64; it must be at most l2.line_b, which is 32: a sector is part of a line"},
        {{"sm.l1.line_b", "sm.l1.sector_b"},
         {"64", "64"},
         "l2.line_b is 128; it must be at most sm.l1.line_b, which is 64: an L1 line is made of whole L2 lines"},
        {{"dram.burst_b", "dram.row_b"},
         {"256", "128"},
         "dram.burst_b is 256; it must be at most dram.row_b, which is 128: an access lies in one row"},
        {{"sm.inst_b", "sm.icache.line_b"},
         {"64", "32"},
         "sm.inst_b is 64; it must be at most sm.icache.line_b, which is 32: an instruction lies in one line"},
        {{"sm.fetch.insts"},
         {"5"},
         "sm.fetch.insts is 5; it must be at most sm.ibuffer, which is 4: a fetch needs room for all its instructions"},
        {{"sm.schedulers", "sm.warps"},
         {"8", "4"},
         "sm.schedulers is 8; it must be at most sm.warps, which is 4: each scheduler needs a warp slot"},
        {{"sm.threads"}, {"16"}, "sm.warp_size is 32; it must be at most sm.threads, which is 16: one warp must fit"},
        {{"sm.registers"}, {"32"}, "sm.register_unit is 64; it must be at most sm.registers, which is 32: one warp must fit"},
        {{"sm.shared_reserved_b", "sm.shared_b"},
         {"1024", "512"},
         "sm.shared_reserved_b is 1024; it must be at most sm.shared_b, which is 512: one block must fit"},
        {{"sm.subcores", "sm.schedulers"}, {"4", "6"}, "sm.subcores is 4; it must divide sm.schedulers, which is 6"},
        {{"dram.tREFI", "dram.tRFC"},
         {"152", "100"},
         "dram.tREFI is 152; it must be more than dram.tRCD (12) + dram.tRAS (28) + dram.tRP (12) + dram.tRFC (100), which is "
         "152: a row is opened and closed between two refreshes; or dram.tREFI must be 0 for no refresh"},
        {{"sm.class.fp32.latency_cy", "sm.depth.issue", "sm.depth.operands"},
         {"6", "2", "3"},
         "sm.class.fp32.latency_cy is 6; it must be at least 7: sm.depth.issue (2) + sm.depth.operands (3) + 2"},
        {{"sm.class.warp.unit"},
         {"mem"},
         "sm.class.warp.unit is mem; instructions of a class run on alu, int, sfu, fp64 or tensor"},
        {{"sm.l1.latency_cy"},
         {"2"},
         "sm.l1.latency_cy is 2; it must be at least 3: sm.depth.issue (0) + sm.depth.operands (0) + sm.lsu.agu_cy (1) + 2"},
        {{"sm.shared.latency_cy"},
         {"1"},
         "sm.shared.latency_cy is 1; it must be at least 3: sm.depth.issue (0) + sm.depth.operands (0) + sm.lsu.agu_cy (1) + 2"},
        {{"sm.const.latency_cy"},
         {"2"},
         "sm.const.latency_cy is 2; it must be at least 3: sm.depth.issue (0) + sm.depth.operands (0) + sm.lsu.agu_cy (1) + 2"},
        {{"gpu.sms", "sm.l1.sets", "sm.l1.ways"},
         {"1024", "65536", "1"},
         "gpu.sms * sm.l1.sets * sm.l1.ways is 67108864 cache lines; at most 16777216 are possible"},
        {{"l2.sets", "l2.ways"},
         {"65536", "4096"},
         "l2.partitions * l2.slices * l2.sets * l2.ways is 536870912 cache lines; at most 16777216 are possible"},
        {{"gpu.core_mhz", "gpu.noc_mhz", "gpu.l2_mhz", "gpu.dram_mhz"},
         {"997", "1009", "1013", "1019"},
         "gpu.core_mhz 997, gpu.noc_mhz 1009, gpu.l2_mhz 1013 and gpu.dram_mhz 1019 have no common multiple of a practical size; "
         "round them, to multiples of 5 or 10 for instance"},
    };
    for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
        struct config c;
        struct diag d = {0};
        char text[512];
        config_default(&c);
        for (u32 j = 0; j < 4 && cases[i].name[j]; j++) set_ok(&c, cases[i].name[j], cases[i].value[j]);
        assert_false(config_check(&c, &d));
        snprintf(text, sizeof(text), "small: error: %s\n", cases[i].message);
        expect_text(&d, text);
        diag_free(&d);
    }
}

static void classes_need_their_units(void **state) {
    (void)state;
    struct config c;
    struct diag d = {0};
    config_default(&c);
    set_ok(&c, "sm.alu.units", "0");
    assert_false(config_check(&c, &d));
    assert_non_null(strstr(d.text.s,
                           "small: error: sm.class.fp32.unit is alu and sm.alu.units is 0; give the class another unit or "
                           "the SM an ALU\n"));
    assert_non_null(strstr(d.text.s,
                           "small: error: sm.class.int.unit is int, and sm.int.units and sm.alu.units are both 0; one of them "
                           "must be at least 1\n"));
    diag_free(&d);
    set_ok(&c, "sm.int.units", "1");
    static const char *const others[] = {"sm.class.fp32.unit", "sm.class.half.unit", "sm.class.cvt.unit"};
    for (u32 i = 0; i < ARRAY_LEN(others); i++) set_ok(&c, others[i], "int");
    assert_true(config_check(&c, &d));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_have_all_they_need),
        cmocka_unit_test(every_key_takes_its_whole_range),
        cmocka_unit_test(every_word_of_a_choice_is_its_number),
        cmocka_unit_test(values_may_be_written_in_several_ways),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(unknown_keys_get_the_nearest_names),
        cmocka_unit_test(the_hash_is_of_every_key_and_of_nothing_else),
        cmocka_unit_test(a_dump_reads_back_with_every_key_changed),
        cmocka_unit_test(bundled_machines_load_and_hold_together),
        cmocka_unit_test(small_is_the_defaults),
        cmocka_unit_test(machines_are_what_their_papers_say),
        cmocka_unit_test(wrong_files_are_told_with_their_line),
        cmocka_unit_test(long_lines_are_refused_unless_they_are_comments),
        cmocka_unit_test(twenty_errors_are_enough),
        cmocka_unit_test(layout_does_not_matter),
        cmocka_unit_test_setup_teardown(a_base_is_found_beside_its_file, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(machines_that_name_each_other_end_in_a_message, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(unreadable_files_are_told, make_folder, remove_folder),
        cmocka_unit_test(keys_that_do_not_fit_each_other_are_refused),
        cmocka_unit_test(classes_need_their_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
