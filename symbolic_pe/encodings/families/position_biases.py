"""Biases that see more than the lag: FIRE (the query's position), CoPE and GRAPE-AP (content)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from flint import arb, fmpq

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Claim, Decision
from symbolic_pe.encodings.encoding import Verdict
from symbolic_pe.encodings.entry import Entry, Form, Mistake, Published
from symbolic_pe.encodings.families.additive import alibi_slopes
from symbolic_pe.encodings.outside import Arithmetic, Given, Outside, PositionFunction
from symbolic_pe.encodings.readings import Reader, bias_at
from symbolic_pe.encodings.score import (
    KEY,
    LAG,
    QUERY,
    STEP,
    Score,
    at_least,
    choice,
    cos,
    exp,
    log,
    power,
    sum_over_steps,
)
from symbolic_pe.encodings.settings import Setting, Settings, dimension, heads, number
from symbolic_pe.encodings.witnesses import as_decision, equals, law_of_position, not_relative

# -- FIRE -------------------------------------------------------------------------------------

_W1, _B1 = (fmpq(3), fmpq(-2), fmpq(1, 2)), (fmpq(-1), fmpq(1), fmpq(0))
_W2 = ((fmpq(1), fmpq(-2), fmpq(1, 4)), (fmpq(-1, 2), fmpq(1), fmpq(3)))
_B2 = (fmpq(1, 8), fmpq(-1))


def _fire(settings: Settings) -> Outside:
    c, length = settings.number("c"), settings.integer("length")

    reach = choice(at_least(QUERY, length), length, QUERY)
    ratio = log(1 + LAG * c) / log(1 + reach * c)

    def closed_form(f: Arithmetic, given: Given, t: Any, s: Any, head: int) -> Any:
        slope, start = given["C"][0], given["LENGTH"][0]
        x = (1 + slope * (t - s)).log() / (1 + slope * f.maximum(t, start)).log()
        total = given["b2"][head]
        for weight, shift, out in zip(given["w1"], given["b1"], given["w2"][head], strict=True):
            total = total + f.maximum(weight * x + shift, 0) * out
        return total

    def claims() -> tuple[Claim, ...]:
        far = 2 * length
        of = f"f the identity, c = {settings.texts['c']}, L = {length}"
        return (not_relative(ratio, (length + 1, length), (far + 1, far), of),)

    function = PositionFunction(
        "bias",
        "b(t, s) = f(log(1 + c (t - s))/log(1 + c max(t, L))) for t >= s, "
        "f(x) = w2 relu(w1 x + b1) + b2",
        (
            ("reach", "maximum(query, LENGTH)"),
            ("scale", "log(1 + C * reach)"),
            ("ratio", "log(1 + C * clip(lag, 0, None)) / scale"),
            ("hidden", "clip(ratio[..., None] * w1 + b1, 0, None)"),
        ),
        "sum(hidden * w2[:, None, None, :]) + b2[:, None, None]",
        closed_form,
        len(_B2),
        {"C": (c,), "LENGTH": (Scalar.rational(length),)},
        {
            "w1": "(hidden,)",
            "b1": "(hidden,)",
            "w2": "(heads, hidden)",
            "b2": "(heads,)",
        },
        {"w1": _W1, "b1": _B1, "w2": _W2, "b2": _B2},
    )
    return Outside("fire", Verdict.NOT_INVARIANT, settings.integer("dim"), claims, function)


def _fire_invariant() -> Decision:
    """Below L the denominator is constant; above it, it is not: c = 1/10, L = 4, lag 1."""
    slope = fmpq(1, 10)
    score = log(1 + LAG * slope) / log(1 + QUERY * slope)
    of = "the argument of f, c = 1/10, L = 4, t >= L"
    return as_decision(not_relative(score, (4, 3), (9, 8), of))


FIRE = Entry(
    "fire",
    "additive",
    Verdict.NOT_INVARIANT,
    "FIRE: functional interpolation of relative positions",
    "Li et al., arXiv:2310.04418; mcleish7/arithmetic",
    {
        "dim": dimension(64),
        "c": number("1/10", "initial value of the learned c"),
        "length": Setting("512", "initial value L of the learned threshold", maximum=65536),
    },
    _fire,
    definition=(
        r"logit $= q^\top k/\sqrt d + "
        r"f\!\left(\frac{\ln(1 + c(t - s))}{\ln(1 + c\max(t, L))}\right)$ for $t \ge s$, "
        r"$f$ a perceptron $1 \to 32 \to H$ with ReLU; $c$ and $L$ are learned."
    ),
    generator=r"None: beyond $t = L$ the bias depends on $t$ itself.",
    stability="The argument of $f$ lies in $[0, 1]$ once $t \\ge L$, so the bias is bounded.",
    values=(
        Published("b of head 0 at t = s = 0, for the sample weights", "-1.87500000", bias_at(0)),
    ),
    mistakes=(
        Mistake(
            "relative",
            "FIRE is a relative encoding",
            "surveys",
            r"only for $t \le L$; beyond, equal lags get different biases",
            _fire_invariant,
        ),
    ),
)

# -- CoPE -------------------------------------------------------------------------------------


def contextual_position(gates: Sequence[arb], t: int, s: int, largest: int) -> arb:
    """p = Σ g_r over r = s … t, at most `largest`; g_r is the gate of the query with key r."""
    return sum((gates[r] for r in range(s, t + 1)), arb(0)).min(arb(largest))


def _cope(settings: Settings) -> Outside:
    largest = settings.integer("p_max")

    def claims() -> tuple[Claim, ...]:
        keys = (0, 4, 0, 0, 0)
        gate = power(1 + exp(-1 * choice(STEP, *keys)), -1)
        found = sum_over_steps(KEY, QUERY, gate)
        score = choice(KEY, *keys) + choice(at_least(found, largest), found, largest)
        of = "q = 1, keys 0, 4, 0, 0, 0, table e[p] = p; the scored key is 0 both times"
        return (not_relative(score, (2, 0), (4, 2), of),)

    return Outside(
        "cope",
        Verdict.NOT_INVARIANT,
        settings.integer("dim"),
        claims,
        no_function="positions are sums of gates of the query with every key in between",
    )


def _all_open(lag: int) -> Reader:
    """p of a key at this lag when every gate is 1."""

    def read(form: Form) -> arb:
        largest = cast("Mapping[str, str]", form.specification["settings"])["p_max"]
        return contextual_position([arb(1)] * (lag + 1), lag, 0, int(largest))

    return read


def _zero_at_itself() -> Decision:
    """q·k = 0: the gate of the token itself is 1/2."""
    return equals(parse("0"), parse("1/2"), "p of a token with itself, q.k = 0")


COPE = Entry(
    "cope",
    "additive",
    Verdict.NOT_INVARIANT,
    "CoPE: contextual positions",
    "Golovneva et al., arXiv:2405.18719, equations 3 to 9",
    {
        "dim": dimension(64),
        "p_max": Setting(
            "64", "largest position, beyond which all share one", minimum=2, maximum=65536
        ),
    },
    _cope,
    definition=(
        r"gates $g_{t,r} = \sigma(q_t^\top k_r)$, position $p_{t,s} = \sum_{r=s}^{t} g_{t,r}$, at "
        r"most $p_{\max}$; logit $= q_t^\top k_s + q_t^\top e[p_{t,s}]$, $e$ a learned table with "
        "linear interpolation."
    ),
    generator="None: the position is a sum over content, looked up in a nonlinear table.",
    stability="Positions are clipped at $p_{\\max}$, so the added logit is bounded by the table.",
    values=(
        Published("p at lag 0, every gate open", "1.0", _all_open(0)),
        Published("p at lag 5, every gate open", "6.0", _all_open(5)),
        Published("p at lag 99, every gate open", "64.0", _all_open(99)),
    ),
    mistakes=(
        Mistake(
            "zero-at-itself",
            r"$p_{t,t} = 0$",
            "readers who expect a lag",
            r"$p_{t,t} = g_{t,t}$; with every gate open it is 1, and $t - s + 1$ in general",
            _zero_at_itself,
        ),
    ),
)

# -- GRAPE-AP ---------------------------------------------------------------------------------


def _grape_ap(settings: Settings) -> Outside:
    slope = alibi_slopes(settings.integer("heads"))[0]

    # p_l = (1, 0) for all l, d = 2: ⟨p_t, R(l)p_l⟩ = cos l.
    gate = -1 * log(1 + exp(cos(STEP) * fmpq(-1, 2)))
    bias = sum_over_steps(KEY + 1, QUERY, gate) * slope

    def claims() -> tuple[Claim, ...]:
        of = f"p_l = (1, 0) for every l, d = 2, slope {slope}"
        return (not_relative(bias, (1, 0), (2, 1), of),)

    return Outside(
        "grape-ap",
        Verdict.NOT_INVARIANT,
        settings.integer("dim"),
        claims,
        no_function="the bias is a sum over the content of every position in between",
    )


def _path_of_query() -> Decision:
    """ψ(t, l) with endpoint t: b(2, 0) against b(2, 1) + b(1, 0), p = (1, 0), (0, 1), (1, 0)."""

    def path(end: Score | int, start: Score | int) -> Score:
        alike = (1 + cos((end + STEP) * Scalar.symbol("pi"))) * fmpq(1, 2)  # ⟨p_t, p_l⟩
        return sum_over_steps(start + 1, end, -1 * log(1 + exp(alike * fmpq(-1, 2))))

    return law_of_position(
        path(2, QUERY) + path(QUERY, 0),
        (0, 1),
        "b(2, r) + b(r, 0) is b(2, 0) for r = 0, 1, 2",
        "p = (1, 0), (0, 1), (1, 0), unrotated, d = 2, b(2, r) + b(r, 0)",
    )


GRAPE_AP = Entry(
    "grape-ap",
    "additive",
    Verdict.NOT_INVARIANT,
    "GRAPE-AP: path-integral bias",
    "Zhang et al., Group Representational Position Encoding, ICLR 2026, section 5",
    {"dim": dimension(64), "heads": heads(8)},
    _grape_ap,
    definition=(
        r"logit $= q^\top k/\sqrt d + \sum_{l = s + 1}^{t} \psi(t, l)$ with $\psi(t, l) = \alpha_h "
        r"\log\sigma(\langle p_t, R(l) p_l\rangle/d)$; $p$ are projections of the tokens, "
        r"$\alpha_h$ the slopes of ALiBi."
    ),
    generator=(
        r"None: $p_l$ is turned and $p_t$ is not, so $\psi$ sees $l$ itself. $\psi$ without $t$ is "
        "FoX, a constant is ALiBi."
    ),
    stability="Every term is negative, so the bias falls with the lag.",
    values=(Published("slope of head 0", "1/2", lambda form: alibi_slopes(8)[0]),),
    mistakes=(
        Mistake(
            "two-sided-law",
            r"$b(t, s) = b(t, r) + b(r, s)$",
            "readers of the path-integral form",
            "endpoints enter, so the law holds for a fixed query only",
            _path_of_query,
        ),
    ),
)

ENTRIES = (FIRE, COPE, GRAPE_AP)
