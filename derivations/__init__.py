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
    Chapter(
        "blocks",
        "Blocks, and what is built of them",
        (
            "blocks.chains",
            "blocks.pair_chains",
            "blocks.similarity",
            "blocks.direct_sums",
            "blocks.layouts",
            "blocks.commuting_families",
        ),
    ),
    Chapter(
        "classification",
        "What a generator can do",
        (
            "classification.real_eigenvalues",
            "classification.rotation",
            "classification.diagonalisable",
            "classification.boundedness",
            "classification.norm_preservation",
            "classification.every_encoding",
        ),
    ),
    Chapter(
        "time",
        "Integer positions and clocks",
        ("time.culver", "time.clocks", "time.state_space"),
    ),
    Chapter(
        "augmentation",
        "Constant coordinates",
        (
            "augmentation.alibi",
            "augmentation.alibi_solutions",
            "augmentation.minimality",
            "augmentation.both_sides",
            "augmentation.fox",
            "augmentation.grape",
        ),
    ),
    Chapter(
        "biases",
        "Which biases a group can carry",
        (
            "biases.realisable",
            "biases.logarithmic",
            "biases.powers",
            "biases.tables",
            "biases.absolute_terms",
        ),
    ),
    Chapter(
        "misprints",
        "What print and copies get wrong",
        ("misprints.ordered_products", "misprints.frequency_ladders"),
    ),
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
            "spectral.heads_and_positions",
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
