/* One program on one machine: load, launch everything, compare the output, collect what was measured. */
#include "cli/runner.h"

int runner_open(struct runner *r) {
    r->started = clock_seconds();
    r->opt.progress = progress_update;
    r->opt.progress_user = &r->progress;
    if (r->config && !input_compile(r->input, r->line, r->config)) return HEDDLE_BAD_INPUT;
    int status = play_open(&r->play, r->input->m, r->input->program, &r->opt, r->config);
    r->play.registers = r->registers;
    r->report.play = &r->play;
    if (status || !r->config) return status;
    status = heddle_timing(r->play.h, &r->timing);
    if (status) strbuf_add(&r->play.diag.text, "%s", heddle_message(r->play.h));
    return status;
}

static void say_launch(const struct runner *r) {
    const struct heddle_result *x = &r->play.launches[r->at].result;
    cli_say(r->line, "launch %u of %u, %s: %llu warp instructions, %llu cycles, %.3f s", r->at + 1, r->input->m->nlaunches,
            r->input->m->launches[r->at].kernel, (unsigned long long)x->warp_instructions, (unsigned long long)x->cycles,
            x->wall_seconds);
}

static int launch_each(struct runner *r) {
    for (r->at = 0; r->at < r->input->m->nlaunches; r->at++) {
        if (stop_asked()) return HEDDLE_STOPPED;
        int status = play_launch(&r->play, r->at);
        if (status != HEDDLE_BAD_INPUT) report_keep(&r->report, r->at);
        say_launch(r);
        if (status) return status;
        r->progress.before += r->play.launches[r->at].result.warp_instructions;
    }
    return HEDDLE_OK;
}

int runner_launch(struct runner *r) {
    r->progress.stops = r->play.h;
    r->progress.silent = cli_has(r->line, "quiet");
    progress_start(&r->progress);
    int status = launch_each(r);
    progress_end(&r->progress);
    r->report.left = status == HEDDLE_STOPPED && r->timing.exit_cycle && !stop_asked();
    if (r->report.left) return HEDDLE_OK;
    if (status) return status;
    return play_compare(&r->play, r->input->workload ? r->input->workload->reference : NULL, &r->report.outcome);
}

void runner_collect(struct runner *r, bool stopped) {
    r->report.stopped = stopped;
    report_collect(&r->report);
    r->report.setup_seconds = MAX(0, clock_seconds() - r->started - r->report.wall_seconds);
}

void runner_close(struct runner *r) {
    if (r->play.diag.text.s) fputs(r->play.diag.text.s, stderr);
    report_free(&r->report);
    if (r->play.m) play_close(&r->play);
}
