# Written by symbolic-pe: Fourier position embedding: mixtures of frequencies.
# reproduce:   symbolic-pe build 'fope:' --target torch
# target:      torch
# spec:        {"catalogue": "fope", "settings": {"angles": "float64", "base": "10000", "cos_mix": "", "dim": "8", "layout": "half", "length": "512", "sin_mix": ""}}
# certificate: sha256:a9936ad86b37f1a78320fcfc4a47d6e7c0f8b2ea05fdc463384385752adc1372
# body:        sha256:2cd4f222d2e0a3b0fd2666ead815ce00da0d3a5f9534bbfafbfc18e50756a27a
"""Fourier position embedding: mixtures of frequencies: not translation invariant.

C and S of every plane, C first: C = sum of cos_mix * cos(position * frequency), S = sum
of sin_mix * sin(position * frequency); y = C x + S J x in every plane
"""

import torch

DIMENSION = 8
HEADS = 1
FREQUENCY = torch.tensor([1.0, 0.1, 0.0, 0.0], dtype=torch.float64, device="cpu")


def table(position, cos_mix, sin_mix):
    """One row for each position, in float64: (positions, width).

    cos_mix: (planes, frequencies), the learned coefficients of the cosines

    sin_mix: (planes, frequencies), those of the sines
    """
    position = position.to(torch.float64)[:, None]
    angle = (position * FREQUENCY.to(position.device))[:, None, :]
    first = torch.sum(cos_mix * torch.cos(angle), -1)
    second = torch.sum(sin_mix * torch.sin(angle), -1)
    return torch.cat([first, second], -1)
