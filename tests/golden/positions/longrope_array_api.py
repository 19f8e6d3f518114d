# Written by symbolic-pe: LongRoPE: one factor for each plane, found by search.
# reproduce:   symbolic-pe build 'longrope:dim=8,start=4' --target array-api
# target:      array-api
# spec:        {"catalogue": "longrope", "settings": {"angles": "float64", "attention_factor": "0", "base": "10000", "dim": "8", "factor": "32", "layout": "half", "length": "131072", "long_factor": "", "original_length": "4096", "rotary_dim": "0", "short_factor": "", "start": "4"}}
# certificate: sha256:9f14ba025f2e6ac087ee817d327e85191343740a3b72ae2fca3fba46615f3051
# body:        sha256:a7c547b81f1a5a33b731715a403a052818618b04f30262060bee532fae727a9b
"""LongRoPE: one factor for each plane, found by search: not translation invariant.

cos and sin of the phase of every plane, cos first; the phase is position * frequency
below position 4, and from there on position * frequency / lambda
"""

from array_api_compat import array_namespace, device

DIMENSION = 8
HEADS = 1
FREQUENCY = [1.0, 0.1, 0.01, 0.001]
SCALED = [0.03125, 0.003125, 0.0003125, 3.125e-05]


def table(position):
    """One row for each position, in float64: (positions, width)."""
    xp = array_namespace(position)
    position = xp.astype(position, xp.float64)[:, None]
    early = position * _values(FREQUENCY, position)
    angle = xp.where(position < 4, early, position * _values(SCALED, position))
    return xp.concat([xp.cos(angle), xp.sin(angle)], axis=-1)


def _values(numbers, x):
    """Numbers in float64, where x is."""
    xp = array_namespace(x)
    return xp.asarray(numbers, dtype=xp.float64, device=device(x))
