# Written by symbolic-pe: Sinusoidal absolute positions.
# reproduce:   symbolic-pe build 'sinusoidal:dim=8' --target array-api
# target:      array-api
# spec:        {"catalogue": "sinusoidal", "settings": {"base": "10000", "dim": "8", "form": "paper"}}
# certificate: sha256:e88c0f26a3e9443f8e8cf48439716fe7ff871b1a69b7831616eaa64a19f29e84
# body:        sha256:e55678d9c69f70f170bcc7b031552ceb7c3fc7a0233bcc46d949c6673b67a968
"""Sinusoidal absolute positions: not translation invariant.

p_n = sin(n theta) and cos(n theta), added to the embedding at position n
"""

from array_api_compat import array_namespace, device

DIMENSION = 8
HEADS = 1
FREQUENCY = [1.0, 1.0, 0.1, 0.1, 0.01, 0.01, 0.001, 0.001]
IS_SINE = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]


def table(position):
    """One row for each position, in float64: (positions, width)."""
    xp = array_namespace(position)
    position = xp.astype(position, xp.float64)[:, None]
    angle = position * _values(FREQUENCY, position)
    even = _values(IS_SINE, position) > 0
    return xp.where(even, xp.sin(angle), xp.cos(angle))


def _values(numbers, x):
    """Numbers in float64, where x is."""
    xp = array_namespace(x)
    return xp.asarray(numbers, dtype=xp.float64, device=device(x))
