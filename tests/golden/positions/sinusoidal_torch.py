# Written by symbolic-pe: Sinusoidal absolute positions.
# reproduce:   symbolic-pe build 'sinusoidal:dim=8' --target torch
# target:      torch
# spec:        {"catalogue": "sinusoidal", "settings": {"base": "10000", "dim": "8", "form": "paper"}}
# certificate: sha256:e88c0f26a3e9443f8e8cf48439716fe7ff871b1a69b7831616eaa64a19f29e84
# body:        sha256:e08f2adbbb6c56afb36b800fba5967bc394e20b8a28d4ac0a0b1c34b133b62f0
"""Sinusoidal absolute positions: not translation invariant.

p_n = sin(n theta) and cos(n theta), added to the embedding at position n
"""

import torch

DIMENSION = 8
HEADS = 1
FREQUENCY = torch.tensor(
    [1.0, 1.0, 0.1, 0.1, 0.01, 0.01, 0.001, 0.001], dtype=torch.float64, device="cpu"
)
IS_SINE = torch.tensor(
    [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0], dtype=torch.float64, device="cpu"
)


def table(position):
    """One row for each position, in float64: (positions, width)."""
    position = position.to(torch.float64)[:, None]
    angle = position * FREQUENCY.to(position.device)
    even = IS_SINE.to(position.device) > 0
    return torch.where(even, torch.sin(angle), torch.cos(angle))
