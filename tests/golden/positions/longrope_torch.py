# Written by symbolic-pe: LongRoPE: one factor for each plane, found by search.
# reproduce:   symbolic-pe build 'longrope:dim=8,start=4' --target torch
# target:      torch
# spec:        {"catalogue": "longrope", "settings": {"angles": "float64", "attention_factor": "0", "base": "10000", "dim": "8", "factor": "32", "layout": "half", "length": "131072", "long_factor": "", "original_length": "4096", "rotary_dim": "0", "short_factor": "", "start": "4"}}
# certificate: sha256:9f14ba025f2e6ac087ee817d327e85191343740a3b72ae2fca3fba46615f3051
# body:        sha256:a45099d3e13c97fd93e41ea8dbca5972d4292f11a84267b894e79cc9975a6efa
"""LongRoPE: one factor for each plane, found by search: not translation invariant.

cos and sin of the phase of every plane, cos first; the phase is position * frequency
below position 4, and from there on position * frequency / lambda
"""

import torch

DIMENSION = 8
HEADS = 1
FREQUENCY = torch.tensor([1.0, 0.1, 0.01, 0.001], dtype=torch.float64, device="cpu")
SCALED = torch.tensor(
    [0.03125, 0.003125, 0.0003125, 3.125e-05], dtype=torch.float64, device="cpu"
)


def table(position):
    """One row for each position, in float64: (positions, width)."""
    position = position.to(torch.float64)[:, None]
    early = position * FREQUENCY.to(position.device)
    angle = torch.where(position < 4, early, position * SCALED.to(position.device))
    return torch.cat([torch.cos(angle), torch.sin(angle)], -1)
