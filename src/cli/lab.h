/* lab.c and lab_step.c: the laboratory in the command. */
#ifndef HEDDLE_CLI_LAB_H
#define HEDDLE_CLI_LAB_H

#include "cli/cli.h"
#include "lab/lab.h"

/* --- lab.c: names for who completes a command line */
enum { LAB_PROGRAMS = 128 };                                      /* at most so many bundled programs */
int lab_programs(const char **names, int max, struct arena *mem); /* how many there are */
const char *lab_verb(u32 i);                                      /* NULL after the last */

/* --- lab_step.c: cycles with the cursor keys, until q; false with an error where there is no terminal.
 * The terminal is restored on every way out. */
bool lab_stepper(const struct cli_line *line, const struct lab_run *r, u32 first);

#endif
