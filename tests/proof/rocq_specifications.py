"""Specifications that reach every part of the export, as TOML."""

from __future__ import annotations

# Eigenvalues 1/2 ± 2i, chain length 2, in a basis that is not the Jordan basis.
SIMILAR = """
[encoding]
name = "similar"
[generator]
matrix = [["1/2", "-2", "1", "0"], ["2", "1/2", "0", "1"],
          ["0", "0", "1/2", "-2"], ["0", "0", "2", "1/2"]]
"""
# One eigenvalue of a cubic that has no rational root, twice.
CUBIC_CHAIN = """
[encoding]
name = "cubic-chain"
[generator]
matrix = [["0", "1", "0", "0", "0", "0"], ["0", "0", "1", "0", "0", "0"],
          ["-2", "0", "0", "1", "0", "0"], ["0", "0", "0", "0", "1", "0"],
          ["0", "0", "0", "0", "0", "1"], ["0", "0", "0", "-2", "0", "0"]]
"""
# Irrational real eigenvalues, 0 once more.
QUADRATIC = """
[encoding]
name = "quadratic-roots"
[generator]
matrix = [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"]]
"""
# Roots, a denominator and pi in the entries.
CONSTANTS = """
[encoding]
name = "constants"
[parameters]
w = "positive"
[generator]
matrix = [["0", "sqrt(2)*w"], ["-w/(1 + w)", "pi"]]
"""
# Every kind of block, with parameters whose names Rocq uses itself.
BLOCKS = """
[encoding]
name = "every-block"
[parameters]
cos = "positive"
q = "nonzero"
[generator]
blocks = [{ rate = "-cos", frequency = "q", chain_length = 3, shear = "cos*q" },
          { rate = "-1/cos" }, { frequency = "sqrt(cos)" }, { chain_length = 4 },
          { rate = "log(2/7)", chain_length = 2 }, { rate = "q", frequency = "2^(-1/3)" }]
"""
# A bias of degree 2 with a root, over a content that rotates.
BIAS = """
[encoding]
name = "quadratic-bias"
[parameters]
m = "positive"
[generator]
rope = { dim = 4 }
[augmentation]
bias = "-m*tau^2 + sqrt(2)*tau/m"
"""
ONE_MAP = """
[encoding]
name = "one-map"
pairing = "one-map"
[generator]
matrix = [["0", "-1", "2"], ["1", "0", "-3"], ["-2", "3", "0"]]
"""
HEADS = """
[encoding]
name = "two-heads"
[heads]
a = ["1", "sqrt(2)"]
[generator]
matrix = [["0", "a"], ["-a", "-1"]]
"""
# Three axes, with a parameter and constants that are independent.
AXES = """
[encoding]
name = "three-axes"
[parameters]
w = "positive"
[[axes]]
name = "x"
blocks = [{ frequency = "w" }, { frequency = "0" }, { rate = "-1" }]
[[axes]]
name = "y"
blocks = [{ frequency = "sqrt(2)*w" }, { frequency = "pi/w" }, { rate = "w" }]
[[axes]]
name = "z *) (*"
blocks = [{ frequency = "0" }, { frequency = "1/100" }, { rate = "0" }]
"""
SINGULAR = """
[encoding]
name = "singular"
[step]
matrix = [["1/2", "1"], ["0", "0"]]
"""
# Planes that lose norm at a fixed rate, with a parameter as frequency.
DAMPED = """
[encoding]
name = "damped-planes"
[parameters]
w = "positive"
[generator]
blocks = [{ rate = "-1/3", frequency = "w" }, { rate = "log(4/9)/2" }, { frequency = "w^2" },
          { rate = "0" }]
"""
# Parameters with the names that statements and proofs bind themselves.
NAMES_SKEW = """
[encoding]
name = "names-skew"
[parameters]
c = "positive"
i = "real"
phi = "real"
[generator]
matrix = [["0", "-c", "i"], ["c", "0", "-phi"], ["-i", "phi", "0"]]
"""
NAMES_BIAS = """
[encoding]
name = "names-bias"
[parameters]
v = "positive"
H = "real"
[generator]
blocks = [{ rate = "-v" }, { frequency = "1", shear = "H" }]
[augmentation]
bias = "-v*tau + H"
"""
NAMES_AXES = """
[encoding]
name = "names-axes"
[parameters]
a = "real"
p = "real"
j = "real"
[[axes]]
blocks = [{ rate = "a" }, { rate = "p" }]
[[axes]]
blocks = [{ rate = "j" }, { rate = "a*p" }]
"""
SPECIFICATIONS = {
    "similar": SIMILAR,
    "cubic-chain": CUBIC_CHAIN,
    "quadratic-roots": QUADRATIC,
    "constants": CONSTANTS,
    "every-block": BLOCKS,
    "quadratic-bias": BIAS,
    "one-map": ONE_MAP,
    "two-heads": HEADS,
    "three-axes": AXES,
    "singular": SINGULAR,
    "damped-planes": DAMPED,
    "names-skew": NAMES_SKEW,
    "names-bias": NAMES_BIAS,
    "names-axes": NAMES_AXES,
}
