"""What scores do not see: results in another order than x. And what they do: one side alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from numeric_check.audit import audit
from numeric_check.audit.matrices import outputs_of
from tests.audit import maps as m


def gathered_halves(x: Any, positions: Any) -> Any:
    """Even channels first, then odd ones; turned as halves, and left in that order."""
    return m.rope("half")(np.concatenate([x[..., 0::2], x[..., 1::2]], axis=-1), positions)


def of_the_tail(x: Any, positions: Any) -> Any:
    """The same on the last channels, beside others that stay; with a gain."""
    return 1.25 * np.concatenate([x[..., :2], gathered_halves(x[..., 2:], positions)], axis=-1)


@pytest.mark.slow
def test_queries_and_keys_that_stay_permuted_are_what_their_scores_are() -> None:
    report = audit(gathered_halves, against="rope:dim=8", strict=True)
    assert report.refuted == ()
    assert report.of("against").verdict == "consistent"
    assert "channel i is at [0, 4, 1, 5, 2, 6, 3, 7]" in report.of("layout").detail
    assert report.conditions["outputs"] == [0, 4, 1, 5, 2, 6, 3, 7]
    assert audit(gathered_halves, against="rope:dim=8,layout=half").of("against").verdict == (
        "equivalent"
    )


def test_a_witness_names_channels_as_they_are_returned() -> None:
    def rounded(x: Any, positions: Any) -> Any:
        return of_the_tail(x, positions.astype(x.dtype))

    report = audit(rounded, dimension=10)
    finding = report.of("precision float16")
    assert finding.verdict == "refuted"
    channel = int(finding.witness.split("channel ")[1].split()[0])
    unit = int(finding.witness.split("unit vector ")[1].split(":")[0])
    at = finding.numbers["first_wrong"]
    image = rounded(np.eye(10, dtype=np.float16)[unit][None], np.array([at]))[0]
    assert float(image[channel]) == pytest.approx(
        float(finding.witness.split(": ")[1].split(",")[0])
    )
    assert report.of("generator").numbers["nearest"] == ""
    assert "layout interleaved of channels 2 to 9" in report.summary


def test_one_side_that_is_permuted_alone_is_told() -> None:
    report = audit(gathered_halves, key=m.rope("half"), dimension=8)
    assert report.of("gain").verdict == "refuted"
    assert "W_q or W_k is permuted alone" in report.cause
    assert "[0, 4, 1, 5, 2, 6, 3, 7] of k" in report.cause


def test_places_among_results() -> None:
    q, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))
    assert outputs_of(np.stack([np.eye(4), np.eye(4)])) == ()
    assert outputs_of(np.stack([np.eye(4)[[3, 1, 2, 0]], np.eye(4)])) == ()
    assert outputs_of(q[None]) == ()
    assert outputs_of(np.zeros((1, 3, 3))) == ()
    assert outputs_of(np.eye(3)[None, [2, 0, 1]]) == (1, 2, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "words"),
    [(m.rope("half", sign=-1), "keys turn the other way than queries"),
     (m.rope("interleaved"), "queries turn in the layout half, keys in the layout interleaved"),
     (m.rope("half", base=100.0), "keys turn by other angles than queries")],
)  # fmt: skip
def test_keys_that_do_not_go_with_queries(key: Any, words: str) -> None:
    assert words in audit(m.rope("half"), key=key, dimension=8).cause


@pytest.mark.slow
def test_keys_that_are_scaled_like_queries() -> None:
    query, key = m.xpos(inverse=False)
    assert "keys need the inverse scale" in audit(query, key=key, dimension=8).cause
