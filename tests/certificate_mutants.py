"""`python -m tests.certificate_mutants [--sample N] [--page PAGE] [NAME...]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from symbolic_pe.cli.pages import check_section, write_section
from tests.proof.certificate_mutants import campaign, markdown
from tests.proof.specimens import names

SECTION = "certificate-mutants"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--page", type=Path)
    parser.add_argument("names", nargs="*", help="names of certificates; default: all")
    given = parser.parse_args()
    if given.page is not None:
        check_section(given.page, SECTION)
    results = []
    for tally in campaign(given.names or names(), given.sample):
        results.append(tally)
        if sys.stderr.isatty():
            sys.stderr.write(f"  {tally.name}: {tally.total}, {len(tally.survivors)} survivors\n")
    text = markdown(results)
    if given.page is None:
        sys.stdout.write(text)
    else:
        write_section(given.page, SECTION, text)
    return 1 if any(tally.survivors for tally in results) else 0


if __name__ == "__main__":
    sys.exit(main())
