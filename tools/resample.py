#!/usr/bin/env python3
"""Does a mean over programs hold when other programs are drawn? Reads the database of a study or sweep.

    tools/resample.py DATABASE OF OVER [--rows runs] [--where CONDITION [--taken CONFIGURATION]] [--programs A,B]

prints the mean speedup of configuration OF over configuration OVER, the least and the greatest mean with one
row left out, and an interval that holds 95 of 100 means of as many rows drawn with replacement. The seed is
fixed. Rows are kernels, or whole programs with `--rows runs`; CONDITION says which are taken, by the columns of
that table in configuration OVER, or in the one after --taken.

This asks what the interval of a study's statement does not: those know jitter and sampling, not which
programs there are. docs/studies/challenged.md uses it."""
import argparse
import math
import random
import sqlite3
import sys

DRAWS = 4000


def cycles_of(db, rows, configuration, condition):
    """{(program, kernel): cycles} of the runs without perturbation that ended well"""
    name, table = ("''", "runs") if rows == "runs" else ("t.name", "kernels")
    return {
        (program, kernel): cycles
        for program, kernel, cycles in db.execute(
            f"SELECT plan.program, {name}, t.cycles FROM plan JOIN {table} t USING(run_hash) WHERE plan.configuration = ? "
            f"AND plan.repetition = 0 AND t.cycles > 0 AND ({condition})",
            (configuration,),
        )
    }


def geometric(x):
    return math.exp(sum(map(math.log, x)) / len(x))


def drawn_again(x):
    """The interval that holds 95 of 100 means of as many rows, drawn with replacement"""
    generator = random.Random(1)
    means = sorted(geometric(generator.choices(x, k=len(x))) for _ in range(DRAWS))
    return means[int(0.025 * DRAWS)], means[int(0.975 * DRAWS)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("of")
    parser.add_argument("over")
    parser.add_argument("--rows", choices=("kernels", "runs"), default="kernels")
    parser.add_argument("--where", default="1")
    parser.add_argument("--programs", default="")
    parser.add_argument("--taken")
    a = parser.parse_args()
    db = sqlite3.connect(f"file:{a.database}?mode=ro", uri=True)
    try:
        new, old = cycles_of(db, a.rows, a.of, "1"), cycles_of(db, a.rows, a.over, "1")
        taken = cycles_of(db, a.rows, a.taken or a.over, a.where)
    except sqlite3.Error as error:
        sys.exit(f"tools/resample.py: {a.database}: {error}")
    wanted = [p for p in a.programs.split(",") if p]
    ratio = {k: old[k] / new[k] for k in sorted(taken) if k in old and k in new and (not wanted or k[0] in wanted)}
    if len(ratio) < 2:
        sys.exit(f"tools/resample.py: {len(ratio)} rows have both {a.of} and {a.over}; a mean needs two")
    without = sorted((geometric([x for other, x in ratio.items() if other != k]), "/".join(filter(None, k))) for k in ratio)
    low, high = drawn_again(list(ratio.values()))
    (least, first), (most, last) = without[0], without[-1]
    print(
        f"{a.of} over {a.over}: {len(ratio)} rows, mean {geometric(list(ratio.values())):.3f}; one left out {least:.3f} "
        f"(without {first}) to {most:.3f} (without {last}); drawn again {low:.3f} to {high:.3f}"
    )


if __name__ == "__main__":
    main()
