/* The report page without a browser: what is taken, packed, cut and written; and the timeline's lists, from
 * events made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/isa.h"
#include "report/report_page.h"
#include "trace/timeline.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* --- packing */

static size_t unbase64(const char *s, u8 *to) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;
    u32 bits = 0, have = 0;
    for (; *s && *s != '='; s++) {
        bits = bits << 6 | (u32)(strchr(digits, *s) - digits);
        have += 6;
        if (have < 8) continue;
        have -= 8;
        to[n++] = (u8)(bits >> have);
    }
    return n;
}

static void test_packed_data_comes_back(void **state) {
    (void)state;
    u8 data[1000], packed[4000], back[1000];
    for (u32 i = 0; i < sizeof(data); i++) data[i] = (u8)(i * i / 7);
    for (size_t n = 0; n < sizeof(data); n += 1 + n / 3) {
        char *text = page_pack(data, n);
        uLongf len = sizeof(back);
        assert_int_equal(uncompress(back, &len, packed, unbase64(text, packed)), Z_OK);
        assert_int_equal(len, n);
        assert_memory_equal(back, data, n);
        free(text);
    }
}

/* --- documents */

static bool takes(const char *text) {
    json_t *j = json_loads(text, 0, NULL);
    struct strbuf why = {0};
    assert_non_null(j);
    bool ok = report_page_takes(j, &why);
    assert_true(ok == !why.len);
    strbuf_free(&why);
    json_decref(j);
    return ok;
}

static void test_only_results_are_taken(void **state) {
    (void)state;
    assert_true(takes("{\"name\": \"x\", \"kernels\": []}"));
    assert_true(takes("{\"programs\": []}"));
    assert_true(takes("{\"programs\": [{\"name\": \"x\", \"configurations\": []}]}"));
    assert_false(takes("{\"programs\": [{\"name\": \"x\"}]}"));
    assert_false(takes("{\"programs\": [3]}"));
    assert_false(takes("{\"programs\": {}}"));
    assert_false(takes("{\"kernels\": []}"));
    assert_false(takes("[]"));
}

static char *page_of(const char *title, json_t *const *docs, u32 n) {
    char *text = NULL;
    size_t len;
    struct strbuf why = {0};
    FILE *f = open_memstream(&text, &len);
    assert_true(report_page_write(title, docs, n, f, &why));
    fclose(f);
    return text;
}

static void test_titles_are_escaped(void **state) {
    (void)state;
    json_t *doc = json_pack("{s:s, s:[]}", "name", "</title><script>", "kernels");
    char *page = page_of(NULL, &doc, 1);
    assert_non_null(strstr(page, "<title>&lt;/title&gt;&lt;script&gt;</title>"));
    free(page);
    page = page_of("\xff\"<", &doc, 1);
    assert_non_null(strstr(page, "<title>?&quot;&lt;</title>"));
    free(page);
    json_decref(doc);
}

static json_t *data_of(const char *page) {
    const char *at = strstr(page, "id=\"data\">");
    assert_non_null(at);
    char *text = strndup(at + 10, strcspn(at + 10, "<"));
    u8 *packed = malloc(strlen(text) + 1);
    uLongf len = 1 << 24;
    char *back = malloc(len);
    assert_int_equal(uncompress((u8 *)back, &len, packed, unbase64(text, packed)), Z_OK);
    json_t *j = json_loadb(back, len, 0, NULL);
    free(back);
    free(packed);
    free(text);
    return j;
}

/* 2,000 runs are the limit; of more than 64 only what is compared stays. The documents do not change. */
static void test_what_is_too_much_is_cut_and_said(void **state) {
    (void)state;
    enum { MANY = REPORT_PAGE_RUNS + 5 };
    json_t *doc = json_pack("{s:s, s:[{s:s, s:[i]}], s:[i]}", "name", "x", "kernels", "name", "k", "by_pc", 1, "launches", 1);
    json_t **docs = malloc(MANY * sizeof(*docs));
    for (u32 i = 0; i < MANY; i++) docs[i] = doc;
    char *page = page_of(NULL, docs, MANY);
    json_t *data = data_of(page), *run = json_array_get(json_object_get(data, "runs"), 0);
    assert_int_equal(json_array_size(json_object_get(data, "runs")), REPORT_PAGE_RUNS);
    assert_int_equal(json_array_size(json_object_get(data, "notes")), 2);
    assert_null(json_object_get(run, "launches"));
    assert_null(json_object_get(json_array_get(json_object_get(run, "kernels"), 0), "by_pc"));
    assert_non_null(json_object_get(doc, "launches"));
    assert_non_null(json_object_get(json_array_get(json_object_get(doc, "kernels"), 0), "by_pc"));
    json_decref(data);
    json_decref(doc);
    free(page);
    free(docs);
}

/* --- the timeline */

static const struct inst code[4];
static const struct kernel kernel = {.code = (struct inst *)(uintptr_t)code, .ninst = 4};

static void tell(const struct listener *l, struct event e) { l->events(l->state, &e, 1); }

static void test_timeline_keeps_blocks_and_stages(void **state) {
    (void)state;
    struct listener l;
    struct timeline *t = timeline_new(&(struct trace_window){.to = UINT64_MAX, .sm = -1, .slot = -1}, &l);
    l.launch(l.state, &kernel, 1000);
    tell(&l, (struct event){.kind = EV_CTA_START, .cycle = 1010, .a = 7, .sm = 2});
    tell(&l, (struct event){.kind = EV_CTA_START, .cycle = 1010, .a = 8, .sm = 3});
    tell(&l, (struct event){.kind = EV_ISSUE, .cycle = 1020, .uid = 5, .pc = 1, .slot = 4, .mask = 15, .sm = 0});
    tell(&l, (struct event){.kind = EV_ISSUE, .cycle = 1021, .uid = 5, .pc = 2, .slot = 4, .sm = 1}); /* another SM's */
    tell(&l, (struct event){.kind = EV_READ, .cycle = 1022, .uid = 5, .sm = 0});
    tell(&l, (struct event){.kind = EV_SQUASH, .cycle = 1023, .uid = 5, .sm = 0}); /* it has its line once */
    tell(&l, (struct event){.kind = EV_ISSUE, .cycle = 1025, .uid = 5, .pc = 1, .slot = 4, .mask = 15, .sm = 0});
    tell(&l, (struct event){.kind = EV_DONE, .cycle = 1030, .uid = 5, .sm = 0});
    tell(&l, (struct event){.kind = EV_CTA_END, .cycle = 1050, .a = 7, .sm = 2});
    l.end(l.state, 1060);
    struct timeline_lists x = timeline_take(t);
    assert_int_equal(x.nblocks, 2);
    assert_int_equal(x.blocks[0].start, 10);
    assert_int_equal(x.blocks[0].end, 50);
    assert_int_equal(x.blocks[1].end, 60); /* it never ended */
    assert_int_equal(x.ninsts, 1);
    assert_int_equal(x.insts_in_all, 1);
    assert_int_equal(x.insts[0].issue, 20);
    assert_int_equal(x.insts[0].read, 22);
    assert_int_equal(x.insts[0].done, 30);
    assert_true(x.insts[0].dispatch == NEVER);
    assert_int_equal(x.insts[0].slot, 4);
    timeline_lists_free(&x);
    x = timeline_take(t);
    assert_int_equal(x.nblocks + x.ninsts, 0); /* nothing is left behind */
    timeline_lists_free(&x);
    timeline_free(t);
}

static void test_timeline_counts_what_it_leaves_out(void **state) {
    (void)state;
    struct listener l;
    struct timeline *t = timeline_new(&(struct trace_window){.to = UINT64_MAX, .sm = 0, .slot = -1}, &l);
    l.launch(l.state, &kernel, 0);
    for (u64 i = 0; i < TIMELINE_BLOCKS + 10; i++) {
        tell(&l, (struct event){.kind = EV_CTA_START, .cycle = i, .a = i});
        tell(&l, (struct event){.kind = EV_CTA_END, .cycle = i + 1, .a = i});
        if (i < TIMELINE_INSTS + 7) tell(&l, (struct event){.kind = EV_ISSUE, .cycle = i, .uid = i + 1, .pc = 0});
    }
    l.end(l.state, TIMELINE_BLOCKS + 11);
    struct timeline_lists x = timeline_take(t);
    assert_int_equal(x.nblocks, TIMELINE_BLOCKS);
    assert_int_equal(x.blocks_in_all, TIMELINE_BLOCKS + 10);
    assert_int_equal(x.ninsts, TIMELINE_INSTS);
    assert_int_equal(x.insts_in_all, TIMELINE_INSTS + 7);
    for (u32 i = 1; i < x.ninsts; i++) assert_true(x.insts[i - 1].issue <= x.insts[i].issue);
    timeline_lists_free(&x);
    timeline_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed_data_comes_back),
        cmocka_unit_test(test_only_results_are_taken),
        cmocka_unit_test(test_titles_are_escaped),
        cmocka_unit_test(test_what_is_too_much_is_cut_and_said),
        cmocka_unit_test(test_timeline_keeps_blocks_and_stages),
        cmocka_unit_test(test_timeline_counts_what_it_leaves_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
