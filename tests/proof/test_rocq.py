"""Rocq files say what was proved, and coqc accepts them; with one sign changed it does not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection, Iterable
from pathlib import Path

import pytest
from click.testing import CliRunner

from symbolic_pe.budget import Budget
from symbolic_pe.cli.main import cli
from symbolic_pe.encodings.catalogue import own_kernels
from symbolic_pe.encodings.decoding import decode_toml
from symbolic_pe.encodings.forms import from_any_document, read_any_specification
from symbolic_pe.encodings.specification import from_document, read_specification
from symbolic_pe.errors import NotYetCovered
from symbolic_pe.proof.any_form import proof
from symbolic_pe.proof.prover import prove
from symbolic_pe.proof.rocq import syntax
from symbolic_pe.proof.rocq.document import RocqFile
from symbolic_pe.proof.rocq.encoding_file import rocq_file
from symbolic_pe.proof.rocq.export import THEORY, file_of, rocq_export, theory_texts
from symbolic_pe.proof.rocq.reals import real_term
from tests.proof.rocq import FORBIDDEN, compiled, require_coqc, without_comments
from tests.proof.rocq_specifications import SPECIFICATIONS

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "rocq"
EXAMPLES = sorted(path.stem for path in Path("examples").glob("*.toml"))
LAWS = ("initial-condition", "derivative", "homomorphism", "relativity", "closed-form")


def exported(spec: str) -> RocqFile:
    """The file of a name, of a path, or of one of the texts of these tests."""
    if spec in SPECIFICATIONS:
        found = from_any_document(decode_toml(SPECIFICATIONS[spec]), spec)
    else:
        found = read_any_specification(spec)
    return file_of(proof(found, Budget.of(60.0, 0.75)), f"symbolic-pe prove {spec} --rocq DIR")


# -- text -------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["rope:dim=4", "examples/damped-oscillator.toml"])
def test_file_is_the_golden_one(spec: str, update_golden: bool) -> None:
    found = exported(spec)
    path = GOLDEN / f"{found.name}.v"
    if update_golden:
        path.parent.mkdir(exist_ok=True)
        path.write_text(found.text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == found.text


def test_files_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    texts = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        command = ["prove", "every-block.toml", "alibi:heads=3", "--rocq", str(folder)]
        (tmp_path / "every-block.toml").write_text(SPECIFICATIONS["every-block"])
        subprocess.run(
            [sys.executable, "-m", "symbolic_pe", *command],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.getcwd()},
            capture_output=True,
            check=True,
        )
        texts.append({p.name: p.read_bytes() for p in folder.rglob("*") if p.is_file()})
    assert texts[0] == texts[1]
    assert {"_CoqProject", "every_block.v", "alibi.v", "Flow.v"} <= set(texts[0])


@pytest.mark.parametrize("spec", [*own_kernels(), *SPECIFICATIONS])
def test_nothing_is_assumed(spec: str) -> None:
    text = without_comments(exported(spec).text)
    assert not FORBIDDEN.search(text)
    assert "Proof. vm_compute. reflexivity. Qed." in text or spec == "singular"


def test_the_theory_assumes_nothing() -> None:
    texts = theory_texts()
    assert set(texts) == {f"{name}.v" for name in THEORY}
    for name, text in texts.items():
        inside = without_comments(text)
        found = {m.group() for m in FORBIDDEN.finditer(inside)}
        # Variables and hypotheses of a section become premises when it ends.
        assert found <= {"Variables", "Hypothesis"}, name
        if found:
            assert "Section" in inside, name


def test_comments_cannot_be_ended_by_a_title() -> None:
    document = decode_toml(SPECIFICATIONS["one-map"])
    document["encoding"]["title"] = 'proved *) Axiom x : False. (* "'
    found = rocq_file(prove(from_document(document, "one-map")), "symbolic-pe *) prove")
    assert "Axiom" not in without_comments(found.text)
    assert "Module Head_0" in without_comments(found.text)


def test_what_is_refuted_is_not_stated() -> None:
    found = exported("examples/alibi-misquoted.toml")
    assert found.exported == LAWS
    reason = "it is refuted, also here: theorem not_the_bias"
    assert found.omitted == (("augmentation", reason),)
    assert "Theorem augmentation" not in found.text
    assert "Theorem not_the_bias : ~ (" in found.text


def test_one_map_without_skewness_keeps_the_other_laws() -> None:
    document = decode_toml(SPECIFICATIONS["one-map"])
    document["generator"] = {"matrix": [["-1", "-1"], ["1", "-1"]]}
    found = rocq_file(prove(from_document(document, "one-map")), "")
    assert "relativity" not in found.exported
    assert ("relativity", "it is refuted") in found.omitted
    assert "Theorem relativity" not in found.text


def test_a_relation_between_constants_leaves_the_bias_out() -> None:
    document = decode_toml(SPECIFICATIONS["quadratic-bias"])
    document["augmentation"] = {
        "query": ["sqrt(2)", "0"],
        "key": ["0", "sqrt(2)"],
        "generator": [["0", "1"], ["0", "0"]],
        "bias": "2*tau",
    }
    found = rocq_file(prove(from_document(document, "relation")), "")
    assert ("augmentation", "the bias needs a relation between its constants") in found.omitted
    assert "Theorem augmentation" not in found.text


def test_axes_that_commute_only_by_a_relation_are_left_out() -> None:
    axes = [
        {"matrix": [["0", "sqrt(2)"], ["1", "0"]]},
        {"matrix": [["0", "2"], ["sqrt(2)", "0"]]},
    ]
    found = proof(from_any_document({"axes": axes}, "related"), Budget.of(60.0, 0.75))
    with pytest.raises(NotYetCovered, match="needs a relation between constants"):
        file_of(found, "")


def test_a_step_without_inverse_is_a_semigroup() -> None:
    step = {"step": {"matrix": [["1/2", "1"], ["0", "0"]]}}
    found = file_of(proof(from_any_document(step, "singular"), Budget.of(60.0, 0.75)), "")
    assert found.exported == ("initial-condition", "homomorphism")
    assert "forall j k : nat" in found.text


def test_axes_that_do_not_commute_are_refuted_there_too() -> None:
    found = exported("examples/not-commuting.toml")
    assert found.exported == ("initial-condition",)
    assert "~ (forall p q : vector, A (shifted p q)" in found.text
    assert "Theorem group_law" not in found.text


def test_too_large_a_matrix_is_refused_with_the_limit() -> None:
    n = 17
    rows = [["2" if j == i - 2 else "1" if i == j - 1 else "0" for j in range(n)] for i in range(n)]
    proof = prove(from_document({"matrix": rows}, "large"))
    with pytest.raises(NotYetCovered, match="up to dimension 16; this one has dimension 17"):
        rocq_file(proof, "")


# -- the command ------------------------------------------------------------------------------


def test_the_command_writes_a_project(tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    result = CliRunner().invoke(
        cli, ["prove", "rope:dim=4", "rope:dim=2", "--rocq", str(folder), "--json"]
    )
    assert result.exit_code == 0
    assert "states initial-condition" in result.stderr
    project = (folder / "_CoqProject").read_text().splitlines()
    listed = [line for line in project if line.endswith(".v")]
    assert listed[-2:] == ["encodings/rope.v", "encodings/rope_2.v"]
    assert sorted(listed) == sorted(str(p.relative_to(folder)) for p in folder.rglob("*.v"))


def test_a_refuted_claim_keeps_its_exit_code(tmp_path: Path) -> None:
    command = ["prove", "examples/alibi-misquoted.toml", "--rocq", str(tmp_path / "proofs")]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 1
    assert "leaves out augmentation: it is refuted, also here" in result.stdout


def test_what_cannot_be_exported_is_named_and_the_others_are_written(tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    root = tmp_path / "root.toml"
    root.write_text('[step]\nmatrix = [["sqrt(2)"]]\n')
    result = CliRunner().invoke(cli, ["prove", "rope:dim=2", str(root), "--rocq", str(folder)])
    assert result.exit_code == 3
    assert "root: rational steps up to dimension 32 are exported" in result.stderr
    assert [path.name for path in (folder / "encodings").iterdir()] == ["rope.v"]
    alone = CliRunner().invoke(cli, ["prove", str(root), "--rocq", str(tmp_path / "none")])
    assert alone.exit_code == 3
    assert not (tmp_path / "none").exists()


def test_an_unwritable_directory_is_an_error_without_traceback(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    command = ["prove", "rope:dim=2", "--rocq", str(tmp_path / "file" / "proofs")]
    result = CliRunner().invoke(cli, command)
    assert result.exit_code == 2
    assert "cannot create the directory" in result.stderr


def test_keywords_and_equal_names_get_names_of_their_own() -> None:
    proof = prove(from_document({"name": "match", "matrix": [["0"]]}, "match"))
    export = rocq_export([(proof, "a"), (proof, "b")])
    assert list(export.folders["encodings"]) == ["match_.v", "match__2.v"]


# -- coqc -------------------------------------------------------------------------------------


def sooner(labels: Iterable[str], fast: Collection[str]) -> list[object]:
    """All labels as parameters of a test, those beyond `fast` marked slow."""
    return [pytest.param(x, marks=[] if x in fast else [pytest.mark.slow]) for x in labels]


@pytest.mark.parametrize("spec", sooner(SPECIFICATIONS, ("similar", "cubic-chain", "three-axes")))
def test_every_part_of_the_export_is_accepted(spec: str, tmp_path: Path) -> None:
    require_coqc()
    answer = compiled(exported(spec).text, tmp_path)
    assert answer.accepted, answer.message


@pytest.mark.slow
@pytest.mark.parametrize("name", list(own_kernels()))
def test_the_catalogue_is_accepted(name: str, tmp_path: Path) -> None:
    require_coqc()
    answer = compiled(exported(name).text, tmp_path)
    assert answer.accepted, answer.message


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_are_accepted(name: str, tmp_path: Path) -> None:
    require_coqc()
    answer = compiled(exported(f"examples/{name}.toml").text, tmp_path)
    assert answer.accepted, answer.message


PLACED = """
[generator]
blocks = [{ rate = "-1/2", frequency = "2", chain_length = 2, shear = "3" }, { rate = "5" },
          { frequency = "1/7" }]
"""


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["rope:dim=4,base=100,layout=half", "placed"])
def test_x_of_the_file_is_the_matrix_of_the_encoding(layout: str, tmp_path: Path) -> None:
    require_coqc()
    if layout == "placed":
        encoding = from_document(decode_toml(PLACED), "placed")
    else:
        encoding = read_specification(layout)
    n = encoding.dimension
    matrix = encoding.heads[0].generator.matrix
    rows = syntax.rows(((str(real_term(x)) for x in row) for row in matrix), 2)
    compare = f"""
Lemma same : Head_0.X =[{n}] entries {rows}.
Proof.
  intros i j Hi Hj.
  do {n} (destruct i as [|i]; [do {n} (destruct j as [|j]; [cbn; lra|]); lia|]). lia.
Qed.
"""
    text = rocq_file(prove(encoding), "").text
    answer = compiled(text + compare, tmp_path)
    assert answer.accepted, answer.message
    wrong = compare.replace("entries [[", "entries [[1 + ")
    assert not compiled(text + wrong, tmp_path).accepted


# What is changed, the text it stands in, what it becomes, and what coqc says.
COMPUTED, READ, PROVED = 'unify "true" with "false"', "Unable to unify", "has type"
OSCILLATOR = "examples/damped-oscillator.toml"
P_CHANGED = "P_rows : list (list Z) :=\n  [[-1"
MUTATIONS = {
    "X": ("rope:dim=4", "[[Int 0; Neg (Sym 0)]", "[[Int 0; Sym 0]", COMPUTED),
    "E": ("rope:dim=4", "[[Fun 0 0; Neg (Fun 0 1)]", "[[Fun 0 0; Fun 0 1]", COMPUTED),
    "reading of X": ("rope:dim=4", "[[0; - b]", "[[0; b]", READ),
    "reading of E": ("rope:dim=4", "(b * t); - sin", "(b * t); sin", READ),
    "function of E": ("rope:dim=4", "[[cos (b * t)", "[[sin (b * t)", READ),
    "a channel twice": ("rope:dim=4", "[0; 1; 2; 3]", "[0; 1; 2; 2]", COMPUTED),
    "group law": ("rope:dim=4", "A (s + t) =[4]", "A (s - t) =[4]", PROVED),
    "relativity": ("rope:dim=4", "q (A (t - s)) k", "q (A (s - t)) k", PROVED),
    "generators that commute": (
        "examples/axial.toml",
        "X_1_data : list (list expr) :=\n  [[Int 0",
        "X_1_data : list (list expr) :=\n  [[Int 1",
        COMPUTED,
    ),
    "refuted group law": (
        "examples/not-commuting.toml",
        "[[0; 0; 1];\n   [0; 0; 0];\n   [- 1; 0; 0]]",
        "[[0; 0; 0];\n   [0; 0; 1];\n   [0; - 1; 0]]",
        "Cannot find witness",
    ),
    "refuted bias": (
        "examples/alibi-misquoted.toml",
        "Definition bias (m : R) (t : R) : R := - (m * t).",
        "Definition bias (m : R) (t : R) : R := - m.",
        "Cannot find witness",
    ),
    "rate": ("decay:dim=2", "- (1 / 32)", "1 / 32", "Cannot find witness"),
    "rate of logarithms": ("xpos:dim=2", "[2]%positive [7]", "[7]%positive [2]", PROVED),
    "inverse of a step": (
        "examples/no-generator.toml",
        "C_rows : list (list Z) :=\n  [[-1; -1]",
        "C_rows : list (list Z) :=\n  [[-1; 1]",
        COMPUTED,
    ),
    "Jordan block": ("similar", "PairChain 2 1 4", "PairChain 2 (-1) 4", COMPUTED),
    "P": ("similar", "P_rows : list (list Z) :=\n  [[1", P_CHANGED, COMPUTED),
    "X in integers": ("similar", "[[1; -4", "[[1; 4", COMPUTED),
    "quadratic": (OSCILLATOR, "Pow (Sym 0) 2) (Mul", "Pow (Sym 0) 3) (Mul", COMPUTED),
    "hypothesis": ("cubic-chain", "3 (components [2;", "3 (components [3;", PROVED),
    "bias": (
        "quadratic-bias",
        "Add (Neg (Mul (Sym 1) (Pow Time 2)))",
        "Add (Mul (Sym 1) (Pow Time 2))",
        COMPUTED,
    ),
    "reading of the bias": ("quadratic-bias", "(t : R) : R := ", "(t : R) : R := t + ", READ),
}


@pytest.mark.parametrize("label", sooner(MUTATIONS, ("E", "reading of E", "P")))
def test_one_change_is_refused(label: str, tmp_path: Path) -> None:
    require_coqc()
    spec, old, new, message = MUTATIONS[label]
    text = exported(spec).text
    assert old in text
    answer = compiled(text.replace(old, new), tmp_path)
    assert not answer.accepted
    assert message in " ".join(answer.message.split()), answer.message
