"""`convert` end to end: attention of torch before and after, round trips, refusals, the how-to."""

from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
import torch
from click.testing import CliRunner, Result
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from symbolic_pe.cli.main import cli
from symbolic_pe.cli.output import schema_text

COMMAND = re.compile(r"^    symbolic-pe (.+)$", re.M)
HOW_TO = Path(__file__).parents[2] / "docs/how-to/convert-checkpoints.md"
HALF = ("--from", "half", "--to", "interleaved")
INTERLEAVED = ("--from", "interleaved", "--to", "half")
ATTENTION = "model.layers.0.self_attn."
Tensors = dict[str, torch.Tensor]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["convert", *arguments])


def converted(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    jsonschema.validate(document, json.loads(schema_text("convert")))
    return document


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# -- attention, written here once for each layout -----------------------------------------------


@dataclass(frozen=True)
class Model:
    heads: int = 4
    kv_heads: int = 2
    head_dim: int = 12
    rotary: int = 12
    hidden: int = 10
    base: float = 10000.0

    def weights(self, dtype: torch.dtype = torch.float64, *, norms: bool = True) -> Tensors:
        """Small integers, so that sums are exact in every order."""
        draw = torch.Generator().manual_seed(5)

        def integers(*shape: int) -> torch.Tensor:
            return torch.randint(-4, 5, shape, generator=draw).to(dtype)

        d = self.head_dim
        found = {}
        for name, heads in (("q", self.heads), ("k", self.kv_heads), ("v", self.kv_heads)):
            found[f"{ATTENTION}{name}_proj.weight"] = integers(heads * d, self.hidden)
            found[f"{ATTENTION}{name}_proj.bias"] = integers(heads * d)
        if norms:
            for name in "qk":
                found[f"{ATTENTION}{name}_norm.weight"] = integers(d)
        found["model.embed_tokens.weight"] = integers(7, self.hidden)
        return found

    def turned(self, x: torch.Tensor, layout: str) -> torch.Tensor:
        """x of shape (tokens, heads, head_dim); token t is turned by t·base^(−2j/rotary)."""
        r = self.rotary
        t = torch.arange(x.shape[0], dtype=torch.float64)[:, None, None]
        j = torch.arange(r // 2, dtype=torch.float64)
        cos, sin = (t * self.base ** (-2 * j / r)).cos(), (t * self.base ** (-2 * j / r)).sin()
        y = x.clone()
        if layout == "half":
            a, b = x[..., : r // 2], x[..., r // 2 : r]
            y[..., : r // 2], y[..., r // 2 : r] = a * cos - b * sin, b * cos + a * sin
        else:
            a, b = x[..., 0:r:2], x[..., 1:r:2]
            y[..., 0:r:2], y[..., 1:r:2] = a * cos - b * sin, b * cos + a * sin
        return y

    def sides(self, weights: Tensors, layout: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Turned queries and keys for some fixed tokens."""
        x = torch.randint(-3, 4, (6, self.hidden), generator=torch.Generator().manual_seed(1))
        found = []
        for name, heads in (("q", self.heads), ("k", self.kv_heads)):
            w = weights[f"{ATTENTION}{name}_proj.weight"].double()
            y = x.double() @ w.T + weights[f"{ATTENTION}{name}_proj.bias"].double()
            y = y.view(6, heads, self.head_dim)
            gain = weights.get(f"{ATTENTION}{name}_norm.weight")
            if gain is not None:  # a sum of squares of integers is exact in every order
                y = gain.double() * y / ((y * y).sum(-1, keepdim=True) + 1).sqrt()
            found.append(self.turned(y, layout))
        return found[0], found[1]

    def scores(self, weights: Tensors, layout: str) -> torch.Tensor:
        q, k = self.sides(weights, layout)
        k = k.repeat_interleave(self.heads // self.kv_heads, dim=1)
        return torch.einsum("thd,shd->hts", q, k)


MODELS = [
    Model(),
    Model(heads=4, kv_heads=4),
    Model(heads=6, kv_heads=1),
    Model(head_dim=16, rotary=8),
    Model(head_dim=10, rotary=6, heads=2, kv_heads=2),
]


@pytest.mark.parametrize("norms", [True, False])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_scores_stay_the_same(model: Model, norms: bool, folder: Path) -> None:
    weights = model.weights(norms=norms)
    save_file(weights, "half.safetensors")
    sizes = ("--head-dim", str(model.head_dim), "--rotary-dim", str(model.rotary))
    record = converted("half.safetensors", *HALF, *sizes, "-o", "other.safetensors")
    after = load_file("other.safetensors")
    q, k = model.sides(weights, "half")
    p = record["permutation"]
    moved_q, moved_k = model.sides(after, "interleaved")
    assert torch.equal(moved_q, q[..., p])
    assert torch.equal(moved_k, k[..., p])
    before = model.scores(weights, "half")
    assert torch.allclose(model.scores(after, "interleaved"), before, rtol=1e-13, atol=1e-12)
    # Negative twins: the layout alone, the permutation alone, the other direction.
    scale = before.abs().max()
    for tensors, layout in ((weights, "interleaved"), (after, "half")):
        assert (model.scores(tensors, layout) - before).abs().max() > 1e-3 * scale
    converted("half.safetensors", *INTERLEAVED, *sizes, "-o", "wrong.safetensors")
    wrong = model.scores(load_file("wrong.safetensors"), "interleaved")
    assert (wrong - before).abs().max() > 1e-3 * scale


@pytest.mark.parametrize("name", ["q_proj.weight", "q_proj.bias", "k_norm.weight"])
def test_every_part_is_needed(name: str, folder: Path) -> None:
    """Leave one of them as it was, and scores change."""
    model = Model()
    weights = model.weights()
    save_file(weights, "half.safetensors")
    converted("half.safetensors", *HALF, "--head-dim", "12", "-o", "other.safetensors")
    after = load_file("other.safetensors") | {ATTENTION + name: weights[ATTENTION + name]}
    before = model.scores(weights, "half")
    assert not torch.allclose(model.scores(after, "interleaved"), before, rtol=1e-3)


def test_a_wrong_head_dimension_changes_scores(folder: Path) -> None:
    """It divides the rows and goes through; stating the heads finds it."""
    model = Model()
    weights = model.weights(norms=False)
    save_file(weights, "half.safetensors")
    converted("half.safetensors", *HALF, "--head-dim", "6", "-o", "other.safetensors")
    after = model.scores(load_file("other.safetensors"), "interleaved")
    assert not torch.allclose(after, model.scores(weights, "half"), rtol=1e-3)
    result = run("half.safetensors", *HALF, "--head-dim", "6", "--heads", "4", "--list")
    assert result.exit_code == 2
    assert "expected 4 heads of dimension 6" in result.stderr


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_there_and_back_is_the_same_file(dtype: torch.dtype, folder: Path) -> None:
    save_file(Model().weights(dtype), "a.safetensors", metadata={"format": "pt"})
    forth = converted("a.safetensors", *HALF, "--head-dim", "12", "-o", "b.safetensors")
    back = converted("b.safetensors", *INTERLEAVED, "--head-dim", "12", "-o", "c.safetensors")
    assert Path("c.safetensors").read_bytes() == Path("a.safetensors").read_bytes()
    assert Path("b.safetensors").read_bytes() != Path("a.safetensors").read_bytes()
    assert forth["digest"] != back["digest"]
    assert [forth["permutation"][i] for i in back["permutation"]] == list(range(12))
    with safe_open("b.safetensors", "pt") as opened:
        assert opened.metadata() == {"format": "pt"}


@pytest.mark.parametrize("order", ["q,k,v", "group:q,k,v", "v,q,k"])
def test_fused_matrices_are_permuted_as_their_parts(order: str, folder: Path) -> None:
    model = Model()
    weights = model.weights(norms=False)
    d, group = model.head_dim, model.heads // model.kv_heads

    def fused(tensors: Tensors, part: str) -> torch.Tensor:
        """Split into heads and join as the order says; written without offsets."""
        rows = {n: tensors[f"{ATTENTION}{n}_proj.{part}"].split(d) for n in "qkv"}
        names = order.removeprefix("group:").split(",")
        if not order.startswith("group:"):
            return torch.cat([h for n in names for h in rows[n]])
        return torch.cat(
            [
                h
                for g in range(model.kv_heads)
                for n in names
                for h in (rows[n][g * group : (g + 1) * group] if n == "q" else rows[n][g : g + 1])
            ]
        )

    save_file(weights, "parts.safetensors")
    converted("parts.safetensors", *HALF, "--head-dim", "12", "-o", "parts-i.safetensors")
    after = load_file("parts-i.safetensors")
    names = {part: f"h.0.attn.query_key_value.{part}" for part in ("weight", "bias")}
    save_file({n: fused(weights, part) for part, n in names.items()}, "fused.safetensors")
    sizes = ("--head-dim", "12", "--heads", "4", "--kv-heads", "2", "--fused", order)
    converted("fused.safetensors", *HALF, *sizes, "-o", "fused-i.safetensors")
    found = load_file("fused-i.safetensors")
    for part, name in names.items():
        assert torch.equal(found[name], fused(after, part))
        assert not torch.equal(found[name], fused(weights, part))


def test_explicit_planes_and_channels_that_turn_last(folder: Path) -> None:
    """Heads whose last four channels turn, by a start and by lists of planes."""
    torch.manual_seed(0)
    tensors = {"q_b.weight": torch.randn(16, 3), "k_b.weight": torch.randn(16, 3)}
    save_file(tensors, "m.safetensors")
    named = ("--tensor", "q_b.weight=q", "--tensor", "k_b.weight=k", "--head-dim", "8")
    start = ("--rotary-start", "4")
    a = converted("m.safetensors", *INTERLEAVED, *named, *start, "-o", "a.safetensors")
    lists = ("--from", "4 5,6 7", "--to", "4 6,5 7")
    b = converted("m.safetensors", *lists, *named, "-o", "b.safetensors")
    assert a["permutation"] == b["permutation"] == [0, 1, 2, 3, 4, 6, 5, 7]
    assert Path("a.safetensors").read_bytes() == Path("b.safetensors").read_bytes()
    found = load_file("a.safetensors")["q_b.weight"]
    assert torch.equal(found[8:], tensors["q_b.weight"][8:][[0, 1, 2, 3, 4, 6, 5, 7]])


# -- what is shown and written ------------------------------------------------------------------


def test_listing_writes_nothing(folder: Path) -> None:
    save_file(Model().weights(), "m.safetensors")
    record = converted("m.safetensors", *HALF, "--head-dim", "12", "--list")
    assert os.listdir() == ["m.safetensors"]
    assert record["output"] is None
    assert [c["verdict"] for c in record["claims"]] == ["proved"] * 3
    kinds = {t["name"]: (t["kind"], t["offsets"]) for t in record["tensors"]}
    assert kinds[ATTENTION + "k_proj.weight"] == ("k", [0, 12])
    assert kinds[ATTENTION + "q_norm.weight"] == ("q_norm", [0])
    assert not any("v_proj" in name for name in kinds)
    text = run("m.safetensors", *HALF, "--head-dim", "12", "--dry-run").stdout
    assert "1 x model.layers.*.self_attn.q_proj.weight  F64 [48, 10]  4 heads" in text
    assert "nothing was written" in text
    assert record["digest"] in text


def test_output_is_never_the_input_unless_asked(folder: Path) -> None:
    save_file(Model().weights(), "m.safetensors")
    before = Path("m.safetensors").read_bytes()
    Path("link.safetensors").symlink_to("m.safetensors")
    os.link("m.safetensors", "hard.safetensors")
    arguments = ("m.safetensors", *HALF, "--head-dim", "12")
    for output in ("m.safetensors", "./m.safetensors", "link.safetensors", "hard.safetensors"):
        result = run(*arguments, "-o", output)
        assert result.exit_code == 2
        assert "is the input" in result.stderr
    assert Path("m.safetensors").read_bytes() == before
    assert converted(*arguments, "--in-place")["output"] == "m.safetensors"
    assert Path("m.safetensors").read_bytes() != before
    assert Path("hard.safetensors").read_bytes() == before
    converted("m.safetensors", *INTERLEAVED, "--head-dim", "12", "--in-place")
    assert Path("m.safetensors").read_bytes() == before


def test_a_failure_leaves_what_was_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_file(Model().weights(), "m.safetensors")
    Path("out.safetensors").write_text("before")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    result = run("m.safetensors", *HALF, "--head-dim", "12", "-o", "out.safetensors")
    assert result.exit_code == 2
    assert "No space left" in result.stderr
    assert Path("out.safetensors").read_text() == "before"
    assert sorted(os.listdir()) == ["m.safetensors", "out.safetensors"]


def sharded(path: Path, model: Model) -> Tensors:
    path.mkdir()
    weights = model.weights()
    shards: dict[str, Tensors] = {}
    for index, (name, tensor) in enumerate(weights.items()):
        shards.setdefault(f"model-{index % 2 + 1:05}-of-00002.safetensors", {})[name] = tensor
    for name, tensors in shards.items():
        save_file(tensors, path / name)
    weight_map = {t: name for name, tensors in shards.items() for t in tensors}
    (path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    config = {
        "hidden_size": model.hidden,
        "num_attention_heads": model.heads,
        "num_key_value_heads": model.kv_heads,
        "head_dim": model.head_dim,
        "partial_rotary_factor": model.rotary / model.head_dim,
    }
    (path / "config.json").write_text(json.dumps(config))
    return weights


def test_sharded_folders_take_their_sizes_from_the_config(folder: Path) -> None:
    model = Model(head_dim=16, rotary=8)
    weights = sharded(folder / "model", model)
    record = converted("model", *HALF, "-o", "new/model-i")
    assert record["head_dim"] == 16
    assert len(record["from"]["planes"]) == 4
    assert sorted(p.name for p in Path("new/model-i").iterdir()) == [
        "model-00001-of-00002.safetensors",
        "model-00002-of-00002.safetensors",
        "model.safetensors.index.json",
    ]
    after: Tensors = {}
    for path in Path("new/model-i").glob("*.safetensors"):
        after |= load_file(path)
    found, before = model.scores(after, "interleaved"), model.scores(weights, "half")
    assert torch.allclose(found, before, rtol=1e-13, atol=1e-12)
    for wrong in (("--heads", "2"), ("--head-dim", "8"), ("--rotary-dim", "16")):
        result = run("model", *HALF, *wrong, "--list")
        assert result.exit_code == 2
        assert "config.json states" in result.stderr
    assert run("model", *HALF, "-o", "model").exit_code == 2
    assert run("model", *HALF, "--in-place").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--head-dim", "12"), "give one of --list"),
        (("--head-dim", "12", "-o", "a.safetensors", "--list"), "give one of --list"),
        (("--list",), "state how many channels a head has"),
        (("--head-dim", "12", "-o", "a.npz"), "the format stays"),
        (("--head-dim", "12", "--to", "half", "--list"), "nothing to convert"),
        (("--head-dim", "12", "--to", "0 1", "--list"), "both need as many"),
        (("--head-dim", "12", "--rotary-dim", "5", "--list"), "even number"),
        (("--head-dim", "7", "--list"), "even number"),
        (("--head-dim", "16", "--list"), "multiple of the head dimension 16"),
        (("--head-dim", "12", "--fused", "q", "--list"), "--fused: expected q, k and v"),
        (("--head-dim", "12", "--tensor", "x", "--list"), "no tensor has such a name"),
    ],
)
def test_refusals(arguments: tuple[str, ...], message: str, folder: Path) -> None:
    save_file(Model().weights(), "m.safetensors")
    result = run("m.safetensors", *HALF, *arguments)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert os.listdir() == ["m.safetensors"]


def test_one_array_in_a_file(folder: Path) -> None:
    array = np.arange(24.0).reshape(12, 2)
    np.save("q_proj.npy", array)
    np.save("w.npy", array)
    converted("q_proj.npy", *HALF, "--head-dim", "12", "-o", "a.npy")
    converted("w.npy", *HALF, "--head-dim", "12", "--tensor", "w=k", "-o", "b.npy")
    assert (np.load("a.npy") == np.load("b.npy")).all()
    assert (np.load("a.npy")[:4] == array[[0, 6, 1, 7]]).all()
    assert run("w.npy", *HALF, "--head-dim", "12", "-o", "c.npy").exit_code == 2


def test_the_commands_of_the_how_to_run(folder: Path) -> None:
    text = HOW_TO.read_text()
    model = Model(heads=8, kv_heads=2, head_dim=128, rotary=128, hidden=4)
    save_file(model.weights(), "model.safetensors")
    sharded(folder / "my-model", Model(head_dim=16, rotary=8))
    fused = {"layers.0.attention.query_key_value.weight": torch.ones(1536, 4)}
    save_file(fused, "neox.safetensors")
    sizes = {"q_b_proj": 384, "kv_a_proj_with_mqa": 576}
    latent = {f"l.{n}.weight": torch.randn(rows, 4) for n, rows in sizes.items()}
    save_file(latent, "latent.safetensors")
    np.save("W_q.npy", np.ones((512, 4)))
    commands = COMMAND.findall(text)
    assert len(commands) >= 8
    for command in commands:
        result = CliRunner().invoke(cli, shlex.split(command))
        assert result.exit_code == 0, (command, result.output)
        if "--list" in command:
            (shown,) = re.findall(r"```\n(half -> .*?)```", text, re.S)
            assert result.stdout.startswith(shown)
    assert Path("back.safetensors").read_bytes() == Path("model.safetensors").read_bytes()
    found = load_file("latent-half.safetensors")
    turning = [*range(0, 64, 2), *range(1, 64, 2)]
    rows = [*range(128), *(128 + i for i in turning)]
    q, k = "l.q_b_proj.weight", "l.kv_a_proj_with_mqa.weight"
    assert torch.equal(found[q], latent[q].view(2, 192, 4)[:, rows].reshape(384, 4))
    assert torch.equal(found[k], latent[k][[*range(512), *(512 + i for i in turning)]])
