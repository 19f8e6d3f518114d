"""Mutants of golden files: `python -m tests.golden_mutants [NAME...]`; `--help` tells the options.

Some golden files are encodings made in Python, which no header can name; so `symbolic-pe bench
mutants` cannot read them, and this does the same for all.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from numeric_check.mutation.campaign import campaign
from numeric_check.mutation.table import markdown
from symbolic_pe.cli.pages import check_section, write_section
from tests.golden_specimens import specimens


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--processes", type=int)
    parser.add_argument("--runs", type=Path, help="files decided already, and those to come")
    parser.add_argument("--page", type=Path)
    parser.add_argument("names", nargs="*", help="parts of file names; default: all")
    given = parser.parse_args()
    if given.page is not None:
        check_section(given.page, "mutants")
    chosen = [s for s in specimens() if not given.names or any(n in s.name for n in given.names)]
    results = []
    for result in campaign(chosen, sample=given.sample, processes=given.processes, runs=given.runs):
        results.append(result)
        if sys.stderr.isatty():
            sys.stderr.write(f"  {result.name}: {len(result.survivors)} survivors\n")
    text = markdown(results, sample=given.sample)
    if given.page is None:
        sys.stdout.write(text)
    else:
        write_section(given.page, "mutants", text)
    return 1 if any(r.survivors for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
