"""A second opinion on certificates: is what a document states numerically true?

It shares nothing with the checker. Numbers are evaluated with mpmath at sampled parameters,
exponentials are summed, bounds are norms at large lags, and real logarithms are left to the prover.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
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
        of = number(item["of"], env).real
        if item["kind"] == "root":
            require(of > 0)
            value = of ** (mp.mpf(1) / item["degree"])
        elif item["kind"] == "log":
            require(of > 0)
            value = mp.log(of)
        else:
            value = mp.exp(of) if item["kind"] == "exp" else mp.pi
        env[item["name"]] = value
    for name, rate in document.get("rates", {}).items():
        env["rates"][name] = number(rate, env)
    return env


# -- matrices ------------------------------------------------------------------------------------


def from_rows(rows: Json, env: Env, t: Any = None) -> Any:
    n = len(rows)
    return mp.matrix(n, n) if n == 0 else mp.matrix([[number(x, env, t) for x in r] for r in rows])


def from_entries(entries: Json, n: int, env: Env) -> Any:
    matrix = mp.matrix(n, n)
    for i, j, x in entries:
        matrix[i, j] = number(x, env)
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
    added = document["augmentation"]
    added = [None] * len(document["heads"]) if added is None else added
    require(len(added) == len(document["heads"]) > 0)
    for head, extra in zip(document["heads"], added, strict=True):
        x, y = generators(document, head, extra, env)
        _evidence(head, x, n, env)
        if extra is not None:
            _exponential_is_right(extra["exponential"], y, env)
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
            require(all(abs(gap(extra, t, env)) <= fraction(TOLERANCE) for t in TIMES))


def generators(document: Json, head: Json, extra: Json, env: Env) -> tuple[Any, Any]:
    x = from_entries(head["generator"], document["dimension"], env)
    return x, mp.matrix(0, 0) if extra is None else from_rows(extra["generator"], env)


def _evidence(head: Json, x: Any, n: int, env: Env) -> None:
    j = mp.matrix(n, n)
    for block in head["blocks"]:
        y = from_rows(block["generator"], env)
        for a, i in enumerate(block["at"]):
            for b, k in enumerate(block["at"]):
                j[i, k] = y[a, b]
        if block["exponential"] is not None:
            _exponential_is_right(block["exponential"], y, env)
        else:
            total = mp.matrix(y.rows, y.rows)
            for c in reversed([*block["annihilator"], [["1", {}]]]):
                total = total * y + mp.eye(y.rows) * number(c, env)
            require(close(total, mp.matrix(y.rows, y.rows)))
    p = q = mp.eye(n)
    if head["basis"] is not None:
        p, q = (from_rows(head["basis"][side], env) for side in "PQ")
    require(close(x * p, p * j) and close(p * q, mp.eye(n)))


def _exponential_is_right(e: Json, x: Any, env: Env) -> None:
    for t in TIMES:
        require(close(from_rows(e, env, fraction(t)), exponential(x, t)))


def gap(extra: Json, t: Fraction, env: Env) -> Any:
    """Σ query_i·E_ij(t)·key_j − bias(t)."""
    e = from_rows(extra["exponential"], env, fraction(t))
    q, k = ([number(x, env) for x in extra[side]] for side in ("query", "key"))
    size = range(len(q))
    score = sum((q[i] * e[i, j] * k[j] for i in size for j in size), mp.mpc(0))
    return score - number(extra["bias"], env, fraction(t))


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
        _score_refuted(document["score"], witness, env)
        return
    if kind == "odd-blocks":
        require(not has_real_logarithm(document))
        b = from_entries(document["step"], n, env) - mp.eye(n) * fraction(witness["eigenvalue"])
        require(abs(mp.det(b)) < fraction(TOLERANCE))
        return
    if kind == "null-vector":
        v = mp.matrix([number(x, env) for x in witness["vector"]])
        require(close(from_entries(document["step"], n, env) * v, mp.matrix(n, 1)))
        require(max(abs(x) for x in v) > fraction(TOLERANCE))
        return
    if document["kind"] in ("axes", "maps"):
        both = (document[document["kind"]][witness[s]] for s in ("first", "second"))
        x, y = (from_entries(matrix, n, env) for matrix in both)
        require(abs((x * y - y * x)[witness["row"], witness["column"]]) > fraction(TOLERANCE))
        return
    index = witness.get("head", witness.get("first"))
    extra = None if document["augmentation"] is None else document["augmentation"][index]
    x, y = generators(document, document["heads"][index], extra, env)
    full = direct_sum(x, y)
    if kind == "lag":
        require(abs(gap(extra, Fraction(witness["lag"]), env)) > fraction(TOLERANCE))
    elif kind == "entry":
        matrix = full if claim == "orthogonality" else x
        require(claim == "orthogonality" or document["pairing"] == "one-map")
        entry = (matrix + matrix.T)[witness["row"], witness["column"]]
        require(abs(entry) > fraction(TOLERANCE))
    else:
        require(not is_bounded(full, everywhere=claim == "bounded-all"))
        if kind == "growing-form":
            return
        rate = number(witness["eigenvalue"], env)
        v = mp.matrix([number(a, env) for a in witness["vector"]])
        require(close(full * v, v * rate))
        if witness["chain"] is not None:
            u = mp.matrix([number(a, env) for a in witness["chain"]])
            require(close(full * u, u * rate + v))


# -- scores --------------------------------------------------------------------------------------


def value(b: Json, env: Env, at: Env) -> Any:
    """The expression at a query, a key, and steps in between."""
    if isinstance(b, str):
        require(b in at)
        return at[b]
    if not b or isinstance(b[0], list):
        return number(b, env).real
    name, *rest = b
    if name == "choice":
        index = whole(value(rest[0], env, at))
        require(index >= 0)
        return value(rest[1 + index], env, at)
    if name == "range":
        first, last = (whole(value(x, env, at)) for x in rest[:2])
        return mp.fsum(value(rest[2], env, {**at, "step": n}) for n in range(first, last + 1))
    x = [value(part, env, at) for part in rest]
    if name in ("sum", "product"):
        return mp.fsum(x) if name == "sum" else mp.fprod(x)
    if name == "at-least":
        return int(x[0] >= x[1])
    if name == "power":
        return mp.mpf(x[0]) ** x[1]
    return {"exp": mp.exp, "log": mp.log, "sin": mp.sin, "cos": mp.cos}[name](x[0])


def whole(x: Any) -> int:
    require(x == int(x))
    return int(x)


def at(t: Any, s: Any, b: Json, env: Env) -> Any:
    found = value(b, env, {"query": t, "key": s, "lag": t - s})
    require(mp.im(found) == 0 and mp.isfinite(found))
    return found


def _score(document: Json, env: Env) -> None:
    b, claims, orbit = document["score"], set(document["claims"]), document["orbit"]
    if "orbit" in claims:
        x = from_rows(orbit["generator"], env)
        first, last = (
            mp.matrix([number(f, env, fraction(n)) for f in orbit["table"]]) for n in (1, "5/2")
        )
        require(close(exponential(x, Fraction(3, 2)) * first, last))
    if claims - {"orbit"}:
        for t, s in ((1, 0), (3, 2), (5, 0), (7, 2)):
            try:
                left, right = at(t, s, b, env), at(t + 1, s + 1, b, env)
            except (ArithmeticError, ValueError, IndexError, Invalid):
                continue  # the score is not defined there
            require(abs(left - right) <= fraction(TOLERANCE))
    require("realisation" not in claims)


def _score_refuted(b: Json, witness: Json, env: Env) -> None:
    """Two values differ; or the values on whole lags grow as no exponential polynomial does."""
    if witness["kind"] == "pairs":
        pairs = [[fraction(x) for x in witness[side]] for side in ("first", "second")]
        require(pairs[0][0] - pairs[0][1] == pairs[1][0] - pairs[1][1] >= 0)
        left, right = (at(*pair, b, env) for pair in pairs)
        require(abs(left - right) > fraction(TOLERANCE))
        return
    if witness["kind"] == "tail":
        left, right = (at(witness[name], 0, b, env) for name in ("lag", "start"))
        require(abs(left - right) > fraction(TOLERANCE))
        for n in (1, 2, 5, 40, 1000):
            require(abs(at(witness["start"] + n, 0, b, env) - right) <= fraction(TOLERANCE))
        return
    # b(n)/n^e tends to no number but 0 for e = 0, 1, 2, ..., the only ones of a group.
    n = mp.mpf(10) ** 200
    low, high = (at(x, 0, b, env) for x in (n, n**2))
    power = mp.log(abs(high / low)) / mp.log(n)
    whole_power = abs(power - mp.nint(power)) < mp.mpf("0.01") and power > -0.01
    constant = abs(high / low / n ** mp.nint(power) - 1) < mp.mpf("0.001")
    require(not (whole_power and constant))
