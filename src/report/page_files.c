/* The files of src/report/page, as the build found them: style, and scripts in the order in which they run.
 * The assembler takes them in, so that they are files for their readers and part of the command all the same.
 * The Makefile makes this file's object again when one of them changes. */
#include "report/report_page.h"

#define EMBED(name, file)                                                                                                        \
    __asm__(".pushsection .rodata\n.global " #name "\n.hidden " #name "\n.type " #name ", %object\n" #name                       \
            ":\n.incbin \"src/report/page/" file "\"\n.byte 0\n.popsection\n")

EMBED(page_file_style, "page.css");
EMBED(page_file_slider, "slider.js");
EMBED(page_file_base, "base.js");
EMBED(page_file_widgets, "widgets.js");
EMBED(page_file_charts, "charts.js");
EMBED(page_file_overview, "overview.js");
EMBED(page_file_source, "source.js");
EMBED(page_file_time, "time.js");
EMBED(page_file_pipeline, "pipeline.js");
EMBED(page_file_compare, "compare.js");
EMBED(page_file_study, "study.js");
EMBED(page_file_main, "main.js");

extern const char page_file_base[], page_file_widgets[], page_file_charts[], page_file_overview[], page_file_source[],
    page_file_time[], page_file_pipeline[], page_file_compare[], page_file_study[], page_file_main[];
const char *const page_scripts[] = {page_file_base,
                                    page_file_widgets,
                                    page_file_charts,
                                    page_file_overview,
                                    page_file_source,
                                    page_file_time,
                                    page_file_pipeline,
                                    page_file_compare,
                                    page_file_study,
                                    page_file_main,
                                    NULL};
