"""The independent checker: golden certificates, a mutation campaign, hostile documents.

The campaign alters every leaf of every golden certificate.  What an altered document states is
judged a second time here, in floating point (mpmath, ``expm``), so that no mutant may be accepted
unless it is numerically true, and none refuted unless it is numerically false.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import islice
from math import factorial, floor
from typing import Any

import pytest
from mpmath import mp  # type: ignore[import-untyped]

from symbolic_pe.proof import checker
from symbolic_pe.proof.checker import canonical_digest, check_certificate, check_text

Json = Any
CLOSED = ["initial-condition", "derivative", "homomorphism", "relativity", "closed-form"]
CONTRAGREDIENT = {"query": "A(t)^T", "key": "A(-s)"}
ONE_MAP = {"query": "A(-t)", "key": "A(-s)"}


# --- building certificates -----------------------------------------------------------------------


def num(*terms: Json) -> Json:
    """``num(3)``, ``num((-1, "a"), ("1/2", "r", -1))``: coefficient, atoms, exponents if not 1."""
    result = []
    for term in terms:
        c, *rest = term if isinstance(term, tuple) else (term,)
        atoms: dict[str, str] = {}
        while rest:
            atom = rest.pop(0)
            has_exponent = rest and (not isinstance(rest[0], str) or rest[0][0] in "-0123456789")
            atoms[atom] = str(rest.pop(0)) if has_exponent else "1"
        if Fraction(c):
            result.append([str(Fraction(c)), atoms])
    return result


def fn(*terms: tuple[Json, int, Json]) -> Json:
    """Terms (coefficient, k, exponent); each of the two is a number or a pair of numbers."""

    def pair(x: Json) -> Json:
        return [x[0], x[1]] if isinstance(x, tuple) else [x, []]

    return [[pair(c), k, pair(exponent)] for c, k, exponent in terms]


ONE_FN = fn((num(1), 0, num()))


def digest(document: Json) -> str:
    content = {k: v for k, v in document.items() if k != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def certificate(
    patterns: Json, heads: Json, claims: list[str], dimension: int, **fields: Json
) -> Json:
    document = {
        "format": "symbolic-pe-certificate/1",
        "name": "golden",
        "dimension": dimension,
        "parameters": {},
        "definitions": {},
        "patterns": patterns,
        "heads": [stated(patterns, h) for h in heads],
        "pairing": CONTRAGREDIENT,
        "augmentation": None,
        "claims": claims,
        **fields,
    }
    return {**document, "digest": digest(document)}


def placed(pattern: str, coordinates: list[int], **values: Json) -> Json:
    return {"pattern": pattern, "coordinates": coordinates, "values": values}


def head(*blocks: Json, basis: Json = None, generator: Json = None) -> Json:
    """One head; X as its entries, by default those that the blocks give."""
    return {"generator": generator, "blocks": list(blocks), "basis": basis}


def stated(patterns: Json, h: Json) -> Json:
    """The head with its generator; without one, J is assembled."""
    if h["generator"] is not None:
        return h
    found = []
    for block in h["blocks"]:
        rows = patterns[block["pattern"]]["generator"]
        for i, row in zip(block["coordinates"], rows, strict=True):
            for j, entry in zip(block["coordinates"], row, strict=True):
                found.append([i, j, replaced(entry, block["values"])])
    return {**h, "generator": [item for item in found if item[2]]}


def entries(rows: Json) -> Json:
    """A dense matrix as entries that are not 0."""
    return [[i, j, x] for i, row in enumerate(rows) for j, x in enumerate(row) if x]


def replaced(number: Json, given: Json) -> Json:
    """A number with variables replaced by numbers."""
    total: Json = []
    for c, atoms in number:
        term = [[c, {atom: e for atom, e in atoms.items() if atom not in given}]]
        for atom in sorted(atoms.keys() & given.keys()):
            term = product(term, power(given[atom], int(atoms[atom])))
        total += term
    return product(total, num(1))


def power(number: Json, exponent: int) -> Json:
    """number^exponent; of one term where the exponent is negative."""
    if exponent < 0:
        ((c, atoms),) = number
        inverse = [[str(1 / Fraction(c)), {atom: str(-Fraction(e)) for atom, e in atoms.items()}]]
        return power(inverse, -exponent)
    return product(power(number, exponent - 1), number) if exponent else num(1)


def product(left: Json, right: Json) -> Json:
    """left·right, in the published form: monomials merged, exponents of primes in (0, 1)."""
    total: dict[tuple[tuple[str, str], ...], Fraction] = {}
    for (c, some), (d, more) in ((x, y) for x in left for y in right):
        factor, kept = Fraction(c) * Fraction(d), []
        for atom in sorted(some.keys() | more.keys()):
            e = Fraction(some.get(atom, 0)) + Fraction(more.get(atom, 0))
            if atom.isdigit():
                factor, e = factor * Fraction(atom) ** floor(e), e - floor(e)
            if e:
                kept.append((atom, str(e)))
        total[tuple(kept)] = total.get(tuple(kept), Fraction(0)) + factor
    return [[str(c), dict(kept)] for kept, c in total.items() if c]


def turn(decay: Json, angle: str, factor: Json = "1", k: int = 0) -> tuple[Json, Json]:
    """(cos, sin) of (angle·t), times factor·t^k·exp(decay·t)."""
    half = Fraction(factor) / 2
    up, down = (decay, num((1, angle))), (decay, num((-1, angle)))
    cos = fn((num(half), k, up), (num(half), k, down))
    sin = fn(((num(), num(-half)), k, up), ((num(), num(half)), k, down))
    return cos, sin


def minus(f: Json) -> Json:
    def negate(number: Json) -> Json:
        return [[str(-Fraction(c)), atoms] for c, atoms in number]

    return [[[negate(re), negate(im)], k, exponent] for (re, im), k, exponent in f]


def rotation_pattern(decay: bool = False) -> Json:
    a = num((1, "a")) if decay else num()
    cos, sin = turn(a, "b")
    return {
        "variables": ["a", "b"] if decay else ["b"],
        "generator": [[a, num((-1, "b"))], [num((1, "b")), a]],
        "exponential": [[cos, minus(sin)], [sin, cos]],
    }


def chain_pattern(n: int) -> Json:
    """Real Jordan block a·I + N, exp = e^{at}·t^(j−i)/(j−i)!."""
    a = num((1, "a"))
    x = [[a if i == j else num(1) if j == i + 1 else num() for j in range(n)] for i in range(n)]
    e = [
        [fn((num(Fraction(1, factorial(j - i))), j - i, a)) if j >= i else [] for j in range(n)]
        for i in range(n)
    ]
    return {"variables": ["a"], "generator": x, "exponential": e}


def complex_chain_pattern() -> Json:
    a = num((1, "a"))
    rows = [[a, num((-1, "b"))], [num((1, "b")), a]]
    (c0, s0), (c1, s1) = turn(a, "b"), turn(a, "b", k=1)
    r0, r1 = [[c0, minus(s0)], [s0, c0]], [[c1, minus(s1)], [s1, c1]]
    unit = [[num(1), num()], [num(), num(1)]]
    return {
        "variables": ["a", "b"],
        "generator": [rows[i] + unit[i] for i in range(2)]
        + [[num(), num(), *rows[i]] for i in range(2)],
        "exponential": [r0[i] + r1[i] for i in range(2)] + [[[], [], *r0[i]] for i in range(2)],
    }


SCALAR = {
    "variables": ["a"],
    "generator": [[num((1, "a"))]],
    "exponential": [[fn((num(1), 0, num((1, "a"))))]],
}
ZERO_PATTERN = {"variables": [], "generator": [[num()]], "exponential": [[ONE_FN]]}


def golden_rotation() -> Json:
    bounded = ["orthogonality", "bounded-causal", "bounded-all"]
    blocks = [
        placed("rotation", [0, 2], b=num(1)),
        placed("rotation", [1, 3], b=num(("1/10", "2", "1/2", "5", "1/2"))),
    ]
    return certificate(
        {"rotation": rotation_pattern()}, [head(*blocks)], CLOSED + bounded, 4, pairing=ONE_MAP
    )


def golden_damped() -> Json:
    """RetNet: two heads with decays log(31/32) and log(63/64), and a parameter as frequency."""
    heads = [
        head(placed("damped", [0, 1], a=num((1, "log(31)"), (-5, "log(2)")), b=num((1, "w")))),
        head(
            placed(
                "damped",
                [1, 0],
                a=num((2, "log(3)"), (1, "log(7)"), (-6, "log(2)")),
                b=num((2, "pi"), ("-1", "3", "1/3")),
            )
        ),
    ]
    return certificate(
        {"damped": rotation_pattern(decay=True)},
        heads,
        [*CLOSED, "bounded-causal"],
        2,
        parameters={"w": "positive"},
    )


def golden_nilpotent() -> Json:
    heads = [head(placed("chain", [2, 0, 1], a=num()), placed("chain", [3, 4, 5], a=num(-2)))]
    return certificate({"chain": chain_pattern(3)}, heads, CLOSED, 6)


def golden_complex_chain() -> Json:
    heads = [head(placed("chain", [0, 1, 2, 3], a=num((-1, "w")), b=num((1, "3", "1/2"))))]
    return certificate(
        {"chain": complex_chain_pattern()},
        heads,
        [*CLOSED, "bounded-causal"],
        4,
        parameters={"w": "positive"},
    )


def golden_basis() -> Json:
    """X = [[0, 2], [1, 0]] with the eigenvalues ±√2."""
    r = num((1, "2", "1/2"))
    matrix = [[num(), num(2)], [num(1), num()]]
    basis = {
        "P": [[r, num((-1, "2", "1/2"))], [num(1), num(1)]],
        "Q": [
            [num(("1/4", "2", "1/2")), num("1/2")],
            [num(("-1/4", "2", "1/2")), num("1/2")],
        ],
    }
    blocks = [placed("scalar", [0], a=r), placed("scalar", [1], a=num((-1, "2", "1/2")))]
    return certificate(
        {"scalar": SCALAR}, [head(*blocks, basis=basis, generator=entries(matrix))], CLOSED, 2
    )


def golden_orthogonal_basis() -> Json:
    """A rotation by √2·t about the last column of a rational orthogonal matrix P."""
    p = [[Fraction(x, 3) for x in row] for row in ([2, -1, 2], [2, 2, -1], [-1, 2, 2])]
    x = [[p[i][1] * p[j][0] - p[i][0] * p[j][1] for j in range(3)] for i in range(3)]
    matrix = [[num((v, "2", "1/2")) if v else num() for v in row] for row in x]
    basis = {
        "P": [[num(v) for v in row] for row in p],
        "Q": [[num(p[j][i]) for j in range(3)] for i in range(3)],
    }
    blocks = [placed("rotation", [0, 1], b=num((1, "2", "1/2"))), placed("zero", [2])]
    return certificate(
        {"rotation": rotation_pattern(), "zero": ZERO_PATTERN},
        [head(*blocks, basis=basis, generator=entries(matrix))],
        [*CLOSED, "orthogonality", "bounded-all"],
        3,
        pairing=ONE_MAP,
    )


OSCILLATOR = [[num(), num(1)], [num((-1, "w", 2)), num((-2, "w", "z"))]]


def golden_square() -> Json:
    """X = [[0, 1], [−w², −2zw]], E = e^{at}(cosh rt·I + sinh(rt)/r·(X − aI)), r² = w²(z² − 1)."""
    up, down = num((-1, "w", 1, "z"), (1, "r")), num((-1, "w", 1, "z"), (-1, "r"))

    def entry(identity: int, *shift: Json) -> Json:
        """cosh·identity + sinh/r·shift."""
        c = [("1/2",)] if identity else []
        plus = [(Fraction(k) / 2, *atoms, "r", -1) for k, *atoms in shift]
        less = [(-Fraction(k) / 2, *atoms, "r", -1) for k, *atoms in shift]
        return fn((num(*c, *plus), 0, up), (num(*c, *less), 0, down))

    e = [
        [entry(1, (1, "w", 1, "z")), entry(0, (1,))],
        [entry(0, (-1, "w", 2)), entry(1, (-1, "w", 1, "z"))],
    ]
    return certificate(
        {"oscillator": {"variables": [], "generator": OSCILLATOR, "exponential": e}},
        [head(placed("oscillator", [0, 1]))],
        CLOSED,
        2,
        parameters={"w": "positive", "z": "real"},
        definitions={"r": {"square": num((1, "w", 2, "z", 2), (-1, "w", 2))}},
    )


def golden_equals() -> Json:
    """X = [[0, 1], [−f, 0]] with f = 1 + w > 0: cos, sin of f^{1/2}·t."""
    up, down = (num(), num((1, "f", "1/2"))), (num(), num((-1, "f", "1/2")))

    def entry(cos: int, *sin: Json) -> Json:
        """cos + k·f^p·sin."""
        c = num("1/2") if cos else num()
        less = num(*((-Fraction(k) / 2, "f", p) for k, p in sin))
        more = num(*((Fraction(k) / 2, "f", p) for k, p in sin))
        return fn(((c, less), 0, up), ((c, more), 0, down))

    e = [[entry(1), entry(0, (1, "-1/2"))], [entry(0, (-1, "1/2")), entry(1)]]
    matrix = [[num(), num(1)], [num(-1, (-1, "w")), num()]]
    return certificate(
        {"oscillator": {"variables": [], "generator": matrix, "exponential": e}},
        [head(placed("oscillator", [0, 1]))],
        [*CLOSED, "bounded-causal", "bounded-all"],
        2,
        parameters={"w": "positive"},
        definitions={"f": {"equals": num(1, (1, "w"))}},
    )


def golden_alibi() -> Json:
    """A = I with the biases −τ/2 and −τ/√2, from two constant coordinates."""
    slopes = [num("1/2"), num(("1/2", "2", "1/2"))]
    augmentation = [
        {
            "query": [num(-1), num()],
            "key": [num(3), num(1)],
            "generator": [[num(), slope], [num(), num()]],
            "exponential": [[ONE_FN, fn((slope, 1, num()))], [[], ONE_FN]],
            "bias": minus(fn((num(3), 0, num()), (slope, 1, num()))),
        }
        for slope in slopes
    ]
    return certificate(
        {"zero": ZERO_PATTERN},
        [head(placed("zero", [0]), placed("zero", [1]))] * 2,
        [*CLOSED, "orthogonality", "bounded-all", "augmentation"],
        2,
        augmentation=augmentation,
    )


GOLDEN: dict[str, Callable[[], Json]] = {
    "rotation": golden_rotation,
    "damped": golden_damped,
    "nilpotent": golden_nilpotent,
    "complex-chain": golden_complex_chain,
    "basis": golden_basis,
    "orthogonal-basis": golden_orthogonal_basis,
    "square": golden_square,
    "equals": golden_equals,
    "alibi": golden_alibi,
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_certificates_are_accepted(name: str) -> None:
    document = GOLDEN[name]()
    result = check_certificate(document)
    assert result.accepted, result.reason
    assert result.claims == tuple((claim, "proved") for claim in document["claims"])
    assert check_text(json.dumps(document)) == result
    assert canonical_digest(document) == document["digest"]


# --- a second opinion in floating point ----------------------------------------------------------

Matrix = list[list[complex]]
TOLERANCE = 1e-9  # double precision on values of order 1 to 100; mutants differ by far more
RANGES = {
    "real": (-1.0, 1.0),
    "nonzero": (-1.0, 1.0),
    "positive": (0.0, 1.0),
    "nonnegative": (0.0, 1.0),
    "negative": (-1.0, 0.0),
    "nonpositive": (-1.0, 0.0),
}
Environment = dict[str, complex]


def value(number: Json, env: Environment) -> complex:
    total = 0j
    for c, atoms in number:
        term = complex(Fraction(c))
        for atom, e in atoms.items():
            if atom in env:
                base = env[atom]
            elif atom.startswith("log("):
                base = complex(mp.log(int(atom[4:-1])))
            else:
                base = complex(mp.pi if atom == "pi" else int(atom))
            exponent = Fraction(e)
            term *= base ** (int(exponent) if exponent.denominator == 1 else float(exponent))
        total += term
    return total


def pair_value(pair: Json, env: Environment) -> complex:
    return value(pair[0], env) + 1j * value(pair[1], env)


def function_value(f: Json, t: float, env: Environment) -> complex:
    total = 0j
    for c, k, exponent in f:
        total += pair_value(c, env) * t**k * complex(mp.exp(pair_value(exponent, env) * t))
    return total


def values(matrix: Json, env: Environment) -> Matrix:
    return [[value(entry, env) for entry in row] for row in matrix]


def times(a: Matrix, b: Matrix) -> Matrix:
    columns = list(zip(*b, strict=True))
    return [[sum(x * y for x, y in zip(r, c, strict=True)) for c in columns] for r in a]


def close(a: Matrix, b: Matrix) -> bool:
    return all(
        abs(x - y) <= TOLERANCE * (1 + abs(x) + abs(y))
        for r, s in zip(a, b, strict=True)
        for x, y in zip(r, s, strict=True)
    )


def unit(n: int) -> Matrix:
    return [[complex(i == j) for j in range(n)] for i in range(n)]


def expm(x: Matrix, t: float) -> Matrix:
    """exp(tX) by scaling and squaring of a Taylor sum."""
    norm = abs(t) * max(sum(map(abs, row)) for row in x)
    squarings = max(0, int(norm).bit_length() + 1)
    small = [[t * v / 2**squarings for v in row] for row in x]
    result = term = unit(len(x))
    for n in range(1, 20):
        term = [[v / n for v in row] for row in times(term, small)]
        result = [
            [u + v for u, v in zip(r, s, strict=True)] for r, s in zip(result, term, strict=True)
        ]
    for _ in range(squarings):
        result = times(result, result)
    return result


def environments(document: Json, count: int = 12) -> Iterator[Environment]:
    """Parameters inside their assumptions, definitions by their values; hypotheses respected."""
    for seed in range(count):
        rng = random.Random(seed)
        env: Environment = {}
        for name, assumption in sorted(document["parameters"].items()):
            low, high = RANGES[assumption]
            size = rng.choice([rng.uniform(0.2, 0.9), rng.uniform(1.1, 4.0)])
            if seed == 0 and 0 in checker.ASSUMPTIONS[assumption]:
                size = 0.0
            env[name] = size * (low if high == 0 or (low and rng.random() < 0.5) else high)
        pending = dict(document["definitions"])
        valid = True
        while pending and valid:
            for name, body in sorted(pending.items()):
                ((kind, number),) = body.items()
                if any(atom in pending for _, atoms in number for atom in atoms):
                    continue
                v = value(number, env)
                valid = abs(v) > TOLERANCE if kind == "square" else v.real > 0
                env[name] = v**0.5 * (-1) ** seed if kind == "square" else v
                del pending[name]
                break
        if valid:
            yield env


@cache
def block_is_true(text: str) -> bool:
    """E(t) = exp(tX) at two times, for a block in given environments."""
    generator, exponential, env = json.loads(text)
    env = {name: complex(*v) for name, v in env.items()}
    x = values(generator, env)
    return all(
        close([[function_value(f, t, env) for f in row] for row in exponential], expm(x, t))
        for t in (0.0, 0.83, -0.4)
    )


def exponential_holds(block: Json, env: Environment) -> bool:
    text = {name: (complex(v).real, complex(v).imag) for name, v in sorted(env.items())}
    return block_is_true(json.dumps([block["generator"], block["exponential"], text]))


def terms_at(f: Json, env: Environment) -> list[tuple[int, complex]]:
    """(k, exponent) of the terms that do not cancel."""
    found: list[list[Any]] = []
    for c, k, exponent in f:
        at, coefficient = pair_value(exponent, env), pair_value(c, env)
        for item in found:
            if item[0] == k and abs(item[1] - at) < TOLERANCE:
                item[2] += coefficient
                break
        else:
            found.append([k, at, coefficient])
    return [(k, at) for k, at, coefficient in found if abs(coefficient) > TOLERANCE]


def bounded_holds(document: Json, env: Environment, everywhere: bool) -> bool:
    for h in document["heads"]:
        for block in h["blocks"]:
            pattern = document["patterns"][block["pattern"]]
            inner = env | {name: value(v, env) for name, v in block["values"].items()}
            for f in (f for row in pattern["exponential"] for f in row):
                for k, at in terms_at(f, inner):
                    neutral = abs(at.real) < TOLERANCE and k == 0
                    if not neutral and (everywhere or at.real > -TOLERANCE):
                        return False
    return True


def head_holds(document: Json, h: Json, env: Environment, orthogonal: bool) -> bool:
    n = document["dimension"]
    x = [[0j] * n for _ in range(n)]
    for block in h["blocks"]:
        pattern = document["patterns"][block["pattern"]]
        inner = env | {name: value(v, env) for name, v in block["values"].items()}
        for i, row in zip(block["coordinates"], pattern["generator"], strict=True):
            for j, entry in zip(block["coordinates"], row, strict=True):
                x[i][j] = value(entry, inner)
    j, p, q = x, unit(n), unit(n)
    if h["basis"] is not None:
        p, q = values(h["basis"]["P"], env), values(h["basis"]["Q"], env)
    x = [[0j] * n for _ in range(n)]
    for row, column, entry in h["generator"]:
        x[row][column] = value(entry, env)
    if not close(times(x, p), times(p, j)) or not close(times(p, q), unit(n)):
        return False
    if orthogonal:
        a = expm(x, 0.7)
        return close(times([list(c) for c in zip(*a, strict=True)], a), unit(n))
    return True


def augmentation_holds(item: Json, env: Environment) -> bool:
    if not exponential_holds(item, env):
        return False
    q, k = ([value(v, env) for v in item[side]] for side in ("query", "key"))
    for t in (0.0, 1.3, -0.6):
        e = [[function_value(f, t, env) for f in row] for row in item["exponential"]]
        score = times(times([q], e), [[v] for v in k])
        if not close(score, [[function_value(item["bias"], t, env)]]):
            return False
    return True


def is_true(document: Json) -> bool:
    """Whether everything the document states holds numerically, at sampled parameters."""
    claims = document["claims"]
    one_map = document["pairing"] == ONE_MAP
    orthogonal = "orthogonality" in claims or ("relativity" in claims and one_map)
    for seed, env in enumerate(environments(document)):
        for pattern in document["patterns"].values():
            rng = random.Random(100 + seed)
            inner = env | {v: complex(rng.uniform(-1, 1)) for v in sorted(pattern["variables"])}
            if not exponential_holds(pattern, inner):
                return False
        if not all(head_holds(document, h, env, orthogonal) for h in document["heads"]):
            return False
        if not all(augmentation_holds(item, env) for item in document["augmentation"] or []):
            return False
        if "bounded-causal" in claims and not bounded_holds(document, env, everywhere=False):
            return False
        if "bounded-all" in claims and not bounded_holds(document, env, everywhere=True):
            return False
        if not document["parameters"]:
            break
    return True


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_certificates_are_numerically_true(name: str) -> None:
    assert is_true(GOLDEN[name]())


def judge(document: Json) -> checker.CheckResult:
    return check_certificate(document, ignore_digest=True)


# --- the mutation campaign -----------------------------------------------------------------------


def altered_text(text: str) -> Iterator[str]:
    """Other texts in the place of one: as a number, as an atom, as a name."""
    try:
        n = Fraction(text)
    except ValueError:
        yield from (
            "2",
            "pi",
            "",
            text + "x",
            text.upper(),
            "w",
            "b",
            "sha256:0",
            "rotation",
            "real",
        )
        yield from checker.ASSUMPTIONS if text in checker.ASSUMPTIONS else ()
        yield from ("A(-t)", "A(t)^T", "bounded-all", "orthogonality")
    else:
        yield from map(str, (-n, n + 1, 2 * n, n / 2, 1 - n))
        yield from (f"{2 * n.numerator}/{2 * n.denominator}", "0", "x")


def altered(node: Json) -> Iterator[Json]:
    """Other values in the place of one."""
    yield None
    if isinstance(node, str):
        yield from altered_text(node)
    elif isinstance(node, int):
        yield from (node + 1, node - 1, -node - 1, str(node), node + 0.5, True, 10**30)
    elif isinstance(node, list):
        for i in range(len(node)):
            yield node[:i] + node[i + 1 :]
            if i:
                yield [*node[: i - 1], node[i], node[i - 1], *node[i + 1 :]]
        yield [*node, *node[-1:]]
        yield {}
    elif isinstance(node, dict):
        for key in node:
            rest = {k: v for k, v in node.items() if k != key}
            yield rest
            yield from ({**rest, new: node[key]} for new in altered_text(key) if new not in node)
        yield {**node, "extra": None}
        yield []


def mutants(node: Json) -> Iterator[Json]:
    """The node with one place in it altered, for every place and every alteration."""
    yield from (new for new in altered(node) if new != node or type(new) is not type(node))
    if isinstance(node, list):
        for i, item in enumerate(node):
            yield from ([*node[:i], new, *node[i + 1 :]] for new in mutants(item))
    elif isinstance(node, dict):
        for key, item in node.items():
            yield from ({**node, key: new} for new in mutants(item))


@pytest.mark.parametrize("name", GOLDEN)
def test_altered_certificates_are_rejected_unless_true(name: str) -> None:
    golden = GOLDEN[name]()
    counts: Counter[str] = Counter()
    every = mutants({k: v for k, v in golden.items() if k != "digest"})
    step = 2 if name == "complex-chain" else 1  # the largest: several alterations a place are left
    for i, mutant in enumerate(islice(every, 0, None, step)):
        if isinstance(mutant, dict):
            if i % 10 == 0:  # a mutant that keeps the old digest
                stale = check_certificate({**mutant, "digest": golden["digest"]})
                assert stale.reason.startswith(("digest: ", "document: "))
            mutant["digest"] = digest(mutant)
        result = check_certificate(mutant)
        kind = classify(result)
        counts[kind] += 1
        assert result.reason
        if kind == "malformed":
            assert result.claims == ()
        elif kind == "undecided":
            counts["undecided but true"] += is_true(mutant)
        else:
            assert is_true(mutant) == (kind == "accepted"), (result.reason, mutant)
    assert counts["refuted"] + counts["undecided"] > 100, counts
    assert counts["undecided but true"] == 0, counts


def altered_at_random(node: Json, rng: random.Random) -> Json:
    """The node with one place in it altered."""
    if isinstance(node, list) and node and rng.random() < 0.93:
        i = rng.randrange(len(node))
        return [*node[:i], altered_at_random(node[i], rng), *node[i + 1 :]]
    if isinstance(node, dict) and node and rng.random() < 0.93:
        key = rng.choice(sorted(node))
        return {**node, key: altered_at_random(node[key], rng)}
    return rng.choice(list(altered(node)))


@pytest.mark.parametrize("name", GOLDEN)
def test_certificates_altered_in_many_places(name: str) -> None:
    golden = GOLDEN[name]()
    rng = random.Random(name)
    for _ in range(400):
        mutant = golden
        for _ in range(rng.randint(2, 3)):
            mutant = altered_at_random(mutant, rng)
        result = judge(mutant)
        kind = classify(result)
        assert check_text(json.dumps(mutant), ignore_digest=True).accepted == result.accepted
        if kind in ("accepted", "refuted"):
            assert is_true(mutant) == (kind == "accepted"), (result.reason, mutant)


def classify(result: checker.CheckResult) -> str:
    if result.accepted:
        return "accepted"
    for kind in ("refuted", "undecided"):
        if f" is {kind}: " in result.reason:
            return kind
    return "malformed"


# --- what must not be accepted, and what must be --------------------------------------------------


def one_block(
    pattern: Json,
    claims: list[str],
    fields: Json = None,
    generator: Json = None,
    **values: Json,
) -> Json:
    n = len(pattern["generator"])
    only = head(placed("p", list(range(n)), **values), generator=generator)
    return certificate({"p": pattern}, [only], claims, n, **(fields or {}))


def test_an_imaginary_frequency_is_not_bounded() -> None:
    for square, accepted in ((num(2), True), (num(-2), False), (num((1, "w")), False)):
        fields = {"parameters": {"w": "nonzero"}, "definitions": {"r": {"square": square}}}
        document = one_block(rotation_pattern(), ["bounded-all"], fields, b=num((1, "r")))
        assert judge(document).accepted == accepted
        assert judge(document).claims == (("bounded-all", "proved" if accepted else "undecided"),)


def test_the_fourth_power_of_a_nested_root_has_no_assumed_sign() -> None:
    """q² = r and r² = w, so −q⁴ = −w, which grows for w < 0."""
    fields = {
        "parameters": {"w": "nonzero"},
        "definitions": {"r": {"square": num((1, "w"))}, "q": {"square": num((1, "r"))}},
    }
    result = judge(one_block(SCALAR, ["bounded-causal"], fields, a=num((-1, "q", 4))))
    assert not result.accepted
    assert "root that may be 0" in result.reason or dict(result.claims) == {
        "bounded-causal": "undecided"
    }


def test_even_powers_of_a_root_have_the_sign_of_the_value() -> None:
    """r² = −w: r² decays and so does −r⁴, while −r² and r⁴ grow."""
    fields = {"parameters": {"w": "positive"}, "definitions": {"r": {"square": num((-1, "w"))}}}
    for rate, decays in (((1, "r", 2), True), ((-1, "r", 4), True), ((-1, "r", 2), False)):
        document = one_block(SCALAR, ["bounded-causal"], fields, a=num(rate))
        assert judge(document).accepted == decays
    assert not judge(one_block(SCALAR, ["bounded-causal"], fields, a=num((1, "r", 4)))).accepted


@pytest.mark.parametrize(
    "definition",
    [
        {"equals": num(-1)},
        {"equals": num()},
        {"square": num()},
        {"equals": num((1, "log(2)"), -1)},
        {"equals": num((-1, "w", 2))},
        {"equals": num((1, "exp(1)"), -3)},
        {"equals": num((1, "f"))},
        {"square": num((1, "f"), 1)},
        {"equals": num((1, "exp(f)"))},
        {"equals": num(1), "square": num(1)},
        {"cube": num(2)},
        {},
    ],
)
def test_definitions_that_cannot_hold_are_refused(definition: Json) -> None:
    fields = {"parameters": {"w": "positive"}, "definitions": {"f": definition}}
    result = judge(one_block(SCALAR, [], fields, a=num(1)))
    assert not result.accepted
    assert "definitions" in result.reason


@pytest.mark.parametrize("assumption", ["real", "positive", "nonnegative"])
def test_positivity_has_to_follow_from_the_assumptions(assumption: str) -> None:
    """f = w − 1 with −f as a rate decays only where w > 1, which nobody assumed."""
    rate = num((-1, "f"))
    document = certificate(
        {"scalar": SCALAR},
        [head(placed("scalar", [0], a=rate))],
        [*CLOSED, "bounded-causal"],
        1,
        parameters={"w": assumption},
        definitions={"f": {"equals": num(-1, (1, "w"))}},
    )
    result = judge(document)
    assert not result.accepted
    assert "by the assumptions" in result.reason


@pytest.mark.parametrize("word", ["nonpositive", "real", "negative"])
def test_a_root_that_may_be_zero_supports_no_basis(word: str) -> None:
    """X = [[0, 1], [0, w]] is defective at w = 0, where 1/w² = r^−2 means nothing."""
    basis = {
        "P": [[num(1), num(1)], [num(), num((1, "w"))]],
        "Q": [[num(1), num((-1, "w", 1, "r", -2))], [num(), num((1, "w", 1, "r", -2))]],
    }
    matrix = [[num(), num(1)], [num(), num((1, "w"))]]
    document = certificate(
        {"scalar": SCALAR},
        [
            head(
                placed("scalar", [0], a=num()),
                placed("scalar", [1], a=num((1, "w"))),
                basis=basis,
                generator=entries(matrix),
            )
        ],
        [*CLOSED, "bounded-causal"] if word != "real" else CLOSED,
        2,
        parameters={"w": word},
        definitions={"r": {"square": num((1, "w", 2))}},
    )
    assert judge(document).accepted == (word == "negative")


def test_growth_where_a_root_vanishes_is_undecided() -> None:
    document = golden_square()
    document["claims"] = [*document["claims"], "bounded-causal"]
    result = judge(document)
    assert not result.accepted
    assert dict(result.claims)["bounded-causal"] == "undecided"


def test_hypotheses_are_listed() -> None:
    assert judge(golden_equals()).hypotheses == ()
    assert judge(golden_square()).hypotheses == ("r^2 = -1*w^(2) + 1*w^(2)*z^(2) is not 0",)
    assert judge(golden_rotation()).hypotheses == ()


INVERSE = {  # X = [[1, 1/c], [0, 2]]
    "variables": ["c"],
    "generator": [[num(1), num((1, "c", -1))], [num(), num(2)]],
    "exponential": [
        [
            fn((num(1), 0, num(1))),
            fn((num((-1, "c", -1)), 0, num(1)), (num((1, "c", -1)), 0, num(2))),
        ],
        [[], fn((num(1), 0, num(2)))],
    ],
}


@pytest.mark.parametrize(
    ("c", "accepted"),
    [
        (num(3), True),
        (num(("1/3", "2", "1/2")), True),
        (num((2, "w")), True),
        (num(), False),
        (num((1, "z")), False),
        (num(1, (1, "w")), False),
    ],
)
def test_a_variable_that_divides_needs_a_value_that_is_not_zero(c: Json, accepted: bool) -> None:
    fields = {"parameters": {"w": "positive", "z": "real"}}
    generator = None if accepted else entries([[num(1), num(1)], [num(), num(2)]])
    result = judge(one_block(INVERSE, CLOSED, fields, generator, c=c))
    assert result.accepted == accepted
    assert accepted or "divides by it" in result.reason


def test_claims_that_hold_for_the_values_only() -> None:
    bounded = ["orthogonality", "relativity", "bounded-all", "bounded-causal"]
    damped, one_map = rotation_pattern(decay=True), {"pairing": ONE_MAP}
    assert judge(one_block(damped, bounded, one_map, a=num(), b=num(2))).accepted
    result = judge(one_block(damped, bounded, one_map, a=num(-1), b=num(2)))
    assert [status for _, status in result.claims] == ["refuted"] * 3 + ["proved"]
    shear = {
        "variables": ["c"],
        "generator": [[num(), num((1, "c"))], [num(), num()]],
        "exponential": [[ONE_FN, fn((num((1, "c")), 1, num()))], [[], ONE_FN]],
    }
    assert judge(one_block(shear, bounded, one_map, c=num())).accepted
    result = judge(one_block(shear, bounded, one_map, c=num(1)))
    assert [status for _, status in result.claims] == ["refuted"] * 4


def test_terms_that_merge_for_the_values_are_merged() -> None:
    """E = 1 + (e^{at} − e^{bt})·0 …: a term that cancels at a = b does not grow."""
    pattern = {  # two scalars and the coupling c/(a − b), written with d = 1/(a − b) as a = b + 1/d
        "variables": ["a", "b"],
        "generator": [[num((1, "a")), num((1, "a"), (-1, "b"))], [num(), num((1, "b"))]],
        "exponential": [
            [
                fn((num(1), 0, num((1, "a")))),
                fn((num(1), 0, num((1, "a"))), (num(-1), 0, num((1, "b")))),
            ],
            [[], fn((num(1), 0, num((1, "b"))))],
        ],
    }
    claims = [*CLOSED, "bounded-causal"]
    assert judge(one_block(pattern, claims, a=num(-1), b=num(-1))).accepted
    assert judge(one_block(pattern, claims, a=num(-1), b=num(-2))).accepted
    assert not judge(one_block(pattern, claims, a=num(-1), b=num(2))).accepted


@pytest.mark.parametrize(
    ("rate", "status"),
    [
        (num(-1, (1, "log(2)")), "proved"),
        (num((1, "2", "1/2"), (1, "3", "1/2"), (-1, "10", "1/2")), "malformed"),
        (num((1, "2", "1/2"), (1, "3", "1/2"), (-1, "2", "1/2", "5", "1/2")), "proved"),
        (num((1, "pi"), "-355/113"), "proved"),
        (num((1, "pi"), "-333/106"), "refuted"),
        (num((1, "pi", "1/3"), ("-1", "3", "1/3"), ("-1", "log(2)", -2)), "proved"),
        (num((1, "pi"), (-1, "log(2)", 2), -3), "proved"),
        (num((1, "pi"), (-1, "log(2)", 2), -2), "undecided"),
        (num((-1, "w"), (-1, "v", 2)), "proved"),
        (num((-1, "v", 2)), "proved"),
        (num((-1, "n", 3), (-1, "v", 2)), "undecided"),
        (num((1, "n", 3), (-1, "w")), "proved"),
        (num((1, "v")), "undecided"),
        (num((1, "w"), -1), "undecided"),
        (num((-1, "exp(w)")), "proved"),
        (num((-1, "exp(1)"), 1), "undecided"),
        (num((-1, "f", "1/2"), 1), "proved"),
        (num((-1, "f", "1/3"), 2), "undecided"),
        (num((-1, "2", "999/1000"), ("2", "7", "1/1001")), "refuted"),
        (num((1, "2", "999/1000"), ("-2", "7", "1/9973")), "undecided"),
    ],
)
def test_signs_of_rates(rate: Json, status: str) -> None:
    fields = {
        "parameters": {"w": "positive", "v": "real", "n": "negative"},
        "definitions": {"f": {"equals": num((1, "pi"), -2)}},
    }
    result = judge(one_block(SCALAR, ["bounded-causal"], fields, a=rate))
    if status == "malformed":
        assert result.claims == ()
    else:
        assert result.claims[0][1] in status


@pytest.mark.parametrize(
    ("number", "accepted"),
    [
        (num((1, "2", "3/2")), False),
        (num((1, "2", "-1/2")), False),
        (num((1, "4", "1/2")), False),
        (num((1, "1", "1/2")), False),
        (num((1, "91", "1/2")), False),
        (num((1, "3317044064679887385961981", "1/2")), False),
        (num((1, "2305843009213693951", "1/2")), True),
        (num((1, "log(4)")), False),
        (num((1, "log(2)", "-3/7")), True),
        (num((1, "pi", "-1")), True),
        (num((1, "exp(w)", "1/2")), True),
        (num((1, "exp(2*w*log(3)^(1/2))")), True),
        (num((1, "exp(q)")), False),
        (num((1, "exp(r)")), False),
        (num((1, "exp(real)")), False),
        (num((1, "exp(w;1)")), False),
        (num((1, "q")), False),
        (num((1, "a")), False),
        (num((1, "√-1")), False),
        (num((1, "w", "-5/3")), True),
        (num((1, "v", -1)), False),
        (num((1, "v", "1/2")), False),
        (num((1, "n", -1)), True),
        (num((1, "n", "1/2")), False),
        (num((1, "r", "1/2")), False),
        (num((1, "r", -1)), True),
        (num((1, "w", "1/1000001")), False),
        ([["1", {"w": "1"}], ["2", {"w": "1"}]], False),
        ([["0", {}]], False),
        ([["-0", {}]], False),
        ([["1.5", {}]], False),
        ([["2/4", {}]], False),
        ([["2/1", {}]], False),
        ([["٣", {}]], False),
        ([["1\n", {}]], False),
        ([[1, {}]], False),
        ([["1", {"w": 1}]], False),
        ([["9" * 4000, {}]], True),
        ([["9" * 4001, {}]], False),
        ([["9" * 10**6, {}]], False),
    ],
)
def test_spelling_of_numbers(number: Json, accepted: bool) -> None:
    fields = {
        "parameters": {"w": "positive", "v": "real", "n": "negative"},
        "definitions": {"r": {"square": num(1, (1, "w"))}},
    }
    plain = [[0, 0, num(1)]]
    generator = [[0, 0, number]] if accepted else plain
    result = judge(one_block(SCALAR, CLOSED, fields, generator, a=number))
    assert result.accepted == accepted, result.reason
    assert accepted or result.reason.startswith("heads[0].blocks[0].values.a: ")
    result = judge(one_block(SCALAR, CLOSED, fields, [[0, 0, number]], a=num(1)))
    assert not result.accepted
    expected = "closed-form is " if accepted else "heads[0].generator: "
    assert result.reason.startswith(expected), result.reason


def test_definitions_are_used_in_exponents_and_coefficients() -> None:
    """cosh(rt) with r² = 2 is cosh(√2·t) only as a number: different forms are never merged."""
    r = {"definitions": {"r": {"square": num((1, "w", 2), 1)}}, "parameters": {"w": "real"}}
    same = num((1, "w", 4), (2, "w", 2), 1)
    for exponent in (same, num((1, "r", 4)), num((1, "r", 6), (-1, "r", 4, "w", 2))):
        pattern = {
            "variables": [],
            "generator": [[num((1, "r", 2), (1, "r", 2, "w", 2))]],
            "exponential": [[fn((num((1, "r", 2), (-1, "w", 2)), 0, exponent))]],
        }
        assert judge(one_block(pattern, CLOSED, r)).accepted
    two = {
        "variables": [],
        "generator": [[same]],
        "exponential": [[fn((num(2), 0, same), (num(-1), 0, num((1, "r", 4))))]],
    }
    assert "repeated" in judge(one_block(two, CLOSED, r)).reason
    zero = {**two, "exponential": [[fn((num((1, "r", 2), (-1, "w", 2), -1), 0, same))]]}
    assert "coefficient is 0" in judge(one_block(zero, CLOSED, r)).reason


def test_nonlinear_relations_of_constants_are_undecided() -> None:
    for coefficient, status in (
        (num((1, "log(2)", 1, "log(3)")), "undecided"),
        (num((1, "log(2)"), (1, "log(3)"), (1, "pi")), "refuted"),
        (num((1, "pi", "1/2"), (1, "pi", 3)), "refuted"),
        (num((1, "exp(1)")), "undecided"),
    ):
        pattern = {**SCALAR, "exponential": [[fn((coefficient, 0, num((1, "a"))))]]}
        result = judge(one_block(pattern, ["initial-condition"], a=num(1)))
        assert result.claims == (("initial-condition", status),)


def test_exponents_that_may_be_equal_numbers_refute_nothing() -> None:
    """e^{at} + e^{lt} − e^{mt} is e^{at} if l = m, so that only its value at 0 can be refuted."""
    more = ((num(1), 0, num((1, "log(2)", 1, "log(3)"))), (num(-1), 0, num((1, "exp(1)"))))
    for c, claim, status in (
        (1, "initial-condition", "proved"),
        (1, "homomorphism", "undecided"),
        (2, "initial-condition", "refuted"),
    ):
        e = fn((num(c), 0, num((1, "a"))), *more)
        result = judge(one_block({**SCALAR, "exponential": [[e]]}, [claim], a=num(1)))
        assert result.claims == ((claim, status),)


def test_augmentation_is_decided_even_when_it_is_not_claimed() -> None:
    document = golden_alibi()
    document["claims"] = []
    assert judge(document).accepted
    document["augmentation"][1]["bias"] = fn((num(-3), 0, num()))
    assert judge(document).reason.startswith("augmentation is refuted: augmentation[1]")


# --- the stated generator ------------------------------------------------------------------------


def altered_generators(generator: Json, dimension: int) -> Iterator[tuple[Json, str]]:
    """(other entries, how the refusal begins) for every way to alter one entry."""
    free = [
        (i, j)
        for i in range(dimension)
        for j in range(dimension)
        if [i, j] not in [entry[:2] for entry in generator]
    ]
    refuted = "closed-form is refuted: heads[0]: X*P = P*J at row "
    place = "heads[0].generator: "
    for at, (i, j, x) in enumerate(generator):
        before, after = generator[:at], generator[at + 1 :]
        for other in (product(x, num(-1)), product(x, num(2)), [*x, ["1", {"3": "1/7"}]]):
            yield [*before, [i, j, other], *after], refuted
        for row, column in ((j, i), (i, (j + 1) % dimension), ((i + 1) % dimension, j)):
            if (row, column) in free:
                yield [*before, [row, column, x], *after], refuted
        yield [*before, *after], refuted
        yield [*generator, [i, j, x]], f"{place}entry [{i}, {j}] is repeated"
        yield [*before, [i, j, num()], *after], f"{place}entry [{i}, {j}] is 0; leave it out"
        for bad in ([dimension, j], [-1, j], [i, dimension], [i, "0"], [None, j]):
            yield [*before, [*bad, x], *after], f"{place}expected an integer from 0 to "
        for entry in ([i, x], [i, j], [i, j, x, x]):
            yield [*before, entry, *after], f"{place}expected 3 items"
    for i, j in free:
        yield [*generator, [i, j, num("1/3")]], refuted
        yield [*generator, [i, j, num()]], f"{place}entry [{i}, {j}] is 0; leave it out"


@pytest.mark.parametrize("name", GOLDEN)
def test_an_altered_generator_entry_is_rejected(name: str) -> None:
    document = GOLDEN[name]()
    first, *others = document["heads"]
    count = 0
    for generator, reason in altered_generators(first["generator"], document["dimension"]):
        mutant = {**document, "heads": [{**first, "generator": generator}, *others]}
        mutant["digest"] = digest(mutant)
        result = check_certificate(mutant)
        assert not result.accepted
        assert result.reason.startswith(reason), (result.reason, generator)
        count += 1
    assert count >= 8
    reordered = {**first, "generator": first["generator"][::-1]}
    assert judge({**document, "heads": [reordered, *others]}).accepted


def test_an_entry_that_is_zero_by_a_definition_is_left_out() -> None:
    document = golden_square()
    zero = num((1, "r", 2), (-1, "w", 2, "z", 2), (1, "w", 2))
    document["heads"][0]["generator"].append([0, 0, zero])
    assert judge(document).reason == "heads[0].generator: entry [0, 0] is 0; leave it out"


def altered_values(document: Json) -> Iterator[tuple[int, Json]]:
    """(head, the head with one coefficient of one value altered)."""
    for h, stated_head in enumerate(document["heads"]):
        for i, block in enumerate(stated_head["blocks"]):
            for variable, number in block["values"].items():
                for at, (c, atoms) in enumerate(number):
                    for n in (-Fraction(c), Fraction(c) + 1, 2 * Fraction(c)):
                        other = number[:at] + ([[str(n), atoms]] if n else []) + number[at + 1 :]
                        new = {**block, "values": {**block["values"], variable: other}}
                        blocks = [*stated_head["blocks"][:i], new, *stated_head["blocks"][i + 1 :]]
                        yield h, {**stated_head, "blocks": blocks}


@pytest.mark.parametrize("name", ["rotation", "damped", "nilpotent", "complex-chain"])
def test_a_value_is_bound_to_the_generator(name: str) -> None:
    """One frequency or rate alone is a false statement; in both places it is about another X."""
    document = GOLDEN[name]()
    accepted = 0
    for h, altered_head in altered_values(document):
        heads = [*document["heads"][:h], altered_head, *document["heads"][h + 1 :]]
        result = judge({**document, "heads": heads})
        assert result.reason.startswith(f"closed-form is refuted: heads[{h}]: X*P = P*J at row ")
        heads[h] = stated(document["patterns"], {**altered_head, "generator": None})
        consistent = {**document, "heads": heads}
        assert judge(consistent).accepted == is_true(consistent)
        accepted += judge(consistent).accepted
    assert accepted >= 3


def test_a_value_is_bound_to_the_generator_through_a_basis() -> None:
    """X = [[0, 2], [1, 0]] doubled has doubled eigenvalues in the same basis."""
    document = golden_basis()
    (only,) = document["heads"]
    blocks = [
        {**block, "values": {"a": product(block["values"]["a"], num(2))}}
        for block in only["blocks"]
    ]
    generator = [[i, j, product(x, num(2))] for i, j, x in only["generator"]]
    for change in ({"blocks": blocks}, {"generator": generator}):
        result = judge({**document, "heads": [{**only, **change}]})
        assert result.reason.startswith("closed-form is refuted: heads[0]: X*P = P*J at row 0")
    both = {**only, "blocks": blocks, "generator": generator}
    assert judge({**document, "heads": [both]}).accepted


# --- form and limits ------------------------------------------------------------------------------


def test_digest_identifies_the_document() -> None:
    document = golden_rotation()
    document["name"] = "other"
    assert check_certificate(document).reason.startswith("digest: ")
    assert judge(document).accepted
    del document["digest"]
    assert check_certificate(document).reason == "digest: the document has none"
    assert judge(document).accepted
    with pytest.raises(checker.CertificateError, match="Unicode"):
        canonical_digest({"name": "\ud800"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "null",
        "[]",
        '{"format": "x", "format": "x"}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1.0}',
        '{"a": 1e3}',
        '{"a": 123456789}',
        '{"a": true}',
        '{"a": "\\ud800"}',
        "[" * 10**6,
        "[" * 40 + "]" * 40,
        '{"a":' * 900 + "1" + "}" * 900,
        '{"a": "' + "x" * 10**6,
    ],
)
def test_hostile_texts_are_refused(text: str) -> None:
    result = check_text(text)
    assert not result.accepted
    assert 0 < len(result.reason) < 300


def test_hostile_objects_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    circular: list[Json] = []
    circular.append(circular)
    doubling: list[Json] = []
    for _ in range(30):
        doubling = [doubling, doubling]
    for thing in (circular, doubling, {1: 2}, {"a": {1}}, {"a": 1.5}, {"a": b""}, {"a": True}, 3):
        result = check_certificate(thing)
        assert not result.accepted
        assert result.reason.startswith("document: ")
    monkeypatch.setattr(checker, "MAX_TEXT", 100)
    assert check_text(json.dumps(golden_rotation())).reason == "document: too large"


def many_terms(count: int) -> Json:
    many = [[[num(1), []], 0, [num(i), []]] for i in range(1, count)]
    scalar = {"variables": [], "generator": [[num(1)]], "exponential": [[many]]}
    return one_block(scalar, ["homomorphism"])


def expensive() -> Iterator[Json]:
    names = [f"x{i}" for i in range(20)]
    powers = {
        "variables": ["a"],
        "generator": [[num((1, "a", 256))]],
        "exponential": [[fn((num(1), 0, num((1, "a", 256))))]],
    }
    fields: Json = {"parameters": dict.fromkeys(names, "real")}
    total = num(*[(1, x) for x in names])
    yield one_block(powers, ["bounded-all"], fields, [[0, 0, num(1)]], a=total)
    sums = {"f0": {"equals": num(2)}, "f1": {"equals": num(3)}}
    for i in range(2, 40):
        sums[f"f{i}"] = {"equals": num((1, f"f{i - 1}"), (1, f"f{i - 2}", 2), -1)}
    yield one_block(SCALAR, [], {"definitions": sums}, a=num(1))
    yield many_terms(1000)
    huge = [[f"1{'0' * 3999}/{'9' * 3999}", {}], ["1", {"pi": "1/997"}]]
    yield one_block(powers, ["bounded-all"], generator=[[0, 0, num(1)]], a=huge)
    # What a document states once and uses often is charged at every use.
    many_names = {"parameters": dict.fromkeys((f"x{i}" for i in range(3000)), "real")}
    patterns = {f"p{i}": ZERO_PATTERN for i in range(40)}
    blocks = [placed(name, [i]) for i, name in enumerate(patterns)]
    yield certificate(patterns, [head(*blocks)], [], len(blocks), **many_names)
    long = num(*[(1, "w", k) for k in range(1, 200)])
    one_long = {
        "variables": ["a"],
        "generator": [[long]],
        "exponential": [[fn((num(1), 0, long))]],
    }
    blocks = [placed("p", [i], a=num(i + 1)) for i in range(300)]
    positive: Json = {"parameters": {"w": "positive"}}
    yield certificate({"p": one_long}, [head(*blocks, generator=[])], [], 300, **positive)
    table = fn(*[(num(1), 0, [*long, [str(i + 1), {"w": "200"}]]) for i in range(100)])
    scalar = {"variables": [], "generator": [[num(1)]], "exponential": [[table]]}
    yield one_block(scalar, [], positive)


def test_work_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "MAX_WORK", 100_000)
    for document in expensive():
        result = judge(document)
        assert not result.accepted
        assert "work limit" in result.reason
    bounded, *_ = expensive()
    for document in (bounded, many_terms(250)):  # a claim by itself
        del document["digest"]
        decider = checker.Decider(*checker._read_certificate(document))
        with pytest.raises(checker.WorkLimitError):
            checker._CLAIMS[document["claims"][0]](decider)


def test_limits_of_declarations() -> None:
    base = golden_rotation()
    for field, bad in (
        ("dimension", 5000),
        ("name", "Upper"),
        ("name", "name\n"),
        ("parameters", {"pi": "real"}),
        ("parameters", {"b": "real"}),
        ("parameters", {"2": "real"}),
        ("definitions", {f"r{i}": {"square": num(2)} for i in range(65)}),
        ("heads", []),
        ("claims", ["uniqueness"]),
        ("claims", ["derivative", "derivative"]),
        ("claims", ["augmentation"]),
        ("pairing", {"query": "A(t)", "key": "A(-s)"}),
        ("patterns", {**base["patterns"], "unused": SCALAR}),
        ("patterns", {**base["patterns"], "a b": SCALAR}),
        ("augmentation", []),
        ("comment", "unknown"),
    ):
        result = judge({**base, field: bad})
        assert not result.accepted
        assert result.claims == ()
        assert result.reason.startswith((field, "patterns", "document"))


# --- enclosures against mpmath -------------------------------------------------------------------


@pytest.mark.parametrize("bits", [64, 256, 1024])
def test_enclosures_contain_the_constants(bits: int) -> None:
    rng = random.Random(bits)
    with mp.workprec(bits + 200):
        pi = checker._pi(bits)
        assert pi[0] < mp.pi * 2**bits < pi[1]
        assert pi[1] - pi[0] <= 3
        for p in (2, 3, 5, 31, 997, 2**61 - 1):
            low, high = checker._log(p, bits)
            assert low < mp.log(p) * 2**bits < high
            assert high - low <= 3
            for _ in range(4):
                e = Fraction(rng.randint(-9, 9) or 1, rng.choice([1, 2, 3, 4, 5, 12, 64]))
                low, high = checker._enclosed_power((p << bits, p << bits), e, bits)
                exact = mp.power(p, mp.mpf(e.numerator) / e.denominator) * 2**bits
                assert low <= exact * (1 + mp.mpf(2) ** (-bits - 100))
                assert high >= exact * (1 - mp.mpf(2) ** (-bits - 100))


def test_primes() -> None:
    naive = [n for n in range(2000) if n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))]
    assert [n for n in range(2000) if checker._is_prime(n)] == naive
    for n in (3215031751, 3825123056546413051, 318665857834031151167461):  # strong pseudoprimes
        assert not checker._is_prime(n)
    for n in (2**61 - 1, 2**31 - 1, 10**18 + 9):
        assert checker._is_prime(n)


# --- speed --------------------------------------------------------------------------------------


def rope(planes: int, heads: int) -> Json:
    blocks = []
    for j in range(planes):
        exponent = Fraction(-4 * j, planes)
        rest = exponent - exponent.__floor__()
        atoms = {"2": str(rest), "5": str(rest)} if rest else {}
        angle = [[str(Fraction(10) ** exponent.__floor__()), atoms]]
        blocks.append(placed("rotation", [j, j + planes], b=angle))
    claims = [*CLOSED, "orthogonality", "bounded-causal", "bounded-all"]
    patterns = {"rotation": rotation_pattern()}
    return certificate(patterns, [head(*blocks)] * heads, claims, 2 * planes, pairing=ONE_MAP)


@pytest.mark.parametrize(("dimension", "heads"), [(64, 1), (128, 16)])
def test_certificates_of_ordinary_size_are_accepted(dimension: int, heads: int) -> None:
    assert check_certificate(rope(dimension, heads)).accepted
