"""Files written again: every bit of every element type, nothing else changed."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from symbolic_pe.checkpoints.config import Sizes, read_sizes
from symbolic_pe.checkpoints.files import INDEX, open_checkpoint, write_part
from symbolic_pe.checkpoints.selection import Request, select
from symbolic_pe.encodings.permutation import ChannelPermutation, head_layout
from symbolic_pe.errors import SpecificationError

D = 6
P = ChannelPermutation.between(head_layout("half", D), head_layout("interleaved", D))
ROWS = [h * D + i for h in range(2) for i in P.sources]
TYPES = [
    torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn,
    torch.float8_e5m2, torch.int8, torch.uint8, torch.int64, torch.bool,
]  # fmt: skip


def rewritten(path: Path, p: ChannelPermutation = P) -> bytes:
    checkpoint = open_checkpoint(path)
    found = select(checkpoint.tensors, Request(D), together=path.suffix != ".npy")
    (part,) = checkpoint.parts
    stream = io.BytesIO()
    write_part(part, {c.tensor.name: c for c in found.changes}, p, stream)
    return stream.getvalue()


def patterns(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    """All kinds of bits, NaN with payloads included."""
    size = torch.empty((), dtype=dtype).element_size()
    count = size * int(np.prod(shape))
    raw = np.random.default_rng(3).integers(0, 2 if dtype == torch.bool else 256, count)
    return torch.from_numpy(raw.astype(np.uint8)).view(dtype).reshape(shape)


def bits(x: torch.Tensor) -> bytes:
    return x.reshape(-1).view(torch.uint8).numpy().tobytes()


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_safetensors_of_every_type(dtype: torch.dtype, tmp_path: Path) -> None:
    path, out = tmp_path / "m.safetensors", tmp_path / "o.safetensors"
    tensors = {
        "a.k_proj.weight": patterns(dtype, 2 * D, 5),
        "a.q_proj.weight": patterns(dtype, 2 * D, 5),
        "a.v_proj.weight": patterns(dtype, 2 * D, 5),
        "empty": torch.empty(0, 3, dtype=dtype),
        "one": patterns(dtype, 1).reshape(()),
    }
    save_file(tensors, path, metadata={"format": "pt", "note": "kept ü"})
    out.write_bytes(rewritten(path))
    found = load_file(out)
    assert set(found) == set(tensors)
    for name, tensor in tensors.items():
        changed = name[:3] in ("a.q", "a.k")
        assert bits(found[name]) == bits(tensor[ROWS] if changed else tensor), name
        assert found[name].dtype == dtype
    with safe_open(str(out), "pt") as opened:
        assert opened.metadata() == {"format": "pt", "note": "kept ü"}
    assert out.read_bytes() != path.read_bytes()
    assert rewritten(out, P.inverse) == path.read_bytes()
    assert rewritten(out) != path.read_bytes()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["float32", "<f2", ">f8", "int16"])
def test_npy_in_both_orders(order: Any, dtype: str, tmp_path: Path) -> None:
    path = tmp_path / "q_proj.npy"
    array = np.random.default_rng(1).normal(size=(2 * D, 7)).astype(dtype)
    np.save(path, np.asarray(array, order=order))
    before = path.read_bytes()
    path.write_bytes(rewritten(path))
    found = np.load(path)
    assert found.tobytes() == array[ROWS].tobytes()
    assert found.dtype == array.dtype
    assert found.flags.f_contiguous == (order == "F")
    assert rewritten(path, P.inverse) == before
    assert rewritten(path) != before


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz_keeps_members_and_compression(save: Any, tmp_path: Path) -> None:
    path, out = tmp_path / "w.npz", tmp_path / "o.npz"
    arrays = {
        "q_proj": np.arange(2.0 * D * 3).reshape(2 * D, 3),
        "k_proj": np.asfortranarray(np.arange(D * 3.0).reshape(D, 3)),
        "v_proj": np.ones((D, 3)),
        "q_norm": np.arange(2.0 * D).reshape(2, D),
        "step": np.array(7),
    }
    save(path, **arrays)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("readme.txt", "not an array")
    out.write_bytes(rewritten(path))
    with np.load(out) as found:
        assert (found["q_proj"] == arrays["q_proj"][ROWS]).all()
        assert (found["k_proj"] == arrays["k_proj"][ROWS[:D]]).all()
        assert (found["q_norm"] == arrays["q_norm"][:, ROWS[:D]]).all()
        assert (found["v_proj"] == arrays["v_proj"]).all()
        assert found["step"] == 7
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(out) as new:
        for a, b in zip(old.infolist(), new.infolist(), strict=True):
            assert (a.filename, a.compress_type, a.date_time) == (
                b.filename,
                b.compress_type,
                b.date_time,
            )
        assert new.read("readme.txt") == b"not an array"
    assert rewritten(path) == rewritten(path)


def test_bfloat16_in_npy_keeps_its_bits(tmp_path: Path) -> None:
    """NumPy stores it as two bytes without a meaning; a permutation needs none."""
    path = tmp_path / "k_proj.npy"
    raw = np.random.default_rng(2).integers(0, 256, (2 * D, 3, 2)).astype(np.uint8)
    np.save(path, raw.view("V2").reshape(2 * D, 3))
    stream = io.BytesIO(rewritten(path))
    assert np.load(stream).tobytes() == raw[ROWS].tobytes()


def test_types_that_pack_several_rows_into_a_byte_are_refused() -> None:
    from symbolic_pe.checkpoints.files import Stored, permute_bytes
    from symbolic_pe.checkpoints.selection import Change, Tensor

    tensor = Tensor("q", (12, 3), "F4")
    change = Change(tensor, "q", 0, (0, 6))
    with pytest.raises(SpecificationError, match="packs several rows into one byte"):
        permute_bytes(bytes(18), Stored(tensor, 0, 18), change, P)
    even = Tensor("q", (12, 4), "F4")
    data = bytes(range(24))
    found = permute_bytes(data, Stored(even, 0, 24), Change(even, "q", 0, (0, 6)), P)
    assert found == b"".join(data[2 * i : 2 * i + 2] for i in ROWS)


# -- damage -----------------------------------------------------------------------------------


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    good = tmp_path / "good.safetensors"
    save_file({"a.q_proj.weight": torch.ones(12, 2), "a.k_proj.weight": torch.ones(6, 2)}, good)
    for name, content in (
        ("short.safetensors", good.read_bytes()[:-4]),
        ("long.safetensors", good.read_bytes() + b"x"),
        ("empty.safetensors", b""),
        ("huge.safetensors", b"\xff" * 16),
        ("text.npy", b"hello"),
        ("text.npz", b"hello"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(SpecificationError, match=r"cannot be read"):
            open_checkpoint(tmp_path / name)


def test_objects_and_wrong_sizes_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "o.npy", np.array([{}, None], dtype=object), allow_pickle=True)
    with pytest.raises(SpecificationError, match="Python objects"):
        open_checkpoint(tmp_path / "o.npy")
    np.save(tmp_path / "s.npy", np.ones(4))
    (tmp_path / "s.npy").write_bytes((tmp_path / "s.npy").read_bytes()[:-1])
    with pytest.raises(SpecificationError, match="not that of its shape"):
        open_checkpoint(tmp_path / "s.npy")
    with pytest.raises(SpecificationError, match="no such file"):
        open_checkpoint(tmp_path / "none.npy")
    (tmp_path / "m.bin").write_bytes(b"")
    with pytest.raises(SpecificationError, match="expected a file ending in"):
        open_checkpoint(tmp_path / "m.bin")


def test_a_file_that_becomes_shorter_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    save_file({"a.q_proj.weight": torch.ones(12, 2), "a.k_proj.weight": torch.ones(6, 2)}, path)
    checkpoint = open_checkpoint(path)
    changes = {
        c.tensor.name: c for c in select(checkpoint.tensors, Request(D)).changes
    }  # opened before
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(SpecificationError, match="became shorter"):
        write_part(checkpoint.parts[0], changes, P, io.BytesIO())


class Full(io.BytesIO):
    """A disk without room."""

    def write(self, _: Any) -> int:
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("suffix", ["safetensors", "npz", "npy"])
def test_a_full_disk_is_not_blamed_on_the_input(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"q_proj.{suffix}"
    if suffix == "safetensors":
        save_file({"q_proj": torch.ones(12, 2), "k_proj": torch.ones(6, 2)}, path)
    elif suffix == "npz":
        np.savez(path, q_proj=np.ones((12, 2)), k_proj=np.ones((6, 2)))
    else:
        np.save(path, np.ones((12, 2)))
    checkpoint = open_checkpoint(path)
    with pytest.raises(OSError, match="No space left"):
        write_part(checkpoint.parts[0], {}, P, Full())


def test_a_corrupt_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    arrays = {n: np.random.default_rng(0).normal(size=(12, 90)) for n in ("q_proj", "k_proj")}
    np.savez_compressed(path, **arrays)
    data = bytearray(path.read_bytes())
    data[3000:3040] = bytes(40)
    path.write_bytes(data)
    with pytest.raises(SpecificationError, match="cannot be read"):
        rewritten(path)


# -- folders ----------------------------------------------------------------------------------


def folder(path: Path, weight_map: dict[str, str] | None = None) -> Path:
    path.mkdir(exist_ok=True)
    save_file({"a.q_proj.weight": torch.ones(12, 2)}, path / "one.safetensors")
    save_file({"a.k_proj.weight": torch.ones(6, 2)}, path / "two.safetensors")
    found = weight_map or {
        "a.q_proj.weight": "one.safetensors",
        "a.k_proj.weight": "two.safetensors",
    }
    (path / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": found}))
    return path


def test_shards_are_one_model(tmp_path: Path) -> None:
    checkpoint = open_checkpoint(folder(tmp_path / "m"))
    assert [p.name for p in checkpoint.parts] == ["one.safetensors", "two.safetensors"]
    assert len(select(checkpoint.tensors, Request(D)).changes) == 2


@pytest.mark.parametrize(
    ("weight_map", "message"),
    [
        ({"a.q_proj.weight": "../one.safetensors"}, "in this folder"),
        ({"a.q_proj.weight": "/tmp/one.safetensors"}, "in this folder"),
        ({"a.q_proj.weight": "one.bin"}, "in this folder"),
        ({"a.q_proj.weight": "one.safetensors", "b": "two.safetensors"}, "does not agree"),
        ({"a.q_proj.weight": "three.safetensors"}, "no such file"),
    ],
)
def test_indexes_that_are_refused(weight_map: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(SpecificationError, match=message):
        open_checkpoint(folder(tmp_path / "m", weight_map))


@pytest.mark.parametrize(
    ("config", "sizes"),
    [
        ({"hidden_size": 64, "num_attention_heads": 4}, Sizes(16, None, 4, None)),
        (
            {"head_dim": 32, "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2},
            Sizes(32, None, 4, 2),
        ),
        (
            {"hidden_size": 64, "num_attention_heads": 4, "partial_rotary_factor": 0.5},
            Sizes(16, 8, 4, None),
        ),
        ({"hidden_size": 64, "num_attention_heads": 4, "rotary_pct": 0.25}, Sizes(16, 4, 4)),
        ({"n_embd": 64, "n_head": 4, "rotary_dim": 8}, Sizes(16, 8, 4)),
        (
            {"head_dim": 16, "rope_parameters": {"full": {"partial_rotary_factor": 0.5}}},
            Sizes(16, 8),
        ),
        (
            {
                "head_dim": 16,
                "rope_parameters": {"rope_type": "proportional", "partial_rotary_factor": 0.5},
            },
            Sizes(16),
        ),
        ({"text_config": {"head_dim": 16}}, Sizes()),
        ({"hidden_size": 64, "num_attention_heads": 4, "qk_rope_head_dim": 8}, Sizes()),
    ],
)
def test_sizes_are_read_from_the_config(
    config: dict[str, object], sizes: Sizes, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert read_sizes(tmp_path) == sizes


def test_configs_that_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    for text, message in (
        ("{", "cannot be read"),
        ("[]", "expected an object"),
        ('{"head_dim": -4}', "head_dim: expected a positive integer"),
        (
            '{"head_dim": 16, "rope_parameters": {"a": {"partial_rotary_factor": 0.5},'
            ' "b": {"partial_rotary_factor": 0.25}}}',
            "turn 4 and 8 channels",
        ),
    ):
        path.write_text(text)
        with pytest.raises(SpecificationError, match=message):
            read_sizes(tmp_path)
    with pytest.raises(SpecificationError, match="--heads 8: here states 4"):
        Sizes(heads=4).agreed(Sizes(heads=8), "here")
