/* lab.c and lab_step.c: the laboratory in the command. */
#ifndef HEDDLE_CLI_LAB_H
#define HEDDLE_CLI_LAB_H

#include "cli/cli.h"
#include "lab/lab.h"

/* --- lab_step.c: cycles with the cursor keys, until q; false with an error where there is no terminal.
 * The terminal is restored on every way out. */
bool lab_stepper(const struct cli_line *line, const struct lab_run *r, u32 first);

#endif
