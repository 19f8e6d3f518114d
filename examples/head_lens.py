"""Train a small transformer with RoPE and look at its heads: where does position do its work?

    python examples/head_lens.py

Takes about ten seconds on one core. Layer 0 of a model that tells how far two tokens are apart.
"""

from __future__ import annotations

import sys

import numpy as np

from numeric_check.spectrum.lens import head_lens
from numeric_check.spectrum.tasks.generators import TASKS
from numeric_check.spectrum.tasks.training import Setting, accuracy, adapter_of, trained
from numeric_check.spectrum.tensors import captured, head_deposit
from symbolic_pe.encodings.catalogue import catalogue


def main(steps: int = 300) -> None:
    """Train, capture queries and keys of 64 sequences of one length, print one line a head."""
    import torch

    setting = Setting("distance", "rope", seed=0, steps=steps)
    model = trained(setting)
    adapter = adapter_of(setting)
    tokens = TASKS["distance"].sample(4096, np.random.default_rng(2)).tokens
    whole = torch.from_numpy(tokens[(tokens != 0).sum(axis=1) == 14][:64])
    with torch.no_grad():
        queries, keys = captured(model, adapter, lambda: model(whole))
    n = 14
    encoding = catalogue("rope", {"dim": queries.shape[-1], "layout": "half"})
    lenses = head_lens(encoding, queries[:, :, :n], keys[:, :, :n], causal=False)
    full, ablated, deposit = head_deposit(model, adapter, lambda: accuracy(model, setting))
    ceiling = float(TASKS["distance"].length_only_ceiling())
    print(f"accuracy {full:.3f}; ceiling without position {ceiling:.3f}")
    print("head  positional share  lag share  contraction  homogeneity  without it")
    for lens, alone in zip(lenses, ablated, strict=True):
        print(
            f"{lens.head:4}  {lens.predicted_share:16.3f}  {lens.lag_share:9.3f}  "
            f"{lens.contraction:11.3f}  {lens.homogeneity:11.3f}  {alone:10.3f}"
        )
    print("deposit index", "none: no ablation hurts" if deposit is None else f"{deposit:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
