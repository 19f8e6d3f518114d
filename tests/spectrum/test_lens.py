"""Heads of arrays and of a model: predicted shares, the theorem's bound, ablation of one head."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from numeric_check.spectrum.lens import Operator, centred, deposit_index, head_lens
from numeric_check.spectrum.tensors import HeadAdapter, read_tensor
from symbolic_pe.cli.main import cli
from symbolic_pe.encodings.catalogue import catalogue
from symbolic_pe.encodings.encoding import Encoding
from symbolic_pe.encodings.specification import from_document
from symbolic_pe.errors import SpecificationError


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def rope(dim: int = 8) -> Encoding:
    return catalogue("rope", {"dim": dim})


def test_logits_are_those_of_rotated_queries_and_keys() -> None:
    n, d = 9, 8
    q, k = random(n, d), random(n, d, seed=1)
    thetas = 10000.0 ** (-2 * np.arange(d // 2) / d)

    def turned(x: np.ndarray) -> np.ndarray:
        z = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * np.outer(np.arange(n), thetas))
        return np.stack([z.real, z.imag], -1).reshape(n, d)

    found = Operator.of(rope(), 0, n).logits(q, k)
    assert np.allclose(found, turned(q) @ turned(k).T)


@pytest.mark.parametrize("name", ["jordan-rope", "xpos", "decay", "alibi"])
def test_operators_of_other_encodings_are_groups(name: str) -> None:
    encoding = catalogue(name)
    matrices = dict(Operator.of(encoding, 0, 4).matrices())
    assert np.allclose(matrices[1] @ matrices[2], matrices[3])
    assert np.allclose(matrices[0], np.eye(encoding.dimension))


def test_a_generator_as_a_matrix_gives_the_same_operators() -> None:
    rows = [["0", "-1/3"], ["1/3", "0"]]
    encoding = from_document({"generator": {"matrix": rows}})
    found = dict(Operator.of(encoding, 0, 3).matrices())[2]
    expected = [[np.cos(2 / 3), -np.sin(2 / 3)], [np.sin(2 / 3), np.cos(2 / 3)]]
    assert np.allclose(found, expected)


def test_constant_content_is_explained_by_the_lag_alone() -> None:
    x = np.broadcast_to(random(8), (1, 32, 8))
    (lens,) = head_lens(rope(), x, x)
    assert lens.predicted_share == pytest.approx(1)
    assert lens.lag_share == pytest.approx(1)


def test_the_predicted_share_is_the_measured_one() -> None:
    mean = 1.5 * random(16, seed=3)
    q = mean + random(24, 1, 96, 16, seed=4)
    k = mean + random(24, 1, 96, 16, seed=5)
    found = [
        head_lens(
            rope(16), np.stack([q[i], *q[:i], *q[i + 1 :]]), np.stack([k[i], *k[:i], *k[i + 1 :]])
        )[0]
        for i in range(4)
    ]
    predicted = np.mean([f.predicted_share for f in found])
    measured = np.mean([f.lag_share for f in found])
    assert 0.2 < predicted < 0.9
    assert abs(predicted - measured) < 0.06


def test_without_a_common_mean_there_is_no_kernel() -> None:
    (lens,) = head_lens(rope(16), random(20, 1, 96, 16), random(20, 1, 96, 16, seed=1))
    assert lens.predicted_share < 0.02


def test_homogeneous_content_contracts_and_others_are_bounded() -> None:
    base = np.abs(random(24, seed=7))
    same = np.zeros((1, 24, 8))
    same[0, :, 0::2] = base[:, None]
    (lens,) = head_lens(rope(), same, same, causal=False)
    assert lens.homogeneity == pytest.approx(1)
    assert lens.theorem.startswith("applies")
    for seed in range(5):
        x = random(1, 24, 8, seed=seed)
        (other,) = head_lens(rope(), x, x, causal=False)
        assert other.homogeneity is not None
        assert other.bound is not None
        assert other.homogeneity < 0.9
        assert other.theorem.startswith("does not apply")
        logits = Operator.of(rope(), 0, 24).logits(x[0], x[0])
        plain = x[0] @ x[0].T
        assert np.linalg.norm(logits, 2) <= other.bound * np.linalg.norm(plain, 2) * (1 + 1e-12)


def test_what_softmax_cannot_see_changes_nothing() -> None:
    allowed = np.tril(np.ones((6, 6), dtype=bool))
    logits = random(6, 6)
    assert np.allclose(centred(logits, allowed), centred(logits + random(6, 1, seed=2), allowed))


def test_shapes_have_to_fit() -> None:
    good = random(2, 6, 8)
    for q, k in (
        (random(2, 6, 7), good),
        (random(6, 8), good),
        (random(3, 6, 8), good),
        (random(0, 6, 8), random(0, 6, 8)),
        (good * np.nan, good),
        (random(2, 1, 8), random(2, 1, 8)),
    ):
        with pytest.raises(SpecificationError, match="expected"):
            head_lens(rope(), q, k)
    with pytest.raises(SpecificationError, match="8 heads"):
        head_lens(catalogue("alibi", {"dim": 8}), good, good)


def test_a_number_that_is_none_is_named_with_its_place() -> None:
    keys = random(2, 6, 8)
    keys[1, 4, 7] = np.inf
    with pytest.raises(SpecificationError, match=r"keys: .* got inf at .* = \(0, 1, 4, 7\)"):
        head_lens(rope(), random(2, 6, 8), keys)


def test_grouped_keys_serve_several_query_heads() -> None:
    q, k = random(4, 6, 8), random(2, 6, 8, seed=1)
    assert head_lens(rope(), q, k) == head_lens(rope(), q, np.repeat(k, 2, axis=0))
    assert head_lens(rope(), q, k) != head_lens(rope(), q, np.tile(k, (2, 1, 1)))


def test_the_scale_of_content_changes_no_ratio() -> None:
    q, k = random(1, 6, 8), random(1, 6, 8, seed=1)
    (lens,) = head_lens(rope(), q, k)
    for exponent in (-700, -40, 40, 400):
        (other,) = head_lens(rope(), np.ldexp(q, exponent), np.ldexp(k, -40))
        assert other.contraction == lens.contraction
        assert other.predicted_share == lens.predicted_share
        assert other.bound == lens.bound
        assert np.allclose(other.kernel, np.ldexp(lens.kernel, exponent - 40))
    with pytest.raises(SpecificationError, match="do not fit float64"):
        head_lens(rope(), np.ldexp(q, 900), np.ldexp(k, 900))


def test_no_content_has_no_theorem() -> None:
    nothing = np.zeros((1, 6, 8))
    (lens,) = head_lens(rope(), nothing, random(1, 6, 8))
    assert lens.contraction is None
    assert "logits without position are 0" in lens.theorem
    (other,) = head_lens(catalogue("xpos", {"dim": 8}), random(1, 6, 8), random(1, 6, 8))
    assert "more than turn" in other.theorem


def test_deposit_index() -> None:
    with pytest.raises(SpecificationError, match="finite scores"):
        deposit_index(0.9, [float("nan"), 0.3])
    assert deposit_index(0.9, [0.3, 0.9, 0.9]) == 1
    assert deposit_index(0.9, [0.6, 0.6, 0.6]) == pytest.approx(1 / 3)
    assert deposit_index(0.9, [0.9, 0.95]) is None


def test_the_command_reads_both_kinds_of_files(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    q = random(2, 12, 8)
    np.save(tmp_path / "q.npy", q)
    safetensors.save_file({"k": q.astype(np.float32)}, str(tmp_path / "k.safetensors"))
    arguments = ["spectrum", "rope:dim=8", "--length", "16", "--queries", str(tmp_path / "q.npy")]
    keys = ["--keys", f"{tmp_path / 'k.safetensors'}:k"]
    result = CliRunner().invoke(cli, [*arguments, *keys, "--json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["lens"]
    assert [lens["head"] for lens in found] == [0, 1]
    assert sum(found[0]["energy"]) == pytest.approx(1)
    assert "measured head 1" in CliRunner().invoke(cli, [*arguments, *keys]).stdout
    for wrong in ([], ["--keys", "no.npy"], ["--keys", f"{tmp_path / 'k.safetensors'}:z"]):
        assert CliRunner().invoke(cli, [*arguments, *wrong]).exit_code == 2


# -- hooks ------------------------------------------------------------------------------------


def test_one_head_of_a_model_is_taken_out_and_nothing_else(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from numeric_check.spectrum.tensors import ablated, captured, head_deposit

    torch.manual_seed(0)
    model = torch.nn.ModuleDict({n: torch.nn.Linear(6, 6) for n in ("q", "k", "o")})
    path = tmp_path / "adapter.toml"
    path.write_text('query = "q"\nkey = "k"\noutput = "o"\nheads = 3\n')
    adapter = HeadAdapter.read(path)
    x = torch.randn(2, 5, 6)

    def run() -> torch.Tensor:
        model["q"](x)
        model["k"](x)
        return model["o"](x)

    q, k = captured(model, adapter, run)
    assert q.shape == k.shape == (2, 3, 5, 2)
    assert np.allclose(q[0, 1, 3], model["q"](x)[0, 3, 2:4].detach().numpy())
    full = run()
    with ablated(model, adapter, 1):
        without = run()
    changed = x.clone()
    changed[..., 2:4] = 0
    assert torch.allclose(without, model["o"](changed))
    assert torch.equal(run(), full)
    score, single, index = head_deposit(model, adapter, lambda: float(run().detach().norm()))
    assert len(single) == 3
    assert score == pytest.approx(float(full.detach().norm()))
    assert index is None or 0 < index <= 1
    with pytest.raises(SpecificationError, match="no module"):
        captured(model, HeadAdapter("nowhere", "k", "o", 3, 3), run)
    with (
        ablated(model, HeadAdapter("q", "k", "o", 4, 4), 0),
        pytest.raises(SpecificationError, match="heads\\*d"),
    ):
        run()
    pair = torch.nn.ModuleDict({**model, "q": torch.nn.LSTM(6, 6)})
    with pytest.raises(SpecificationError, match="one tensor as output, got tuple"):
        captured(pair, adapter, lambda: pair["q"](x))
    path.write_text('query = "q"\n')
    with pytest.raises(SpecificationError, match="missing"):
        HeadAdapter.read(path)
    with pytest.raises(SpecificationError, match="NAME"):
        read_tensor("a.safetensors")
