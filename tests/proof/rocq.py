"""Running coqc: the theory compiled once for all tests, files compiled against it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from symbolic_pe.proof.rocq.export import THEORY, theory_texts
from symbolic_pe.proof.rocq.theorems import THEOREMS, Checked

BUILD = Path(__file__).resolve().parents[2] / "build" / "rocq"
INSTALL = "apt-get install --no-install-recommends coq libcoq-coquelicot"
FORBIDDEN = re.compile(
    r"\b(Axioms?|Parameters?|Conjectures?|Admitted|admit|Hypothes[ie]s|Variables?|Unset|"
    r"bypass_check)\b"
)


@dataclass(frozen=True)
class Answer:
    """What coqc said of a file."""

    accepted: bool
    message: str


@cache
def why_absent() -> str:
    """Why nothing can be compiled here; empty when it can."""
    coqc = shutil.which("coqc")
    if coqc is None:
        return f"coqc is not installed ({INSTALL})"
    where = subprocess.run([coqc, "-where"], capture_output=True, text=True, check=True)
    if not (Path(where.stdout.strip()) / "user-contrib" / "Coquelicot").is_dir():
        return f"Coquelicot is not installed ({INSTALL})"
    return ""


def require_coqc() -> None:
    """Skip without coqc, or fail where it is required (`make proofs`)."""
    absent = why_absent()
    if absent and os.environ.get("ROCQ_REQUIRED"):
        pytest.fail(absent)
    if absent:
        pytest.skip(f"{absent}: Rocq files are written but not compiled")


def without_comments(text: str) -> str:
    """Rocq text without comments, nested ones included."""
    kept, depth, index = [], 0, 0
    while index < len(text):
        pair = text[index : index + 2]
        if pair in ("(*", "*)"):
            depth += 1 if pair == "(*" else -1
            index += 2
            continue
        if not depth:
            kept.append(text[index])
        index += 1
    return "".join(kept)


def _coqc(folder: Path, theory: Path, name: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["coqc", "-w", "none", "-Q", str(theory), "SymbolicPE", name],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def compiled_theory() -> Path:
    """The folder of the compiled theory; compiled on the first call, whoever makes it."""
    texts = theory_texts()
    version = subprocess.run(["coqc", "--version"], capture_output=True, text=True, check=True)
    key = hashlib.sha256(repr([version.stdout, sorted(texts.items())]).encode()).hexdigest()[:16]
    target = BUILD / key
    if not target.is_dir():
        BUILD.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=BUILD))
        for name in THEORY:
            (folder / f"{name}.v").write_text(texts[f"{name}.v"], encoding="utf-8")
            done = _coqc(folder, folder, f"{name}.v")
            assert done.returncode == 0, f"{name}.v: {done.stdout}{done.stderr}"
        try:
            folder.rename(target)
        except OSError:  # another process was faster
            shutil.rmtree(folder)
    return target


def compiled(text: str, folder: Path, name: str = "encoding") -> Answer:
    """Compile one file against the theory."""
    (folder / f"{name}.v").write_text(text, encoding="utf-8")
    done = _coqc(folder, compiled_theory(), f"{name}.v")
    return Answer(done.returncode == 0, done.stdout + done.stderr)


def checked_theorems(folder: Path) -> dict[str, Checked]:
    """Statement and axioms of every main theorem, as Rocq prints them."""
    files = " ".join(THEORY)
    lines = ["From Coq Require Import Reals List.", f"From SymbolicPE Require Import {files}."]
    lines += ["Import ListNotations.", "Open Scope R_scope.", "Set Printing Width 90."]
    for index, theorem in enumerate(THEOREMS):
        lines.append(f'Redirect "{index}-statement" Check {theorem.qualified}.')
        lines.append(f'Redirect "{index}-axioms" Print Assumptions {theorem.qualified}.')
    answer = compiled("\n".join(lines) + "\n", folder, "assumptions")
    assert answer.accepted, answer.message
    return {
        theorem.qualified: Checked(
            _statement((folder / f"{index}-statement.out").read_text()),
            _axioms((folder / f"{index}-axioms.out").read_text()),
        )
        for index, theorem in enumerate(THEOREMS)
    }


def _statement(printed: str) -> str:
    _, _, statement = printed.partition("\n     : ")
    return re.sub(r" +$|^ {7}", "", statement.strip(), flags=re.M)


def _axioms(printed: str) -> tuple[str, ...]:
    if printed.startswith("Closed under the global context"):
        return ()
    listed = printed.removeprefix("Axioms:\n")
    return tuple(sorted(re.findall(r"^([A-Za-z][\w.]*)", listed, flags=re.M)))
