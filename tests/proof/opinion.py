"""A second opinion on certificates: is what a document states numerically true?

It shares nothing with the checker. Numbers are evaluated with mpmath at sampled parameters,
exponentials are summed, bounds are norms at large lags, and real logarithms are left to the prover.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any

from mpmath import mp  # type: ignore[import-untyped]

from symbolic_pe.generators.generator import Generator
from symbolic_pe.jordan.integer_step import integer_step

Json = Any
Env = dict[str, Any]
DIGITS = 50
TOLERANCE = Fraction(1, 10**25)
TIMES = (Fraction(83, 100), Fraction(-2, 5))
SIGNS = {
    "real": (-1, 0, 1),
    "positive": (1,),
    "negative": (-1,),
    "nonnegative": (0, 1),
    "nonpositive": (-1, 0),
    "nonzero": (-1, 1),
}
BOUND = 10**6
"""Norms above are growth; the golden certificates have bases with norms far below."""
LAGS = (1, 30, 1000, 10**8)


class Invalid(Exception):
    """The document is not true."""


def require(holds: bool) -> None:
    if not holds:
        raise Invalid


def is_true(document: Json) -> bool:
    """Whether everything that the document states holds, at every sampled point."""
    with mp.workdps(DIGITS):
        try:
            for env in environments(document):
                _statements(document, env)
            _refutations(document)
        except (Invalid, ArithmeticError, IndexError, KeyError, ValueError):
            return False
    return True


# -- numbers -------------------------------------------------------------------------------------


def number(terms: Json, env: Env, t: Any = None) -> Any:
    """Σ c·Π atom^e; with t also functions."""
    total = mp.mpc(0)
    for c, factors in terms:
        part = mp.mpc(fraction(c))
        for atom, e in factors.items():
            if atom == "t":
                base = t
            elif atom in env["rates"]:
                base = mp.exp(env["rates"][atom] * t)
            else:
                base = env[atom]
            part *= mp.mpc(base) ** e
        total += part
    return total


def fraction(text: Any) -> Any:
    value = Fraction(text)
    return mp.mpf(value.numerator) / value.denominator


def environments(document: Json, count: int = 3) -> Iterator[Env]:
    """Points of the parameters, zero where it is allowed, with the defined numbers."""
    for seed in range(count if document["parameters"] else 1):
        rng = random.Random(seed)
        point = {}
        for name, word in sorted(document["parameters"].items()):
            sign = SIGNS[word][seed % len(SIGNS[word])]
            size = rng.choice([rng.uniform(0.2, 0.9), rng.uniform(1.1, 3.0)])
            point[name] = mp.mpf(sign) * size
        yield defined(document, point)


def defined(document: Json, point: Env) -> Env:
    env: Env = {"i": mp.mpc(0, 1), **point, "rates": {}}
    for item in document["definitions"]:
        env[item["name"]] = meaning(item, number(item["of"], env).real)
    for name, rate in document.get("rates", {}).items():
        env["rates"][name] = number(rate, env)
    return env


def meaning(item: Json, of: Any) -> Any:
    """The number that is defined by another one."""
    if item["kind"] in ("root", "log"):
        require(of > 0)
    return {
        "root": lambda: of ** (mp.mpf(1) / item["degree"]),
        "log": lambda: mp.log(of),
        "exp": lambda: mp.exp(of),
        "cos": lambda: mp.cos(of),
        "pi": lambda: +mp.pi,
        "at-least": lambda: mp.mpf(of >= 0),
    }[item["kind"]]()


# -- matrices ------------------------------------------------------------------------------------


def from_entries(entries: Json, n: int, env: Env, t: Any = None) -> Any:
    matrix = mp.matrix(n, n)
    for i, j, x in entries:
        matrix[i, j] = number(x, env, t)
    return matrix


def close(a: Any, b: Any) -> bool:
    size = 1 + max((abs(x) for x in [*a, *b]), default=0)
    return all(abs(x - y) <= fraction(TOLERANCE) * size for x, y in zip(a, b, strict=True))


def exponential(x: Any, t: Any) -> Any:
    """exp(tX)."""
    entries = _exponential(tuple(x), x.rows, Fraction(t))
    return mp.matrix(x.rows, x.rows) if not entries else mp.matrix(entries)


@lru_cache(maxsize=4096)
def _exponential(entries: tuple[Any, ...], n: int, t: Fraction) -> Any:
    """By squaring a Taylor sum."""
    if n == 0:
        return []
    small = mp.matrix([entries[i * n : (i + 1) * n] for i in range(n)]) * fraction(t)
    norm = max(sum(abs(small[i, j]) for j in range(n)) for i in range(n))
    halvings = max(0, int(mp.ceil(mp.log(norm, 2))) + 2) if norm > 0 else 0
    small /= mp.mpf(2) ** halvings
    total = term = mp.eye(n)
    for k in range(1, 40):
        term = term * small / k
        total = total + term
    for _ in range(halvings):
        total = total * total
    return total.tolist()


def direct_sum(x: Any, y: Any) -> Any:
    n = x.rows + y.rows
    matrix = mp.matrix(n, n)
    for part, start in ((x, 0), (y, x.rows)):
        for i in range(part.rows):
            for j in range(part.rows):
                matrix[start + i, start + j] = part[i, j]
    return matrix


def is_bounded(x: Any, *, everywhere: bool) -> bool:
    for lag in LAGS:
        for sign in (1, -1) if everywhere else (1,):
            if max((abs(v) for v in exponential(x, sign * lag)), default=0) > BOUND:
                return False
    return True


def is_orthogonal(x: Any) -> bool:
    a = exponential(x, Fraction(7, 10))
    return close(a.T * a, mp.eye(x.rows))


# -- documents -----------------------------------------------------------------------------------


def _statements(document: Json, env: Env) -> None:
    if document["kind"] == "encoding":
        _encoding(document, env)
        return
    n, claims = size_of(document), document["claims"]
    if document["kind"] == "score":
        _score(document, env)
        return
    if document["kind"] in ("axes", "maps"):
        if set(claims) - {"initial-condition", "composition"}:
            xs = [from_entries(x, n, env) for x in document[document["kind"]]]
            require(all(close(x * y, y * x) for x in xs for y in xs))
        return
    b = from_entries(document["step"], n, env)
    if document["inverse"] is not None:
        require(close(b * from_entries(document["inverse"], n, env), mp.eye(n)))
    if "inverses" in claims:
        require(abs(mp.det(b)) > fraction(TOLERANCE))
    if "generator" in claims or document["logarithm"] is not None:
        require(has_real_logarithm(document))


def size_of(document: Json) -> int:
    """The dimension; of matrices, the part that is not 0, for a dimension may be any number."""
    if document["kind"] in ("encoding", "step"):
        require(document["dimension"] <= 64)
        return int(document["dimension"])
    matrices = document[document["kind"]] if document["kind"] != "score" else []
    return 1 + max((max(i, j) for x in matrices for i, j, _ in x), default=0)


def has_real_logarithm(document: Json) -> bool:
    """What the prover decides of a rational step."""
    n = document["dimension"]
    rows = [["0"] * n for _ in range(n)]
    for i, j, x in document["step"]:
        assert all(not factors for _, factors in x), "steps in this campaign are rational"
        rows[i][j] = x[0][0]
    return integer_step(Generator.from_matrix(rows).matrix).has_real_generator


def _encoding(document: Json, env: Env) -> None:
    n, claims = document["dimension"], document["claims"]
    one_map = document["pairing"] == "one-map"
    require(len(document["heads"]) > 0)
    for head in document["heads"]:
        extra = head["augmentation"]
        x, y = generators(document, head, env)
        _evidence(head, x, n, env)
        if extra is not None:
            _table_is_moved(extra["orbit"], y, env)
            start = padded(extra["orbit"]["table"], y.rows, env, mp.mpf(0))
            require(close(start, padded(extra["key"], y.rows, env)))
        full = direct_sum(x, y)
        if "orthogonality" in claims:
            require(is_orthogonal(full))
        if "relativity" in claims and one_map:
            require(is_orthogonal(x))
        for name in ("bounded-causal", "bounded-all"):
            if name in claims:
                require(is_bounded(full, everywhere=name == "bounded-all"))
        if "augmentation" in claims:
            require(extra is not None)
            require(all(abs(gap(extra, y, t, env)) <= fraction(TOLERANCE) for t in TIMES))


def generators(document: Json, head: Json, env: Env) -> tuple[Any, Any]:
    x = from_entries(head["generator"], document["dimension"], env)
    extra = head["augmentation"]
    if extra is None:
        return x, mp.matrix(0, 0)
    vectors = extra["query"], extra["key"], extra["orbit"]["table"]
    return x, orbit_generator(extra["orbit"], max(map(len, vectors)), env)


def orbit_generator(orbit: Json, size: int, env: Env) -> Any:
    """Y on so many coordinates, and on those beyond that it names, moved next to them."""
    named = {i for *place, _ in orbit["generator"] for i in place}
    places = {i: k for k, i in enumerate(sorted({*range(max(1, size)), *named}))}
    moved = [[places[i], places[j], x] for i, j, x in orbit["generator"]]
    return from_entries(moved, len(places), env)


def padded(vector: Json, n: int, env: Env, t: Any = None) -> Any:
    """A column of n numbers, 0 after those that are stated."""
    found = mp.matrix(n, 1)
    for i, x in enumerate(vector):
        found[i] = number(x, env, t)
    return found


def _table_is_moved(orbit: Json, x: Any, env: Env) -> None:
    """z(5/2) = exp(3X/2)·z(1) for the table z."""
    first, last = (mp.matrix(x.rows, 1) for _ in "ab")
    for i, f in enumerate(orbit["table"]):
        first[i], last[i] = number(f, env, mp.mpf(1)), number(f, env, mp.mpf("2.5"))
    require(close(exponential(x, Fraction(3, 2)) * first, last))


def _evidence(head: Json, x: Any, n: int, env: Env) -> None:
    """exp(tJ) = E(t) + Σ exp(tJ)D, by its values; polynomials annihilate at their parts."""
    basis = head["basis"]
    j = x if basis is None else from_entries(basis["J"], n, env)
    if basis is not None:
        p, q = (from_entries(basis[side], n, env) for side in "PQ")
        require(close(x * p, p * j) and close(p * q, mp.eye(n)))
    covered = mp.matrix(n, n)
    for part in head["parts"]:
        d = mp.matrix(n, n)
        for i in part["at"]:
            d[i, i] = 1
        total = d
        for c in reversed(part["annihilator"]):
            total = j * total + d * number(c, env)
        require(close(total, mp.matrix(n, n)))
        covered = covered + d
    for t in (*TIMES, Fraction(0)):
        e = from_entries(head["exponential"], n, env, fraction(t))
        require(close(e, exponential(j, t) * (mp.eye(n) - covered)))


def gap(extra: Json, y: Any, t: Fraction, env: Env) -> Any:
    """queryᵀ·exp(tY)·key − bias(t)."""
    q, k = (padded(extra[side], y.rows, env) for side in ("query", "key"))
    return (q.T * exponential(y, t) * k)[0] - number(extra["bias"], env, fraction(t))


def _refutations(document: Json) -> None:
    for item in document["refutations"]:
        point = {name: fraction(x) for name, x in item["values"].items()}
        require(point.keys() == document["parameters"].keys())
        for name, x in point.items():
            require((x > 0) - (x < 0) in SIGNS[document["parameters"][name]])
        env = defined(document, point)
        _refuted(document, item["claim"], item["witness"], env)


def _refuted(document: Json, claim: str, witness: Json, env: Env) -> None:
    kind, n = witness["kind"], size_of(document)
    if document["kind"] == "score":
        _score_refuted(document, witness, env)
        return
    if kind == "odd-blocks":
        require(not has_real_logarithm(document))
        b = from_entries(document["step"], n, env) - mp.eye(n) * number(witness["eigenvalue"], env)
        require(abs(mp.det(b)) < fraction(TOLERANCE))
        return
    if kind == "null-vector":
        v = mp.matrix([number(x, env) for x in witness["vector"]])
        require(close(from_entries(document["step"], n, env) * v, mp.matrix(n, 1)))
        require(max(abs(x) for x in v) > fraction(TOLERANCE))
        return
    place = witness.get("row"), witness.get("column")
    if document["kind"] in ("axes", "maps"):
        xs = [from_entries(matrix, n, env) for matrix in document[document["kind"]]]
        x, y = list(combinations(xs, 2))[witness["index"]]
        require(abs((x * y - y * x)[place]) > fraction(TOLERANCE))
        return
    head = document["heads"][witness.get("head", witness.get("index"))]
    x, y = generators(document, head, env)
    full = direct_sum(x, y)
    if kind == "growing-form":
        require(not is_bounded(full, everywhere=claim == "bounded-all"))
    elif claim == "augmentation":
        require(head["augmentation"] is not None and place == (0, 0))
        difference = gap(head["augmentation"], y, Fraction(witness["time"]), env)
        require(abs(difference) > fraction(TOLERANCE))
    else:
        matrix = full if claim == "orthogonality" else x
        require(claim == "orthogonality" or document["pairing"] == "one-map")
        require(abs((matrix + matrix.T)[place]) > fraction(TOLERANCE))


# -- scores --------------------------------------------------------------------------------------


def value(document: Json, env: Env, t: Any, s: Any) -> Any:
    """The score at a query and a key."""
    here = {**env, "query": t, "key": s, "lag": t - s}
    for item in document["positions"]:
        here[item["name"]] = meaning(item, number(item["of"], here).real)
    found = number(document["score"], here).real
    require(mp.isfinite(found))
    return found


def _score(document: Json, env: Env) -> None:
    claims, orbit = set(document["claims"]), document["orbit"]
    if "orbit" in claims:
        _table_is_moved(orbit, orbit_generator(orbit, len(orbit["table"]), env), env)
    if claims - {"orbit"}:
        for t, s in ((1, 0), (3, 2), (5, 0), (7, 2)):
            try:
                left, right = value(document, env, t, s), value(document, env, t + 1, s + 1)
            except (ArithmeticError, ValueError, IndexError, Invalid):
                continue  # the score is not defined there
            require(abs(left - right) <= fraction(TOLERANCE))
    require("realisation" not in claims)


def _score_refuted(document: Json, witness: Json, env: Env) -> None:
    """Two values differ; or the values on whole lags grow as no exponential polynomial does."""
    if witness["kind"] == "pairs":
        pairs = [[fraction(x) for x in witness[side]] for side in ("first", "second")]
        require(pairs[0][0] - pairs[0][1] == pairs[1][0] - pairs[1][1] >= 0)
        left, right = (value(document, env, *pair) for pair in pairs)
        require(abs(left - right) > fraction(TOLERANCE))
        return
    if witness["kind"] == "tail":
        left, right = (value(document, env, witness[name], 0) for name in ("lag", "start"))
        require(abs(left - right) > fraction(TOLERANCE))
        for n in (1, 2, 5, 40, 1000):
            after = value(document, env, witness["start"] + n, 0)
            require(abs(after - right) <= fraction(TOLERANCE))
        return
    # b(n)/n^e tends to no number but 0 for e = 0, 1, 2, ..., the only ones of a group.
    n = mp.mpf(10) ** 200
    low, high = (value(document, env, x, 0) for x in (n, n**2))
    power = mp.log(abs(high / low)) / mp.log(n)
    whole_power = abs(power - mp.nint(power)) < mp.mpf("0.01") and power > -0.01
    constant = abs(high / low / n ** mp.nint(power) - 1) < mp.mpf("0.001")
    require(not (whole_power and constant))
