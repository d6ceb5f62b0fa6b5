/* report_page: result documents as one HTML page that needs nothing but a browser (docs/report-page.md).
 *
 * Every command with --html, and heddle report, write their page with report_page_write. The page holds the
 * documents as they are, compressed; what is drawn, and how, is src/report/page/ (our scripts and styles,
 * embedded when heddle is built) on D3, which lies in share/heddle/page/.
 *
 * P1 the page asks for nothing from anywhere: it says so itself, in a content security policy
 * P2 no text of a document stands in the page's markup, nor is made markup by its scripts
 * P3 what was left out because there is too much of it is said on the page */
#ifndef HEDDLE_REPORT_PAGE_WRITE_H
#define HEDDLE_REPORT_PAGE_WRITE_H

#include "base/base.h"

#include <jansson.h>

/* A document is what --json of run, exec or compare wrote (report_json, comparison_json); of a comparison
 * every configuration becomes a run. A run may carry, beyond what report_json gives,
 *   label   text: what to call it among others; without it its name and the values of its keys
 *   keys    {name: value}: what sets it apart from the others, columns of the page's tables
 * A document may also be {"study": what study_answers gives} (src/sweep/study.h): its statements and figures
 * stand before the runs. Runs with the same label and keys are repetitions: the page shows their mean and
 * spread. The first run of each program is what its others are measured against, until the reader picks
 * another. */
enum { REPORT_PAGE_RUNS = 2000 }; /* more are left out, and it is said */

/* Whether a document can be shown; false with what is wrong, without place or full stop, in `why` */
bool report_page_takes(const json_t *doc, struct strbuf *why);
/* Writes the page of n documents, none of which changes. `title` may be NULL: it is made of their names.
 * False with the reason (no line's end) in `why`, before anything is written; whether `out` took it all, the
 * caller finds out (base/output.c). */
bool report_page_write(const char *title, json_t *const *docs, u32 n, FILE *out, struct strbuf *why);
/* Whether report_page_write would find what it needs, to be asked before an hour's run; likewise */
bool report_page_ready(struct strbuf *why);

/* --- page_files.c: the embedded files, each a text with an end */
extern const char page_file_style[], page_file_slider[];
extern const char *const page_scripts[]; /* in the order in which they run; NULL at the end */

/* --- page_tables.c: what every name means: units and the sentences of heddle explain */
json_t *page_tables(void);

/* --- page_pack.c: bytes as zlib's deflate in base64. Free the result. */
char *page_pack(const void *data, size_t bytes);

#endif
