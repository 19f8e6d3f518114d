"""Drop-in tables and FlexAttention functions, used as other packages use them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from symbolic_pe import catalogue
from tests.emit.reference import emitted, run

SETTINGS = {
    "half": {"dim": "8", "layout": "half"},
    "interleaved": {"dim": "8"},
    "half, partial": {"dim": "12", "rotary_dim": "8", "layout": "half"},
    "interleaved, partial": {"dim": "12", "rotary_dim": "8"},
    "half, turns": {"dim": "8", "layout": "half", "angles": "turns"},
}
WIDTH = 8


def rotate(x: torch.Tensor, layout: str) -> torch.Tensor:
    """(a, b) ↦ (−b, a), as models of either layout write it."""
    if layout == "half":
        return torch.cat((-x[..., WIDTH // 2 :], x[..., : WIDTH // 2]), dim=-1)
    return torch.stack((-x[..., 1::2], x[..., 0::2]), dim=-1).flatten(-2)


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("name", list(SETTINGS))
def test_tables_turn_as_the_maps_do(name: str, target: str) -> None:
    settings = SETTINGS[name]
    module = run(emitted(catalogue("rope", settings), target).text)
    position = torch.tensor([[0.0, 1.0, 131071.0, 7.5], [5.0, 4.0, 3.0, 2.0]]).double()
    x = torch.randn(2, 4, int(settings["dim"]), generator=torch.Generator().manual_seed(1)).double()
    if target == "numpy":
        tables = module.cos_sin(position.numpy(), 2.0, dtype=np.float64)
        cosine, sine = (torch.from_numpy(table) for table in tables)
        expected = torch.from_numpy(module.transform_query(x.numpy(), position.numpy(), 2.0))
    else:
        cosine, sine = module.cos_sin(position, 2.0, dtype=torch.float64)
        expected = module.transform_query(x, position, 2.0)
    assert cosine.shape == sine.shape == (2, 4, WIDTH)
    moving, still = x[..., :WIDTH], x[..., WIDTH:]
    layout = name.split(",", maxsplit=1)[0]
    turned = torch.cat((moving * cosine + rotate(moving, layout) * sine, still), dim=-1)
    assert torch.allclose(turned, expected, rtol=0, atol=1e-15)
    other = "half" if layout == "interleaved" else "interleaved"
    wrong = moving * cosine + rotate(moving, other) * sine
    assert not torch.allclose(wrong, expected[..., :WIDTH], rtol=0, atol=1e-3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_the_module_gives_tables_in_the_dtype_of_x(dtype: torch.dtype) -> None:
    module = run(emitted(catalogue("rope", SETTINGS["half"]), "torch").text)
    ids = torch.arange(5).expand(2, 5) + 300
    cosine, sine = module.RopeTables()(torch.zeros(2, 5, 16, dtype=dtype), position_ids=ids)
    exact = module.cos_sin(ids, dtype=torch.float64)
    for table, expected in zip((cosine, sine), exact, strict=True):
        assert table.dtype == dtype
        assert torch.equal(table, expected.to(dtype))


def test_a_model_of_transformers_takes_the_tables() -> None:
    """The logits of a small Llama stay within rounding when its rotary module is replaced."""
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(
        vocab_size=32, hidden_size=32, intermediate_size=32, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=1, head_dim=16,
    )  # fmt: skip
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(config).double().eval()
    tokens = torch.randint(0, 32, (2, 20))
    with torch.no_grad():
        expected = model(tokens).logits
        settings = {"dim": "16", "layout": "half"}
        model.model.rotary_emb = run(
            emitted(catalogue("rope", settings), "torch").text
        ).RopeTables()
        found = model(tokens).logits
    assert torch.allclose(found, expected, rtol=0, atol=1e-4)  # its angles are in float32
    assert not torch.equal(found, expected)


def test_mask_mod_keeps_the_keys_up_to_the_query() -> None:
    flex = pytest.importorskip("torch.nn.attention.flex_attention")
    module = run(emitted(catalogue("alibi", {"dim": "8", "heads": "2"}), "torch").text)
    t, s = torch.tensor([2.0, 0.0, 5.5]), torch.tensor([0.0, 2.0, 5.0, 6.0])
    mask = flex.create_mask(module.make_mask_mod(t, s), 1, 1, 3, 4, device="cpu")[0, 0]
    assert torch.equal(mask, s[None, :] <= t[:, None])


def test_which_files_have_these_functions() -> None:
    def text(name: str, **settings: str) -> str:
        return emitted(catalogue(name, settings), "torch").text

    assert "def cos_sin" in text("grape-m", dim="8")
    assert "def cos_sin" not in text("xpos", dim="8")
    assert "def cos_sin" not in text("alibi", dim="8")
    assert "def make_mask_mod" not in text("rope", dim="8")
    assert "rotary_table" not in text("rope", dim="8", rotary_dim="4")
