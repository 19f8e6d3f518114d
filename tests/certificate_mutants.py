"""`python -m tests.certificate_mutants [--sample N] [--page PAGE] [NAME...]`."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from symbolic_pe.cli.pages import check_section, write_section
from tests.proof.certificate_mutants import Tally, campaign, markdown
from tests.proof.specimens import names

SECTION = "certificate-mutants"


def _tally(name: str, sample: int | None) -> Tally:
    """One certificate in one process."""
    (tally,) = campaign([name], sample)
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--page", type=Path)
    parser.add_argument("names", nargs="*", help="names of certificates; default: all")
    given = parser.parse_args()
    if given.page is not None:
        check_section(given.page, SECTION)
    chosen = given.names or names()
    results = []
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        for tally in pool.map(_tally, chosen, [given.sample] * len(chosen)):
            results.append(tally)
            if sys.stderr.isatty():
                found = len(tally.survivors)
                sys.stderr.write(f"  {tally.name}: {tally.total}, {found} survivors\n")
    text = markdown(results)
    if given.page is None:
        sys.stdout.write(text)
    else:
        write_section(given.page, SECTION, text)
    return 1 if any(tally.survivors for tally in results) else 0


if __name__ == "__main__":
    sys.exit(main())
