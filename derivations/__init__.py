"""The mathematics as executable derivations: one file a statement, each with its negative twin.

A file defines `DERIVATION`. `CHAPTERS` names the parts of the book in reading order and the files
of each; a test fails for a file that no chapter lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from symbolic_pe.proof.derivation import Derivation


@dataclass(frozen=True)
class Chapter:
    """A part of the book: key, title, and modules in reading order."""

    key: str
    title: str
    modules: tuple[str, ...]


CHAPTERS = (
    Chapter(
        "axioms",
        "From the axioms to one generator",
        ("axioms.homomorphism", "axioms.gauge", "axioms.exponential", "axioms.one_map"),
    ),
    Chapter("augmentation", "Constant coordinates", ("alibi_augmentation",)),
    Chapter(
        "spectral",
        "What an encoding does to the spectrum of logits",
        (
            "spectral.per_pair_similarity",
            "spectral.one_frequency",
            "spectral.dirichlet_gram",
            "spectral.mean_square",
            "spectral.poisson_kernels",
            "spectral.linear_bias",
            "spectral.causal_chains",
            "spectral.schur_multipliers",
            "spectral.homogeneous_content",
            "spectral.isotropic_content",
            "spectral.softmax_gauge",
            "spectral.sinusoidal_tables",
            "spectral.positional_gradient",
            "spectral.effective_kernel",
            "spectral.added_terms",
            "spectral.logits_and_optimisation",
            "spectral.bases",
        ),
    ),
)


def derivation(module: str) -> Derivation:
    """The derivation of one file."""
    found = import_module(f"derivations.{module}").DERIVATION
    assert isinstance(found, Derivation)
    return found


def derivations() -> tuple[Derivation, ...]:
    """Every derivation in reading order."""
    return tuple(derivation(module) for chapter in CHAPTERS for module in chapter.modules)
