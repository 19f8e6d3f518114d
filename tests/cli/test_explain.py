"""`explain` and `book`: pages of derivations and encodings say what the other commands say."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from derivations import derivations
from symbolic_pe.cli.bibliography import NUMBER, read_bibliography
from symbolic_pe.cli.explain import page_named
from symbolic_pe.cli.function_portraits import by_head
from symbolic_pe.cli.interface_pages import command_page, modules, public_names, python_pages
from symbolic_pe.cli.main import cli
from symbolic_pe.encodings.catalogue import entries
from symbolic_pe.encodings.outside import Outside
from symbolic_pe.proof.verdicts import evidence
from symbolic_pe.render.page import Block, Box, Code, Folded, Picture, Table

BIBLIOGRAPHY = Path("docs/references.bib")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def flat(blocks: tuple[Block, ...]) -> list[Block]:
    found: list[Block] = []
    for block in blocks:
        found.append(block)
        if isinstance(block, Folded):
            found += flat(block.blocks)
    return found


@pytest.mark.parametrize("name", ["nope", "rope", "alibi", "mamba-2", "jordan-rope", "t5", "axial"])
def test_a_page_has_the_verdict_the_claims_and_the_code(name: str) -> None:
    entry = entries()[name]
    blocks = flat(page_named(name).blocks)
    facts, claims, *others = (block for block in blocks if isinstance(block, Table))
    assert ("verdict", f"**{entry.verdict.value}**: proved") in facts.rows
    decided = [(c.name, c.verdict.value, f"`{c.statement}`") for c in evidence(entry)]
    assert [row[:3] for row in claims.rows] == decided
    values = next(t for t in others if t.head[0] == "number")
    assert [row[1] for row in values.rows] == [f"`{v.printed}`" for v in entry.values]
    assert {row[3] for row in values.rows} == {"agrees"}
    boxes = [b for b in blocks if isinstance(b, Box)]
    assert [(b.kind, b.label) for b in boxes] == [("refuted", m.name) for m in entry.mistakes]
    code = [b.text for b in blocks if isinstance(b, Code) and b.language == "python"]
    emitted = run("emit", name)
    assert code == ([emitted.output] if emitted.exit_code == 0 else [])


def test_joint_blocks_of_axes_are_rows() -> None:
    def rows(name: str) -> tuple[tuple[str, ...], ...]:
        tables = [b for b in page_named(name).blocks if isinstance(b, Table)]
        return next((t.rows for t in tables if t.head[:2] == ("channels", "block")), ())

    assert rows("rope-mixed:dim=8")[0] == ("0, 1", "plane", r"$\pm \frac{3}{5} i$",
                                           r"$\pm \frac{4}{5} i$")  # fmt: skip
    assert rows("rope-mixed:dim=8")[2][3] == r"$\mp \frac{3}{5} i$"
    assert rows("m-rope")[-1][0] == "… and 48 more"
    assert rows("liere") == ()


def test_a_page_of_settings_and_of_a_file() -> None:
    assert "on 8 channels" in run("explain", "rope:dim=8").output
    oscillator = run("explain", "examples/damped-oscillator.toml")
    assert oscillator.exit_code == 0
    assert r"-w^{2} & -2 w z" in oscillator.output
    assert oscillator.output.count("| family | eigenvalue |") == 7


def test_pictures_are_drawn_of_what_has_numbers() -> None:
    assert [b.name for b in pictures_of("retnet:dim=4,heads=2")] == [
        "retnet-spectrum",
        "retnet-traces",
        "retnet-score",
        "retnet-heads",
    ]
    axial = pictures_of("axial:dim=8")
    assert [b.name for b in axial] == ["axial-spectrum", "axial-score"]
    assert ">y<" not in axial[1].svg  # one curve: both axes act alike
    assert ">y<" in pictures_of("liere")[1].svg
    oscillator = page_named("examples/damped-oscillator.toml", figures=True)
    assert not any(isinstance(b, Picture) for b in oscillator.blocks)


def pictures_of(name: str) -> list[Picture]:
    return [b for b in page_named(name, figures=True).blocks if isinstance(b, Picture)]


@pytest.mark.parametrize(
    ("name", "kind", "lines"),
    [
        ("t5", "bias", ["head 0", "head 1"]),
        ("kerple", "bias", ["head 0", "head 1"]),
        ("fire", "bias", ["t = 256", "t = 1024", "t = 4096"]),
        ("sinusoidal:dim=8", "table", ["column 0", "column 2", "column 5", "column 7"]),
        ("learned:length=8", "table", ["column 0", "column 1"]),
        ("fope", "table", ["column 0", "column 2", "column 5", "column 7"]),
    ],
)
def test_what_is_no_group_is_drawn_by_lag_or_position(
    name: str, kind: str, lines: list[str]
) -> None:
    (picture,) = pictures_of(name)
    assert picture.name == f"{name.split(':', maxsplit=1)[0]}-{kind}"
    assert re.findall(r">((?:head|t =|column) \d+)<", picture.svg) == lines


def test_a_bias_without_code_has_no_picture() -> None:
    assert pictures_of("cope") == []


def test_what_is_drawn_of_a_bias_is_the_bias() -> None:
    """Both directions differ, one query a curve where the query counts, heads in order."""
    kerple = entries()["kerple"].form({})
    assert isinstance(kerple, Outside)
    assert kerple.function is not None
    first, second = by_head(kerple.function)
    assert first.points[0] == (0.0, 0.0)
    assert first.points[1] == pytest.approx((2.0, -0.5 * math.log(2)))
    assert second.points[1] == pytest.approx((2.0, -1.5 * math.log(5)))
    both = entries()["t5"].form({"direction": "both"})
    assert isinstance(both, Outside)
    assert both.function is not None
    line = next(iter(by_head(both.function))).points
    assert line[0][0] == -512.0
    assert line[0][1] != line[-1][1]


@pytest.mark.parametrize("form", ["markdown", "latex", "html"])
def test_a_derivation_in_every_format(form: str, tmp_path: Path) -> None:
    target = tmp_path / "page"
    assert run("explain", "alibi-augmentation", "--format", form, "-o", str(target)).exit_code == 0
    text = target.read_text(encoding="utf-8")
    assert "sha256:" in text
    assert "ALiBi is a positional group" in text
    assert [p.name for p in tmp_path.iterdir()] == ["page"]


def test_names_that_are_none(tmp_path: Path) -> None:
    result = run("explain", "ropee", "-o", str(tmp_path / "page"))
    assert result.exit_code == 2
    assert "did you mean 'rope'" in result.stderr
    assert list(tmp_path.iterdir()) == []
    assert run("explain", "rope:dim=7").exit_code == 2
    assert run("explain", "no-such-file.toml").exit_code == 2


def test_the_list_has_everything_once() -> None:
    names = [line.split()[0] for line in run("explain").output.splitlines() if line[0] == " "]
    known = [name.removeprefix("derivation:") for name in names]
    assert known == [*(d.name for d in derivations()), *entries()]
    assert len(set(names)) == len(names)


def test_a_name_that_both_have_is_the_encoding() -> None:
    shared = [d.name for d in derivations() if d.name in entries()]
    for name in shared:
        assert page_named(name).title.startswith(f"{name}: ")
        assert page_named(f"derivation:{name}").written == f"symbolic-pe explain derivation:{name}"


# -- book -------------------------------------------------------------------------------------


def test_book_wants_a_copy_of_docs(tmp_path: Path) -> None:
    result = run("book", str(tmp_path))
    assert result.exit_code == 2
    assert "references.bib" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_every_public_name_is_in_the_reference() -> None:
    pages = python_pages()
    import importlib

    for package, listed in modules().items():
        text = pages[f"reference/python/{package}.md"]
        for module in listed:
            assert f"{{py:module}} {module}\n" in text
            section = text[text.index(f"{{py:module}} {module}\n") :]
            for name, value in public_names(importlib.import_module(module)).items():
                assert re.search(rf"^:+{{py:(function|class)}} {name}\b", section, re.M), name
                assert (value.__doc__ or "").strip(), name
    import symbolic_pe

    for name in symbolic_pe.__all__:
        assert f"{{py:obj}}`{name} <" in pages["reference/python/index.md"]


def test_every_command_is_in_the_reference() -> None:
    page = command_page(cli)
    for name, command in cli.commands.items():
        assert f"\n## {name}\n" in page
        for option in command.params:
            assert option.opts[-1] in page or option.param_type_name == "argument"


def test_sources_with_a_number_are_in_the_bibliography() -> None:
    known = read_bibliography(BIBLIOGRAPHY)
    texts = [entry.reference for entry in entries().values()]
    texts += [source for d in derivations() for source in d.sources]
    missing = {n for text in texts for n in NUMBER.findall(text)} - set(known.numbers)
    assert missing == set()
    keys = re.findall(r"^@\w+\{(\S+),", BIBLIOGRAPHY.read_text(encoding="utf-8"), re.M)
    assert len(set(keys)) == len(keys)
