/* What names mean, for the page: every row of the tables that a number of a result can be looked up in. */
#include "config/config.h"
#include "power/power.h"
#include "report/report.h"
#include "report/report_page.h"

static json_t *metrics(void) {
    static const char *const kinds[METRIC_KINDS] = {"cycles", "counter", "formula", "cpi", "stall", "sched", "hazard"};
    json_t *list = json_array();
    for (u32 i = 0; i < metric_count(); i++) {
        struct metric m = metric_at(i);
        json_array_append_new(list, json_pack("[s, s, s, s]", m.name, m.unit, kinds[m.kind], m.doc));
    }
    return list;
}

static json_t *stalls(void) {
    json_t *list = json_array();
    for (u32 i = 0; i < STALL_COUNT; i++)
        json_array_append_new(
            list, json_pack("[s, s, s]", stall_table[i].name, cpi_table[stall_table[i].cpi].name, stall_table[i].doc));
    return list;
}

static json_t *parts(void) {
    json_t *list = json_array();
    for (u32 i = 0; i < CPI_COUNT; i++) json_array_append_new(list, json_pack("[s, s]", cpi_table[i].name, cpi_table[i].doc));
    return list;
}

static json_t *hazards(void) {
    json_t *list = json_array();
    for (u32 i = 0; i < HAZARD_COUNT; i++)
        json_array_append_new(list, json_pack("[s, s]", hazard_table[i].name, hazard_table[i].doc));
    return list;
}

static json_t *keys(void) {
    json_t *o = json_object();
    for (u32 i = 0; i < cfg_key_count; i++)
        json_object_set_new(o, cfg_keys[i].name, json_pack("[s, s]", cfg_keys[i].unit, cfg_keys[i].doc));
    return o;
}

static json_t *classes(void) {
    json_t *o = json_object();
    for (u32 i = 0; i < heddle_classes(); i++) json_object_set_new(o, heddle_class_name(i), json_string(heddle_class_doc(i)));
    return o;
}

json_t *page_tables(void) {
    json_t *methods = json_array();
    for (u32 i = 0; i < CPI_METHODS; i++) json_array_append_new(methods, json_string(cpi_method_names[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "metrics", metrics(), "stalls", stalls(), "cpi", parts(), "methods",
                     methods, "hazards", hazards(), "keys", keys(), "classes", classes());
}
