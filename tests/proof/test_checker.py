"""The independent checker: golden certificates, a mutation campaign, hostile documents.

The campaign alters every leaf of every golden certificate.  What an altered document states is
judged a second time here, in floating point (mpmath, ``expm``), so that no mutant may be accepted
unless it is numerically true, and none refuted unless it is numerically false.
"""

from __future__ import annotations

import copy
import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from math import factorial
from typing import Any

import pytest
from mpmath import mp

from symbolic_pe.proof import checker
from symbolic_pe.proof.checker import canonical_digest, check_certificate, check_text

Json = Any
CLOSED = ["initial-condition", "derivative", "homomorphism", "relativity", "closed-form"]
CONTRAGREDIENT = {"query": "A(t)^T", "key": "A(-s)"}
ONE_MAP = {"query": "A(-t)", "key": "A(-s)"}


# --- building certificates -----------------------------------------------------------------------


def num(*terms: Json) -> Json:
    """``num(3)``, ``num("1/2")``, ``num(("-1", "a"), ("1/2", "r", -1))``: pairs (atom, exponent)."""
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
        "heads": heads,
        "pairing": CONTRAGREDIENT,
        "augmentation": None,
        "claims": claims,
        **fields,
    }
    return {**document, "digest": digest(document)}


def placed(pattern: str, coordinates: list[int], **values: Json) -> Json:
    return {"pattern": pattern, "coordinates": coordinates, "values": values}


def head(*blocks: Json, basis: Json = None) -> Json:
    return {"blocks": list(blocks), "basis": basis}


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
    basis = {
        "matrix": [[num(), num(2)], [num(1), num()]],
        "P": [[r, num((-1, "2", "1/2"))], [num(1), num(1)]],
        "Q": [
            [num(("1/4", "2", "1/2")), num("1/2")],
            [num(("-1/4", "2", "1/2")), num("1/2")],
        ],
    }
    blocks = [placed("scalar", [0], a=r), placed("scalar", [1], a=num((-1, "2", "1/2")))]
    return certificate({"scalar": SCALAR}, [head(*blocks, basis=basis)], CLOSED, 2)


def golden_orthogonal_basis() -> Json:
    """A rotation by √2·t about the last column of a rational orthogonal matrix P."""
    p = [[Fraction(x, 3) for x in row] for row in ([2, -1, 2], [2, 2, -1], [-1, 2, 2])]
    x = [[p[i][1] * p[j][0] - p[i][0] * p[j][1] for j in range(3)] for i in range(3)]
    basis = {
        "matrix": [[num((v, "2", "1/2")) for v in row] for row in x],
        "P": [[num(v) for v in row] for row in p],
        "Q": [[num(p[j][i]) for j in range(3)] for i in range(3)],
    }
    blocks = [placed("rotation", [0, 1], b=num((1, "2", "1/2"))), placed("zero", [2])]
    return certificate(
        {"rotation": rotation_pattern(), "zero": ZERO_PATTERN},
        [head(*blocks, basis=basis)],
        [*CLOSED, "orthogonality", "bounded-all"],
        3,
        pairing=ONE_MAP,
    )


OSCILLATOR = [[num(), num(1)], [num((-1, "w", 2)), num((-2, "w", "z"))]]


def golden_square() -> Json:
    """X = [[0, 1], [−w², −2zw]], E = e^{at}(cosh rt·I + sinh(rt)/r·(X − aI)), r² = w²(z² − 1)."""
    zw = num((-1, "w", 1, "z"))
    up, down = num((-1, "w", 1, "z"), (1, "r")), num((-1, "w", 1, "z"), (-1, "r"))

    def entry(identity: int, *shift: Json) -> Json:
        """cosh·identity + sinh/r·shift."""
        c = [("1/2",)] if identity else []
        plus = [(Fraction(k) / 2, *atoms, "r", -1) for k, *atoms in shift]
        less = [(-Fraction(k) / 2, *atoms, "r", -1) for k, *atoms in shift]
        return fn((num(*c, *plus), 0, up), (num(*c, *less), 0, down))

    assert zw
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
    """The same X with 0 < z and f = 1 − z² > 0: e^{−zwt}·(cos, sin)(w·f^{1/2}·t)."""
    up = (num((-1, "w", 1, "z")), num((1, "w", 1, "f", "1/2")))
    down = (up[0], num((-1, "w", 1, "f", "1/2")))

    def entry(cos: int, *sin: Json) -> Json:
        """cos + sin·f^{−1/2}·number."""
        c = num("1/2") if cos else num()
        s = [(Fraction(k) / 2, *atoms, "f", "-1/2") for k, *atoms in sin]
        opposite = num(*((-k, *atoms) for k, *atoms in s))
        return fn(((c, opposite), 0, up), ((c, num(*s)), 0, down))

    e = [
        [entry(1, (1, "z")), entry(0, (1, "w", -1))],
        [entry(0, (-1, "w")), entry(1, (-1, "z"))],
    ]
    return certificate(
        {"oscillator": {"variables": [], "generator": OSCILLATOR, "exponential": e}},
        [head(placed("oscillator", [0, 1]))],
        [*CLOSED, "bounded-causal"],
        2,
        parameters={"w": "positive", "z": "positive"},
        definitions={"f": {"equals": num(1, (-1, "z", 2))}},
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
    if h["basis"] is not None:
        j, p = x, values(h["basis"]["P"], env)
        x = values(h["basis"]["matrix"], env)
        if not close(times(x, p), times(p, j)):
            return False
        if not close(times(p, values(h["basis"]["Q"], env)), unit(n)):
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
        yield from (
            f"{2 * n.numerator}/{2 * n.denominator}",
            f"+{text}",
            f" {text}",
            "0",
            "x",
            "1/0",
        )


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
    for i, mutant in enumerate(mutants({k: v for k, v in golden.items() if k != "digest"})):
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
    assert counts["undecided but true"] <= 0.002 * sum(counts.values()), counts
    print(name, counts)


def classify(result: checker.CheckResult) -> str:
    if result.accepted:
        return "accepted"
    for kind in ("refuted", "undecided"):
        if f" is {kind}: " in result.reason:
            return kind
    return "malformed"
