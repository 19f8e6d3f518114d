# Written by symbolic-pe: Fourier position embedding: mixtures of frequencies.
# reproduce:   symbolic-pe build 'fope:' --target array-api
# target:      array-api
# spec:        {"catalogue": "fope", "settings": {"angles": "float64", "base": "10000", "cos_mix": "", "dim": "8", "layout": "half", "length": "512", "sin_mix": ""}}
# certificate: sha256:a9936ad86b37f1a78320fcfc4a47d6e7c0f8b2ea05fdc463384385752adc1372
# body:        sha256:7804c114a9094354325ef3d42f960e4bbd5ed0e0d4df2e752d014d6e76934607
"""Fourier position embedding: mixtures of frequencies: not translation invariant.

C and S of every plane, C first: C = sum of cos_mix * cos(position * frequency), S = sum
of sin_mix * sin(position * frequency); y = C x + S J x in every plane
"""

from array_api_compat import array_namespace, device

DIMENSION = 8
HEADS = 1
FREQUENCY = [1.0, 0.1, 0.0, 0.0]


def table(position, cos_mix, sin_mix):
    """One row for each position, in float64: (positions, width).

    cos_mix: (planes, frequencies), the learned coefficients of the cosines

    sin_mix: (planes, frequencies), those of the sines
    """
    xp = array_namespace(position)
    position = xp.astype(position, xp.float64)[:, None]
    angle = (position * _values(FREQUENCY, position))[:, None, :]
    first = xp.sum(cos_mix * xp.cos(angle), axis=-1)
    second = xp.sum(sin_mix * xp.sin(angle), axis=-1)
    return xp.concat([first, second], axis=-1)


def _values(numbers, x):
    """Numbers in float64, where x is."""
    xp = array_namespace(x)
    return xp.asarray(numbers, dtype=xp.float64, device=device(x))
