"""What explains a fault is said in words; what a convention does is no fault."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from numeric_check.audit.report.terminal import audit_text
from tests.audit import faulty_module as faulty
from tests.audit import maps as m

pytestmark = pytest.mark.slow


def explained(subject: Any, **options: Any) -> str:
    report = audit(subject, **{"dimension": 8, **options})
    assert report.exit_code == 1
    if report.cause:
        assert "what explains it: " in audit_text(report)
    return report.cause


def counted(clock: Any) -> Any:
    return lambda x, p: m.rope()(x, clock(p))


@pytest.mark.parametrize(
    ("clock", "words"),
    [
        (lambda p: np.minimum(p, 5000), "from position 5001 on all count as 5000"),
        (lambda p: p % 4096, "position 4096 counts as 0 again: positions are taken modulo 4096"),
        (lambda p: p.astype(np.uint16), "unsigned integers of 16 bits"),
        (lambda p: p.astype(np.int16), "a signed integer of 16 bits overflows"),
        (lambda p: np.where(p >= 8192, p - 1, p), "from position 8192 on positions are one late"),
        (lambda p: np.where(p > 0, p + 1, 0), "position 0 is special"),
    ],
)
def test_positions_that_are_miscounted(clock: Any, words: str) -> None:
    assert words in explained(counted(clock))


def test_a_sign_that_is_missing() -> None:
    def reflected(x: Any, p: Any) -> Any:
        angle = np.concatenate([p[:, None] * m.ladder(8)] * 2, -1)
        return x * np.cos(angle) + np.roll(x, 4, -1) * np.sin(angle)

    assert "a sign is missing" in explained(reflected)
    assert audit(m.rope(), dimension=8).cause == ""


def test_heads_that_are_left_out() -> None:
    def some(x: Any, p: Any) -> Any:
        y = m.rope()(x, p)
        if x.ndim == 4:
            y[:, 5:] = x[:, 5:]
        return y

    assert explained(some).startswith("row 5 of a batch, or head 5")


@pytest.mark.parametrize(("step", "words"), [(1, "the next one"), (-1, "the one before")])
def test_decoding_that_is_one_off(step: int, words: str) -> None:
    def f(x: Any, p: Any) -> Any:
        return m.rope()(x, p + step if len(p) == 1 else p)

    report = audit(f, dimension=8)
    assert report.of("prefill = decode").verdict == "refuted"
    assert words in report.of("prefill = decode").detail


def test_keys_ahead_of_queries_and_scores_of_the_opposite_sign() -> None:
    late = explained(m.rope(), key=counted(lambda p: p + 1))
    assert late == "keys are 1 position ahead of queries"
    found = audit(m.rope(), key=lambda x, p: -m.rope()(x, p), dimension=8).of("gain")
    assert found.verdict == "refuted"
    assert "opposite sign" in found.detail


def test_results_that_change_from_call_to_call() -> None:
    random = np.random.default_rng(0)

    def noisy(x: Any, p: Any) -> Any:
        return m.rope()(x, p) * random.uniform(0.9, 1.1)

    assert "the same call gives other results each time" in explained(noisy)

    def dropout(x: Any, p: Any) -> Any:
        return m.rope()(x, p) * (random.uniform(size=x.shape) > 0.1)

    assert "the same call gives other results each time" in explained(dropout)


def test_every_so_many_positions() -> None:
    report = audit(counted(lambda p: np.where(p % 1024 == 1023, p - 1, p)), dimension=8)
    assert "at position 1023 and every 1024 after it" in report.of("generator").detail


def test_dtypes_that_fail_alike_are_told_once() -> None:
    report = audit(counted(lambda p: np.minimum(p, 5000)), dimension=8)
    text = audit_text(report)
    assert text.count("REFUTED    precision") == 1
    assert "the same: precision float32, precision bfloat16, precision float16" in text


# -- scores -----------------------------------------------------------------------------------


def score(q: Any, k: Any, t: Any, s: Any) -> Any:
    return m.rope()(q, t) @ m.rope()(k, s).T


def of_score(call: Any) -> Any:
    return audit(call, kind="score", dimension=8)


def test_softmax_and_norms_inside_a_score() -> None:
    def softmax(q: Any, k: Any, t: Any, s: Any) -> Any:
        z = np.exp(score(q, k, t, s))
        return z / z.sum(axis=-1, keepdims=True)

    def cosine(q: Any, k: Any, t: Any, s: Any) -> Any:
        unit = lambda x: x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-9)  # noqa: E731
        return score(unit(q), unit(k), t, s)

    assert "softmax is part of it" in of_score(softmax).of("linear").detail
    assert "normalisation is part of it" in of_score(cosine).of("linear").detail


def test_a_bias_inside_a_score_is_told_and_judged() -> None:
    biased = lambda q, k, t, s: score(q, k, t, s) - 0.25 * (t[:, None] - s[None])  # noqa: E731
    report = of_score(biased)
    assert report.exit_code == 0
    assert "beside q and k a linear bias of 1 heads" in report.summary
    wrong = lambda q, k, t, s: score(q, k, t, s) - 0.001 * t[:, None] * s[None]  # noqa: E731
    assert of_score(wrong).of("additive").verdict == "refuted"


def test_a_score_without_positions() -> None:
    plain = lambda q, k, t, s: q @ k.T  # noqa: E731
    assert of_score(plain).of("position").verdict == "refuted"
    assert audit(plain, kind="score", against="nope:dim=8").of("position").verdict == "consistent"


@pytest.mark.parametrize(
    "right",
    [
        lambda q, k, t, s: np.where(
            t[:, None] >= s[None], score(q, k, t, s) * 0.97 ** (t[:, None] - s[None]), 0
        ),
        lambda q, k, t, s: m.rope()(q, t - s[-1]) @ m.rope()(k, s - s[-1]).T,
        lambda q, k, t, s: np.where(abs(t[:, None] - s[None]) < 4096, score(q, k, t, s), -np.inf),
    ],
)
def test_scores_that_decay_or_count_from_elsewhere_or_are_masked(right: Any) -> None:
    report = audit(right, kind="score", dimension=8, causal=True)
    assert report.refuted == ()


# -- biases and tables ------------------------------------------------------------------------


def test_slopes_are_told_beside_the_published_ones() -> None:
    lags = lambda t, s: t[:, None] - s[None]  # noqa: E731
    doubled = lambda t, s: -(2.0 ** -np.arange(8))[:, None, None] * lags(t, s)  # noqa: E731
    found = audit(doubled, kind="bias").of("slope")
    assert "each is 2 times that" in found.detail
    turned = lambda t, s: -(2.0 ** -np.arange(8, 0, -1))[:, None, None] * lags(t, s)  # noqa: E731
    assert "in another order of heads" in audit(turned, kind="bias").of("slope").detail


def test_a_bias_that_takes_the_mean_off_each_row_is_no_fault() -> None:
    def centred(t: Any, s: Any) -> Any:
        b = -0.5 * (t[:, None] - s[None])[None]
        return b - b.mean(axis=-1, keepdims=True)

    assert audit(centred, kind="bias").exit_code == 0


def test_tables_with_a_row_of_padding_or_rounded_angles() -> None:
    padded = lambda p: faulty.sines(p) * (p > 0)[:, None]  # noqa: E731
    assert "row 0 is 0, as for padding" in audit(padded, kind="table").cause

    def coarse(p: Any) -> Any:
        import ml_dtypes

        angle = p[:, None] * 10000.0 ** (-2.0 * np.arange(4) / 8)
        angle = angle.astype(ml_dtypes.bfloat16).astype(float)
        return np.concatenate([np.sin(angle), np.cos(angle)], axis=-1)

    assert "angles are rounded to bfloat16" in audit(coarse, kind="table").cause
    assert audit(faulty.sines, kind="table").cause == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("f", "words"),
    [(m.by_slot, "the place in the call counts, not the position"),
     (m.contiguous, "only the first position of a call counts"),
     (m.CachedByLength(), "a table is kept from an earlier call of as many positions"),
     (lambda x, p: m.rope()(x, p // 4), "4 positions in a row count as one"),
     (m.by_count_of_rows, "what a row becomes depends on the rows beside it")],
)  # fmt: skip
def test_what_counts_in_place_of_the_position(f: Any, words: str) -> None:
    assert words in audit(f, dimension=8).cause


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clock", "words"),
    [(lambda p: 2 * p, "twice that: the offset is added twice"),
     (lambda p: np.minimum(p, 3), "count as others: 5 as 3")],
)  # fmt: skip
def test_as_what_a_position_counts_that_is_called_alone(clock: Any, words: str) -> None:
    def f(x: Any, positions: Any) -> Any:
        return m.rope()(x, clock(positions) if len(positions) == 1 else positions)

    assert words in audit(f, dimension=8).cause


@pytest.mark.parametrize(
    ("theta", "words"),
    [(10000.0 ** (-np.arange(4) / 8), "which are 10000^(-2j/16)"),
     (10000.0 ** (-(np.arange(4) + 1) / 4), "the index j begins at 1"),
     (np.full(4, 0.25), "4 planes (half) that all turn with frequency 0.25")],
)  # fmt: skip
def test_ladders_in_other_words(theta: Any, words: str) -> None:
    def f(x: Any, positions: Any) -> Any:
        return m.rotate(x, positions[:, None] * theta, "half")

    assert words in audit(f, dimension=8).summary
