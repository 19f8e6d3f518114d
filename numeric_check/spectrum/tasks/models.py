"""A small transformer without a causal mask, with one of several positional encodings.

Pre-norm blocks, true self-attention (keys and values of the layer below), padding masked, mean over
tokens. Without an encoding the model is permutation-invariant, so its accuracy on `distance` is at
most the length-only ceiling.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from symbolic_pe.errors import SpecificationError


@dataclass(frozen=True)
class Size:
    """Layers, channels, heads."""

    layers: int = 2
    width: int = 64
    heads: int = 4

    @property
    def head_width(self) -> int:
        """Channels of a head."""
        return self.width // self.heads


class NoEncoding(nn.Module):
    """Nothing; the base of all encodings.

    `embed(n)` is added to tokens, `turn(x)` is applied to queries and keys of shape
    (batch, heads, n, d), `bias(n)` is added to logits.
    """

    def __init__(self, size: Size, length: int) -> None:
        super().__init__()
        self.size, self.length = size, length

    def embed(self, n: int) -> Tensor | float:
        """Added to embeddings."""
        return 0.0

    def turn(self, x: Tensor) -> Tensor:
        """Applied to queries and keys."""
        return x

    def bias(self, n: int) -> Tensor | float:
        """Added to logits."""
        return 0.0


class Absolute(NoEncoding):
    """Sinusoidal table, p_i = (sin iθ_k, cos iθ_k)."""

    def embed(self, n: int) -> Tensor | float:
        """The table."""
        angles = torch.outer(torch.arange(n), _ladder(self.size.width))
        return torch.cat([angles.sin(), angles.cos()], -1)


class LearnedRelative(NoEncoding):
    """One learned number for each head and offset i − j."""

    def __init__(self, size: Size, length: int) -> None:
        super().__init__(size, length)
        self.table = nn.Parameter(torch.zeros(size.heads, 2 * length - 1))

    def bias(self, n: int) -> Tensor | float:
        """table[h, i − j]."""
        return self.table[:, _lags(n) + self.length - 1]


class T5(NoEncoding):
    """T5's buckets: small offsets alone, larger ones in logarithmic buckets, both signs apart."""

    def __init__(self, size: Size, length: int, buckets: int = 16, farthest: int = 32) -> None:
        super().__init__(size, length)
        self.buckets, self.farthest = buckets, farthest
        self.table = nn.Parameter(torch.zeros(size.heads, buckets))

    def bias(self, n: int) -> Tensor | float:
        """table[h, bucket(i − j)]."""
        lags = _lags(n)
        half = self.buckets // 2
        exact = half // 2
        far = lags.abs().clamp(min=1).float()
        growth = torch.log(far / exact) / math.log(self.farthest / exact) * (half - exact)
        large = (exact + growth.clamp(min=0).long()).clamp(max=half - 1)
        bucket = torch.where(lags.abs() < exact, lags.abs(), large) + (lags < 0).long() * half
        return self.table[:, bucket]


class Alibi(NoEncoding):
    """−m_h|i − j| with the published slopes 2^(−8(h+1)/H)."""

    def bias(self, n: int) -> Tensor | float:
        """The bias."""
        heads = self.size.heads
        slopes = torch.tensor([2.0 ** (-8.0 * (h + 1) / heads) for h in range(heads)])
        return -slopes[:, None, None] * _lags(n).abs()


class Rope(NoEncoding):
    """Rotations by position of the first `share` of the channels of a head."""

    share = 1.0

    def turn(self, x: Tensor) -> Tensor:
        """(…, n, d) turned in planes (k, k + r/2)."""
        n, width = x.shape[-2], x.shape[-1]
        turned = int(width * self.share)
        cos, sin = self.tables(n, turned)
        first, second, rest = x.split([turned // 2, turned // 2, width - turned], -1)
        return torch.cat([first * cos - second * sin, second * cos + first * sin, rest], -1)

    def tables(self, n: int, turned: int) -> tuple[Tensor, Tensor]:
        """cos and sin of positions times frequencies."""
        angles = torch.outer(torch.arange(n), _ladder(turned))
        return angles.cos(), angles.sin()


class HalfRope(Rope):
    """Half of the channels turned, half not: the kernel of concatenated (MLA-like) heads."""

    share = 0.5


class Fope(Rope):
    """Fourier mixtures: every plane's cosine and sine are fixed random mixtures of all of them.

    cos θ_k t + Σ_l a_kl cos θ_l t, a_kl of standard deviation 0.3/√P, as in Fourier position
    embedding; the law is then no longer relative.
    """

    def __init__(self, size: Size, length: int) -> None:
        super().__init__(size, length)
        planes = size.head_width // 2
        generator = torch.Generator().manual_seed(0)
        mixture = torch.randn(planes, planes, generator=generator) * 0.3 / planes**0.5
        self.register_buffer("mixture", torch.eye(planes) + mixture)

    def tables(self, n: int, turned: int) -> tuple[Tensor, Tensor]:
        """Mixed tables."""
        cos, sin = super().tables(n, turned)
        mixture: Any = self.mixture
        return cos @ mixture, sin @ mixture


class RopeAndAbsolute(Rope):
    """RoPE on tokens that carry a sinusoidal table."""

    def embed(self, n: int) -> Tensor | float:
        """The table."""
        return Absolute.embed(self, n)


ENCODINGS: dict[str, Callable[[Size, int], NoEncoding]] = {
    "nope": NoEncoding,
    "absolute": Absolute,
    "relative": LearnedRelative,
    "t5": T5,
    "alibi": Alibi,
    "rope": Rope,
    "half-rope": HalfRope,
    "fope": Fope,
    "rope+absolute": RopeAndAbsolute,
}


def _ladder(width: int) -> Tensor:
    return 10000.0 ** (-torch.arange(0, width, 2) / width)


def _lags(n: int) -> Tensor:
    place = torch.arange(n)
    return place[:, None] - place[None, :]


class Attention(nn.Module):
    """Self-attention; `query` and `key` give what the encoding then acts on."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.heads = size.heads
        self.query = nn.Linear(size.width, size.width, bias=False)
        self.key = nn.Linear(size.width, size.width, bias=False)
        self.value = nn.Linear(size.width, size.width, bias=False)
        self.output = nn.Linear(size.width, size.width, bias=False)

    def forward(self, x: Tensor, encoding: NoEncoding, allowed: Tensor) -> Tensor:
        """(batch, n, width) and the keys that are no padding, (batch, n)."""
        batch, n, width = x.shape

        def split(y: Tensor) -> Tensor:
            return y.view(batch, n, self.heads, -1).transpose(1, 2)

        q, k = encoding.turn(split(self.query(x))), encoding.turn(split(self.key(x)))
        logits = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5 + encoding.bias(n)
        weights = logits.masked_fill(~allowed[:, None, None, :], -torch.inf).softmax(-1)
        mixed = (weights @ split(self.value(x))).transpose(1, 2).reshape(batch, n, width)
        found: Tensor = self.output(mixed)
        return found


class Block(nn.Module):
    """x + attention(norm x), then x + mlp(norm x)."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(size.width), nn.LayerNorm(size.width)
        self.attention = Attention(size)
        self.mlp = nn.Sequential(
            nn.Linear(size.width, 2 * size.width), nn.GELU(), nn.Linear(2 * size.width, size.width)
        )

    def forward(self, x: Tensor, encoding: NoEncoding, allowed: Tensor) -> Tensor:
        """One block."""
        x = x + self.attention(self.first(x), encoding, allowed)
        found: Tensor = x + self.mlp(self.second(x))
        return found


class Classifier(nn.Module):
    """Tokens (batch, n) to logits (batch, classes); see the head of the module."""

    def __init__(
        self, vocabulary: int, classes: int, length: int, encoding: str, size: Size
    ) -> None:
        super().__init__()
        if encoding not in ENCODINGS:
            raise SpecificationError(
                f"encoding: expected one of {', '.join(ENCODINGS)}, got {encoding!r}"
            )
        self.tokens = nn.Embedding(vocabulary, size.width)
        self.encoding = ENCODINGS[encoding](size, length)
        self.blocks = nn.ModuleList(Block(size) for _ in range(size.layers))
        self.norm = nn.LayerNorm(size.width)
        self.classes = nn.Linear(size.width, classes)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits; padding is token 0."""
        allowed = tokens != 0
        x = self.tokens(tokens) + self.encoding.embed(tokens.shape[1])
        for block in self.blocks:
            x = block(x, self.encoding, allowed)
        weight = allowed.float()[..., None]
        found: Tensor = self.classes((self.norm(x) * weight).sum(1) / weight.sum(1))
        return found
