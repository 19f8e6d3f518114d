"""Tasks, their ceilings, models and runs: reproducible, resumable, the same on a cluster."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from numeric_check.spectrum.tasks.generators import FIRST, SECOND, TASKS, Count, Distance
from symbolic_pe.errors import SpecificationError

torch = pytest.importorskip("torch")
pytest.importorskip("joblib")

from numeric_check.spectrum.tasks import training  # noqa: E402
from numeric_check.spectrum.tasks.models import ENCODINGS, Classifier, Size  # noqa: E402
from numeric_check.spectrum.tasks.report import markdown  # noqa: E402
from numeric_check.spectrum.tasks.training import Setting, run_all, settings, train  # noqa: E402

TINY = {"steps": 2, "batch": 4, "layers": 1, "width": 16, "heads": 2}


@pytest.fixture(autouse=True)
def small_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "TESTED", 128)


def draw(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


# -- ceilings ---------------------------------------------------------------------------------


@pytest.mark.parametrize("task", [Distance(2, 3, 1), Distance(0, 4, 3), Distance()])
def test_the_length_ceiling_is_that_of_the_best_table(task: Distance) -> None:
    joint: Counter[tuple[int, int]] = Counter()
    for a, m, b in product(range(task.left + 1), range(task.middle), range(task.right + 1)):
        joint[a + m + b, m] += 1
    best = sum(
        max(n for (size, _), n in joint.items() if size == length)
        for length in {length for length, _ in joint}
    )
    assert task.length_only_ceiling() == Fraction(best, sum(joint.values()))
    assert task.full_information_ceiling() == 1


def test_spurious_triggers_lower_the_ceiling_by_what_a_sample_shows() -> None:
    task = Distance(left=2, middle=3, right=2, fillers=4, spurious=True)
    ceiling = task.full_information_ceiling()
    assert Fraction(1, 2) < ceiling < 1
    batch = task.sample(20000, draw())
    gain = 0.0
    for row, label in zip(batch.tokens, batch.labels, strict=True):
        length = int((row != 0).sum())
        consistent: Counter[int] = Counter()
        for i, j in product(range(length), repeat=2):
            fits = i <= task.left and j - i - 1 < task.middle and length - 1 - j <= task.right
            if i < j and fits and row[i] == FIRST and row[j] == SECOND:
                consistent[j - i - 1] += 1
        assert consistent[int(label)]
        top = max(consistent.values())
        winners = [m for m, n in consistent.items() if n == top]
        gain += (int(label) in winners) / len(winners)
    assert abs(gain / 20000 - float(ceiling)) < 0.012


def test_long_tasks_with_spurious_triggers_are_not_enumerated() -> None:
    with pytest.raises(SpecificationError, match="about 12"):
        Distance(spurious=True).full_information_ceiling()


def test_samples_say_what_their_label_is() -> None:
    batch = Distance().sample(500, draw())
    for row, label in zip(batch.tokens, batch.labels, strict=True):
        (first,), (second,) = np.flatnonzero(row == FIRST), np.flatnonzero(row == SECOND)
        assert second - first - 1 == label
    counted = Count().sample(500, draw())
    assert ((counted.tokens == FIRST).sum(axis=1) == counted.labels).all()
    assert set(counted.labels) == set(range(Count().classes))


def test_tasks_refuse_what_makes_no_sense() -> None:
    for wrong in (lambda: Distance(middle=1), lambda: Count(most=40), lambda: Count(fillers=0)):
        with pytest.raises(SpecificationError, match="expected"):
            wrong()


# -- models -----------------------------------------------------------------------------------


def model(encoding: str) -> Classifier:
    torch.manual_seed(0)
    return Classifier(15, 8, 19, encoding, Size()).eval()


@pytest.mark.parametrize("encoding", list(ENCODINGS))
def test_only_the_model_without_encoding_ignores_order(encoding: str) -> None:
    found = model(encoding)
    with torch.no_grad():
        for p in found.encoding.parameters():
            p.normal_()
        tokens = torch.from_numpy(Distance().sample(16, draw()).tokens)
        order = torch.randperm(tokens.shape[1], generator=torch.Generator().manual_seed(1))
        moved = (found(tokens) - found(tokens[:, order])).abs().max()
    assert bool(moved < 1e-5) == (encoding == "nope")


@pytest.mark.parametrize("encoding", ["rope", "half-rope"])
def test_turned_queries_and_keys_depend_on_the_lag(encoding: str) -> None:
    part = ENCODINGS[encoding](Size(), 18)
    q, k = (torch.randn(16, generator=torch.Generator().manual_seed(s)) for s in (0, 1))
    queries, keys = part.turn(q.expand(1, 1, 12, 16)), part.turn(k.expand(1, 1, 12, 16))
    logits = (queries @ keys.transpose(-1, -2))[0, 0]
    for lag in (0, 3):
        diagonal = torch.diagonal(logits, -lag)
        assert torch.allclose(diagonal, diagonal[:1].expand_as(diagonal), atol=1e-5)


def test_padding_is_not_seen() -> None:
    found = model("rope")
    tokens = torch.tensor([[3, 1, 4, 2]])
    with torch.no_grad():
        padded = found(torch.nn.functional.pad(tokens, (0, 6)))
        assert torch.allclose(found(tokens), padded, atol=1e-5)


# -- runs -------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_run() -> None:
    setting = Setting("count", "rope", 3, **TINY)
    assert train(setting) == train(setting)
    assert train(setting) != train(Setting("count", "rope", 4, **TINY))


def test_runs_that_are_there_are_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = settings(["count"], ["nope", "t5"], 1, **TINY)
    first = run_all(wanted, tmp_path)
    damaged = tmp_path / f"{wanted[0].stem}.json"
    damaged.write_text(damaged.read_text()[:40])
    said: list[str] = []
    assert run_all(wanted, tmp_path, progress=said.append) == first
    assert said[0] == "1 of 2 runs are there"

    def refuse(_: Setting) -> None:
        raise AssertionError

    monkeypatch.setattr(training, "train", refuse)
    assert run_all(wanted, tmp_path) == first
    assert not list(tmp_path.glob("*.part"))
    assert json.loads(damaged.read_text())["setting"]["encoding"] == "nope"


def test_a_local_cluster_gives_the_same_runs(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    import joblib

    wanted = settings(["distance"], ["alibi"], 2, **TINY)
    here = run_all(wanted, tmp_path / "here")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        there = run_all(wanted, tmp_path / "there", jobs=-1)
    assert there == here


def test_tables_show_every_seed_beside_the_ceilings() -> None:
    runs = [train(s) for s in settings(["distance"], ["nope"], 3, **TINY)]
    text = markdown(runs)
    assert str(TASKS["distance"].length_only_ceiling()) in text
    row = next(line for line in text.splitlines() if line.startswith("| nope"))
    assert row.split("|")[4].count(",") == 2


def test_unknown_names_are_refused() -> None:
    with pytest.raises(SpecificationError, match="'ropes'"):
        settings(["count"], ["ropes"], 1)
    with pytest.raises(SpecificationError, match="'sum'"):
        settings(["sum"], ["rope"], 1)


def test_the_example_shows_every_head(capsys: pytest.CaptureFixture[str]) -> None:
    import runpy

    runpy.run_path("examples/head_lens.py")["main"](2)
    printed = capsys.readouterr().out.splitlines()
    assert "ceiling without position 0.271" in printed[0]
    assert len(printed) == 7


def test_the_command_writes_its_page(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from symbolic_pe.cli.main import cli

    page = tmp_path / "page.md"
    page.write_text("<!-- begin tasks -->\n<!-- end tasks -->\n")
    arguments = ["bench", "tasks", "--task", "count", "--encoding", "nope", "--seeds", "1"]
    arguments += ["--steps", "2", "--runs", str(tmp_path / "runs"), "--page", str(page)]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    assert "| nope |" in page.read_text()
    refused = CliRunner().invoke(cli, [*arguments[:4], "--encoding", "x", "--runs", str(tmp_path)])
    assert refused.exit_code == 2


def test_the_page_states_the_ceilings() -> None:
    page = Path("docs/reference/tasks.md").read_text()
    for name, task in TASKS.items():
        row = next(line for line in page.splitlines() if line.startswith(f"| {name} |"))
        assert f"| {task.length_only_ceiling()} | {task.full_information_ceiling()} |" in row
