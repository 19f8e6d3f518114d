"""PyTorch subjects: dtypes, caches, gradients, and the kinds of faults that need them."""

from __future__ import annotations

from typing import Any

import pytest

from numeric_check.audit import audit

torch: Any = pytest.importorskip("torch")


def frequencies(d: int, base: float = 10000.0) -> Any:
    return 1.0 / base ** (torch.arange(0, d, 2, dtype=torch.float64) / d)


def apply(x: Any, cos: Any, sin: Any) -> Any:
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


def rope(
    frequency: Any = torch.float32,
    position: Any = torch.float32,
    product: Any = torch.float32,
    table: Any = None,
    base: float = 10000.0,
) -> Any:
    """RoPE with a dtype at every stage; the tables go to the dtype of x in the end."""

    def f(x: Any, positions: Any) -> Any:
        angle = (
            positions.to(position).to(product)[:, None]
            * frequencies(x.shape[-1], base).to(frequency).to(product)
        ).to(torch.float64 if product is torch.float64 else torch.float32)
        cos, sin = angle.cos(), angle.sin()
        if table is not None:
            cos, sin = cos.to(table), sin.to(table)
        return apply(x, cos.to(x.dtype), sin.to(x.dtype))

    return f


def refuted(report: Any) -> set[str]:
    return {f.question for f in report.refuted}


@pytest.mark.parametrize("base", [10000.0, 500000.0])
@pytest.mark.parametrize("product", ["float32", "float64"])
def test_right_ones_are_acquitted_in_every_dtype(product: str, base: float) -> None:
    kind = getattr(torch, product)
    report = audit(
        rope(kind, kind, kind, base=base),
        dimension=32,
        against=f"rope:dim=32,base={int(base)},layout=half",
    )
    assert refuted(report) == set()
    assert report.exit_code == 0
    assert report.of("against").verdict == "consistent"


def test_float32_angles_grow_and_say_from_where() -> None:
    report = audit(rope(), dimension=32)
    finding = report.of("precision float32")
    assert finding.verdict == "consistent"
    assert finding.detail.startswith("grows")
    assert 2 <= finding.numbers["first_over"] < 200  # type: ignore[operator]


@pytest.mark.parametrize("table", ["bfloat16", "float16"])
def test_coarse_tables_are_bounded_not_broken(table: str) -> None:
    kind = getattr(torch, table)
    report = audit(rope(torch.float64, torch.float64, torch.float64, kind), dimension=32)
    finding = report.of("precision float32")
    assert refuted(report) == set()
    assert finding.detail.startswith("bounded")
    assert f"rounded to {table}" in finding.detail
    assert finding.error < 5e-3  # type: ignore[operator]


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
@pytest.mark.parametrize("stage", ["frequency", "position", "product"])
def test_angles_that_lose_bits(stage: str, kind: str) -> None:
    report = audit(rope(**{stage: getattr(torch, kind)}), dimension=128)
    assert "precision float32" in refuted(report)
    if stage == "frequency":
        assert "relative" not in refuted(report)
        assert f"rounded to {kind}" in report.of("frequencies").detail
    else:
        assert kind in report.of("precision float32").detail


@pytest.mark.parametrize(("kind", "at"), [("bfloat16", 256), ("float16", 2048)])
def test_positions_in_the_dtype_of_the_query(kind: str, at: int) -> None:
    def f(x: Any, positions: Any) -> Any:
        return rope(position=x.dtype)(x, positions)

    report = audit(f, dimension=32)
    assert f"distinct {kind}" in refuted(report)
    assert f"positions {at} and {at + 1}" in report.of(f"distinct {kind}").detail
    assert report.of("precision float32").verdict == "consistent"


class Cached(torch.nn.Module):  # type: ignore[misc]
    """A table made in the dtype of the first call that was long enough, and kept."""

    def __init__(self) -> None:
        super().__init__()
        self.angle: Any = None

    def forward(self, x: Any, positions: Any) -> Any:
        size = int(positions.max()) + 1
        if self.angle is None or len(self.angle) < size:
            steps = torch.arange(size, dtype=x.dtype)
            self.angle = steps[:, None] * frequencies(x.shape[-1]).to(x.dtype)
        angle = self.angle[positions].to(torch.float32)
        return apply(x, angle.cos().to(x.dtype), angle.sin().to(x.dtype))


def test_a_cache_that_remembers_a_dtype() -> None:
    assert "history" in refuted(audit(Cached(), dimension=16))


def test_a_matrix_exponential_that_is_wrong_for_one_matrix() -> None:
    """The polynomial of degree 4 with a wrong last coefficient, for a single matrix only."""

    def exponential(x: Any) -> Any:
        if len(x) > 1 or x.dtype != torch.float32:
            return torch.linalg.matrix_exp(x.to(torch.float64)).to(x.dtype)
        eye = torch.eye(2, dtype=x.dtype)
        square = x @ x
        return eye + x + square / 2 + square @ x / 6 + square @ square / 23

    def f(x: Any, positions: Any) -> Any:
        turn = torch.tensor([[0.0, -0.5], [0.5, 0.0]], dtype=x.dtype)
        matrices = exponential(positions.to(x.dtype)[:, None, None] * turn)
        return torch.einsum("nij,...nj->...ni", matrices, x)

    found = refuted(audit(f, dimension=2))
    assert {"prefill = decode", "precision float32"} <= found


def test_torch_matrix_exp_of_a_single_rotation_is_measured() -> None:
    """torch 2.13: 2.5e-5 in float32 at angle 0.5; other versions may be right."""
    one = torch.linalg.matrix_exp(torch.tensor([[0.0, -0.5], [0.5, 0.0]]))
    wrong = abs(float(one[1, 0]) - 0.479425538604203) > 1e-6

    def f(x: Any, positions: Any) -> Any:
        turn = torch.tensor([[0.0, -0.5], [0.5, 0.0]], dtype=x.dtype)
        matrices = torch.linalg.matrix_exp(positions.to(x.dtype)[:, None, None] * turn)
        return torch.einsum("nij,...nj->...ni", matrices, x)

    report = audit(f, dimension=2)
    assert ("precision float32" in refuted(report)) == wrong


def test_a_result_of_another_dtype() -> None:
    def f(x: Any, positions: Any) -> Any:
        angle = positions[:, None] * frequencies(x.shape[-1]).to(torch.float32)
        return apply(x, angle.cos(), angle.sin())

    assert "dtype" in refuted(audit(f, dimension=16))


def test_a_table_of_integers() -> None:
    def f(x: Any, positions: Any) -> Any:
        angle = positions[:, None] * frequencies(x.shape[-1])
        cos, sin = angle.cos().to(positions.dtype), angle.sin().to(positions.dtype)
        return apply(x, cos.to(x.dtype), sin.to(x.dtype))

    assert refuted(audit(f, dimension=16)) & {"relative", "gain", "generator", "position dtype"}


def test_a_gradient_that_is_cut() -> None:
    def f(x: Any, positions: Any) -> Any:
        return rope()(x.detach(), positions)

    assert refuted(audit(f, dimension=16)) == {"gradient"}


@pytest.mark.parametrize("guarded", [True, False])
def test_a_derivative_that_is_not_finite_at_zero(guarded: bool) -> None:
    """sin(t)/t without care: the value is right, its derivative at 0 is not a number."""

    def f(x: Any, positions: Any) -> Any:
        t = positions.to(torch.float64)[:, None]
        safe = torch.where(t == 0, torch.ones_like(t), t) if guarded else t
        ratio = torch.where(t == 0, torch.ones_like(t), torch.sin(t) / safe)
        cos, sin = torch.cos(t), t * ratio
        return apply(x, cos.to(x.dtype), sin.to(x.dtype))

    report = audit(f, dimension=2)
    assert report.of("clock").verdict == ("consistent" if guarded else "refuted")
    assert refuted(report) == (set() if guarded else {"clock"})


def test_positions_of_each_row() -> None:
    """Takes (batch, n), but gives every row the positions of the first."""

    def f(x: Any, positions: Any) -> Any:
        where = positions if positions.ndim == 1 else positions[0]
        return rope()(x, where)

    assert "packed = padded" in refuted(audit(f, dimension=16))


def test_complex_planes_are_acquitted() -> None:
    def f(x: Any, positions: Any) -> Any:
        angle = positions.to(torch.float64)[:, None] * frequencies(x.shape[-1])
        planes = torch.view_as_complex(x.to(torch.float64).unflatten(-1, (-1, 2)))
        turned = planes * torch.polar(torch.ones_like(angle), angle)
        return torch.view_as_real(turned).flatten(-2).to(x.dtype)

    report = audit(f, dimension=16, against="rope:dim=16")
    assert refuted(report) == set()
    assert report.of("against").verdict == "consistent"


def test_a_module_that_takes_one_dtype() -> None:
    def f(x: Any, positions: Any) -> Any:
        if x.dtype != torch.bfloat16:
            raise TypeError("expected bfloat16")
        return rope()(x, positions)

    report = audit(f, dimension=16, against="rope:dim=16,layout=half")
    assert refuted(report) == set()
    assert report.of("against").verdict == "consistent"
    assert report.of("precision float32").verdict == "not asked"


def test_compilers_are_asked_when_wanted() -> None:
    report = audit(rope(), dimension=8, deep=True)
    assert report.of("compile").verdict == "consistent"
    assert report.of("export").verdict == "consistent"


def breaks_the_graph(x: Any, positions: Any) -> Any:
    """Looks at a value: compilers cannot follow."""
    return x if float(x.sum()) > 1e30 else rope()(x, positions)


def test_what_compilers_refuse_is_refuted_when_they_are_asked() -> None:
    report = audit(breaks_the_graph, dimension=8, deep=True)
    assert refuted(report) == {"compile", "export", "vmap"}
    assert "it raised" in report.of("compile").witness
    assert "torch.compile(f, fullgraph=True" in report.of("compile").reproduce
    plain = audit(breaks_the_graph, dimension=8)
    assert refuted(plain) == set()
    assert "--deep judges this" in plain.of("vmap").detail


def test_a_learned_clock_is_judged_when_it_is_one() -> None:
    def cut(x: Any, positions: Any) -> Any:
        return rope()(x, positions.detach())

    def whole(x: Any, positions: Any) -> Any:
        return rope()(x, positions.to(torch.int64))

    for faulty in (cut, whole):
        assert "clock" in refuted(audit(faulty, dimension=8, clock=True))
        assert refuted(audit(faulty, dimension=8)) == set()
    good = audit(rope(*[torch.float64] * 3), dimension=8, clock=True)
    assert good.of("clock").verdict == "consistent"


def test_lines_of_derivatives_and_transforms(tmp_path: Any, monkeypatch: Any) -> None:
    import shlex
    import subprocess
    import sys

    (tmp_path / "torch_faults.py").write_text(
        "import torch\n"
        "def apply(x, p):\n"
        "    a, b = x.chunk(2, dim=-1)\n"
        "    angle = p.to(torch.float64)[:, None] * torch.tensor([1.0, 0.1], dtype=torch.float64)\n"
        "    c, s = angle.cos().to(x.dtype), angle.sin().to(x.dtype)\n"
        "    return torch.cat([a * c - b * s, b * c + a * s], dim=-1)\n"
        "def half_cut(x, p):\n"
        "    y, z = apply(x, p), apply(x.detach(), p)\n"
        "    return torch.cat([y[..., :2], z[..., 2:]], dim=-1)\n"
        "def slow_clock(x, p):\n"
        "    return apply(x, p.detach() + 0.5 * (p - p.detach()))\n"
        "def breaks(x, p):\n"
        "    return x if float(x.sum()) > 1e30 else apply(x, p)\n"
    )
    monkeypatch.chdir(tmp_path)
    lines = [
        audit("torch_faults.py:half_cut", dimension=4).of("gradient").reproduce,
        audit("torch_faults.py:slow_clock", dimension=4).of("clock").reproduce,
        audit("torch_faults.py:breaks", dimension=4, deep=True).of("vmap").reproduce,
    ]
    running = [
        subprocess.Popen([sys.executable, *shlex.split(line)[1:]], cwd=tmp_path, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for line in lines
    ]  # fmt: skip
    gradient, clock, vmap = (p.communicate() for p in running)
    assert float(gradient[0].partition("(")[2].partition(",")[0].rstrip(")\n")) > 0.1
    value, slope = map(float, clock[0].split())
    assert abs(slope) > 0.01
    assert value != slope
    assert running[2].returncode == 1
    assert "vmap" in vmap[1]


def test_a_narrower_module_says_so() -> None:
    def f(x: Any, positions: Any) -> Any:
        return rope()(x.float(), positions)

    assert refuted(audit(f, dimension=8)) == {"dtype"}
