"""Names in code as titles of steps, twins and mistakes."""

from __future__ import annotations

SPELLINGS = {
    "alibi": "ALiBi",
    "cope": "CoPE",
    "dirichlet": "Dirichlet",
    "euler": "Euler",
    "fire": "FIRE",
    "grape": "GRAPE",
    "hadamard": "Hadamard",
    "hankel": "Hankel",
    "kerple": "KERPLE",
    "kronecker": "Kronecker",
    "liere": "LieRE",
    "longrope": "LongRoPE",
    "m-rope": "M-RoPE",
    "mamba-3": "Mamba-3",
    "ntk": "NTK",
    "retnet": "RetNet",
    "rodrigues": "Rodrigues",
    "roformer": "RoFormer",
    "rope": "RoPE",
    "szego": "Szegő",
    "toeplitz": "Toeplitz",
    "vandermonde": "Vandermonde",
    "xpos": "xPos",
    "yarn": "YaRN",
}
"""How encodings and people are written."""
_PAIRS = {name for name in SPELLINGS if "-" in name}


def words_of(name: str) -> str:
    """A name in words.

    >>> words_of("every-power-is-alibi"), words_of("m-rope-own-ladders")
    ('every power is ALiBi', 'M-RoPE own ladders')
    """
    parts, words = name.split("-"), []
    while parts:
        pair = "-".join(parts[:2])
        word = pair if pair in _PAIRS else parts[0]
        words.append(SPELLINGS.get(word, word))
        del parts[: 2 if pair in _PAIRS else 1]
    return " ".join(words)


def title_of(name: str) -> str:
    """The same as a title.

    >>> title_of("as-quoted"), title_of("xpos-conjugate")
    ('As quoted', 'xPos conjugate')
    """
    words = words_of(name)
    first = words.split(" ")[0]
    return words[0].upper() + words[1:] if first.islower() else words


__all__ = ["SPELLINGS", "title_of", "words_of"]
