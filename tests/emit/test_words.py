"""turn_words: planes of bfloat16 as words of 32 bits, as exact as complex numbers."""

from __future__ import annotations

import shutil

import pytest
import torch

from numeric_check.kernels import words
from numeric_check.kernels.kernel import compile_kernel
from numeric_check.laws.cross_check import cross_check
from numeric_check.mutation.equivalence.word_bits import differing_number
from numeric_check.text_proof.prove import prove_text
from symbolic_pe import catalogue, plan_kernel
from tests.emit.reference import emitted, run

BACKEND = "inductor" if shutil.which("g++") else "aot_eager"


def encoding():
    return catalogue("rope", {"dim": "8"})


@pytest.fixture(scope="module")
def text() -> str:
    return emitted(encoding(), "torch").text


@pytest.fixture(scope="module")
def rope(text: str):
    return run(text)


def test_texts_for_neighbours_alone_have_it(text: str) -> None:
    assert words.knows_words(text)
    assert not words.knows_words(text.replace("0xFFFF", "0xFFFE"))
    assert words.knows_words(text.replace("The opposite, rounded", "Joined, rounded"))
    half = emitted(catalogue("rope", {"dim": "8", "layout": "half"}), "torch").text
    assert words.TURN_WORDS not in half
    assert not words.knows_words(half)
    assert words.TURN_WORDS not in emitted(encoding(), "numpy").text


@pytest.mark.slow
def test_compiled_results_are_those_of_complex_numbers(rope) -> None:
    table = rope.rotary_table(torch.tensor([0.0, 1.0, 4095.0]))
    x = torch.randn(2, 5, 3, 8, generator=torch.Generator().manual_seed(3)).bfloat16()
    torch.compiler.reset()
    turn = torch.compile(rope.turn_words, fullgraph=True, backend=BACKEND)
    for given in (x, x.transpose(0, 1), torch.cat([x, x[..., :1]], -1)[..., :8], x[:0]):
        assert torch.allclose(turn(given, table), rope.turn(given, table), rtol=2**-7)


@pytest.mark.slow
def test_gradients_are_refused_when_compiled_too(rope) -> None:
    table = rope.rotary_table(torch.tensor([0.0, 1.0]))
    x = torch.randn(2, 8).bfloat16()
    turn = torch.compile(rope.turn_words, backend=BACKEND)
    with pytest.raises(ValueError, match="passes no gradients"):
        turn(x.requires_grad_(), table)


@pytest.mark.slow
def test_rounding_is_a_cast_for_every_number(rope) -> None:
    def cast(value: torch.Tensor) -> torch.Tensor:
        short = value.bfloat16().view(torch.int16).int() << 16
        return torch.where(value.isnan(), -1, short)

    assert differing_number(rope._nearest, cast) is None


def test_one_number_is_enough_to_differ(rope) -> None:
    value = differing_number(lambda value: value.view(torch.int32), rope._nearest)
    assert value is not None
    assert torch.tensor(value).bfloat16().item() != value


EDITS = {
    "a sign": ("cosine * first - sine * second", "cosine * first + sine * second", True),
    "the table turned back": ("table.real, table.imag", "table.real, -table.imag", True),
    "bits moved further": ("words << 16", "words << 17", False),  # executed only as it is known
}


@pytest.mark.parametrize("edit", list(EDITS))
def test_edits_are_refuted_by_proof_or_by_the_law(text: str, edit: str) -> None:
    before, after, by_proof = EDITS[edit]
    place = text.index(f"def {words.TURN_WORDS}")
    assert before in text[place:]
    changed = compile_kernel(text[:place] + text[place:].replace(before, after))
    plan = plan_kernel(encoding())
    proof = prove_text(changed, plan)
    assert (proof.verdict == "refuted") is by_proof
    assert words.TURN_WORDS not in proof.executed
    found = cross_check(changed, plan, dtypes=["float64"], calls=True)
    assert [r.law for r in found.results if r.verdict == "refuted"] == ["words"]
