"""Two tasks with exact Bayes ceilings.

distance  left filler (0 … A), trigger 1, middle filler (0 … M − 1), trigger 2, right filler
          (0 … B); the label is the length of the middle. Fillers are uniform over the vocabulary,
          without the triggers, or with them (`spurious`).
count     n tokens in random order, of which c (0 … C, uniform) are the trigger; the label is c.

A ceiling is the accuracy of the best classifier that sees what it names: the length alone, which
for `distance` is all that helps a permutation-invariant model (fillers are independent of the label
given the length), or the whole sequence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symbolic_pe.errors import SpecificationError

Array = NDArray[Any]

PADDING, FIRST, SECOND = 0, 1, 2
"""Tokens: padding and the two triggers; fillers follow."""
MOST_ENUMERATED = 1 << 21


@dataclass(frozen=True)
class Batch:
    """tokens (batch, n) with padding 0, labels (batch,)."""

    tokens: Array
    labels: Array


@dataclass(frozen=True)
class Distance:
    """How many fillers lie between two triggers.

    left, middle, right  largest lengths A, M − 1, B are `left`, `middle` − 1, `right`
    fillers              number of filler tokens
    spurious             whether fillers may be triggers as well
    """

    left: int = 5
    middle: int = 8
    right: int = 5
    fillers: int = 12
    spurious: bool = False

    name = "distance"

    def __post_init__(self) -> None:
        if min(self.left, self.right) < 0 or self.middle < 2 or self.fillers < 1:
            raise SpecificationError(
                "distance: expected left, right >= 0, middle >= 2, fillers >= 1, got "
                f"{self.left}, {self.right}, {self.middle}, {self.fillers}"
            )

    @property
    def classes(self) -> int:
        """Number of labels."""
        return self.middle

    @property
    def vocabulary(self) -> int:
        """Number of tokens, padding among them."""
        return 3 + self.fillers

    @property
    def length(self) -> int:
        """Longest sequence."""
        return self.left + self.middle + self.right + 1

    def sample(self, count: int, generator: np.random.Generator) -> Batch:
        """`count` independent sequences."""
        lowest = FIRST if self.spurious else SECOND + 1
        tokens = generator.integers(lowest, self.vocabulary, size=(count, self.length))
        left = generator.integers(0, self.left + 1, size=count)
        middle = generator.integers(0, self.middle, size=count)
        right = generator.integers(0, self.right + 1, size=count)
        rows = np.arange(count)
        tokens[rows, left] = FIRST
        tokens[rows, left + middle + 1] = SECOND
        ends = left + middle + right + 2
        tokens[np.arange(self.length)[None, :] >= ends[:, None]] = PADDING
        return Batch(tokens, middle)

    def length_only_ceiling(self) -> Fraction:
        """Σ over lengths of the most probable label's joint probability.

        P(m, length) = #{(a, b): a + b = length − 2 − m}/((A + 1)(B + 1)·M).
        """
        ways = Counter(a + b for a in range(self.left + 1) for b in range(self.right + 1))
        total = Fraction(0)
        for length in range(2, self.length + 1):
            total += max(ways[length - 2 - m] for m in range(self.middle))
        return total / ((self.left + 1) * (self.right + 1) * self.middle)

    def full_information_ceiling(self) -> Fraction:
        """1 without spurious triggers; with them exact by enumeration.

        Given the places of both triggers every consistent pair (i, j) is equally likely, so the
        posterior of a distance is its share of consistent pairs. Each filler is trigger 1, trigger
        2 or another, with probabilities 1/V, 1/V, (V − 2)/V. Raises `SpecificationError` when more
        than 2²¹ places of patterns would be enumerated.
        """
        if not self.spurious:
            return Fraction(1)
        patterns = sum(3 ** (length - 2) * length for length in range(2, self.length + 1))
        if patterns > MOST_ENUMERATED:
            raise SpecificationError(
                f"distance: the ceiling with spurious triggers is enumerated up to sequences of "
                f"about 12 tokens; this task has {self.length}"
            )
        size = self.vocabulary - 1
        total = Fraction(0)
        for length in range(2, self.length + 1):
            for pattern in product((FIRST, SECOND, PADDING), repeat=length):
                total += self._best(pattern) * _weight(pattern, size)
        return total / ((self.left + 1) * (self.right + 1) * self.middle)

    def _best(self, pattern: Sequence[int]) -> int:
        """The largest number of consistent pairs with one distance."""
        found: Counter[int] = Counter()
        for i in range(min(self.left + 1, len(pattern))):
            if pattern[i] != FIRST:
                continue
            for j in range(max(i + 1, len(pattern) - 1 - self.right), len(pattern)):
                if pattern[j] == SECOND and j - i - 1 < self.middle:
                    found[j - i - 1] += 1
        return max(found.values(), default=0)


def _weight(pattern: Sequence[int], size: int) -> Fraction:
    """Probability of the other n − 2 places, given the two triggers of one consistent pair."""
    marked = sum(1 for x in pattern if x != PADDING) - 2
    if marked < 0:
        return Fraction(0)
    rest = len(pattern) - 2 - marked
    return Fraction(1, size) ** marked * Fraction(size - 2, size) ** rest


@dataclass(frozen=True)
class Count:
    """How many of n tokens in random order are the trigger."""

    tokens: int = 18
    most: int = 7
    fillers: int = 12

    name = "count"

    def __post_init__(self) -> None:
        if not 1 <= self.most <= self.tokens or self.fillers < 1:
            raise SpecificationError(
                f"count: expected 1 <= most <= tokens and fillers >= 1, got {self.most}, "
                f"{self.tokens}, {self.fillers}"
            )

    @property
    def classes(self) -> int:
        """Number of labels."""
        return self.most + 1

    @property
    def vocabulary(self) -> int:
        """Number of tokens, padding and the unused second trigger among them."""
        return 3 + self.fillers

    @property
    def length(self) -> int:
        """Length of every sequence."""
        return self.tokens

    def sample(self, count: int, generator: np.random.Generator) -> Batch:
        """`count` independent sequences."""
        tokens = generator.integers(SECOND + 1, self.vocabulary, size=(count, self.tokens))
        labels = generator.integers(0, self.most + 1, size=count)
        order = generator.permuted(np.tile(np.arange(self.tokens), (count, 1)), axis=1)
        tokens[order < labels[:, None]] = FIRST
        return Batch(tokens, labels)

    def length_only_ceiling(self) -> Fraction:
        """Every sequence has one length: 1/(C + 1)."""
        return Fraction(1, self.most + 1)

    def full_information_ceiling(self) -> Fraction:
        """The count is there to be seen."""
        return Fraction(1)


Task = Distance | Count
TASKS: dict[str, Task] = {"distance": Distance(), "count": Count()}
