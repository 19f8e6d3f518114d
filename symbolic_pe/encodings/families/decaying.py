"""Decay, and decay times rotation: X = ⊕ (aⱼI − θⱼJ) with aⱼ < 0, meaningful for τ ≥ 0."""

from __future__ import annotations

from flint import fmpq

from symbolic_pe.algebra.binary32 import nearest_binary32
from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.scalar import Scalar
from symbolic_pe.decision import Decision
from symbolic_pe.encodings.encoding import Encoding, Head, Schedule, Verdict
from symbolic_pe.encodings.entry import Entry, Mistake, Published
from symbolic_pe.encodings.families.rotary import ladder
from symbolic_pe.encodings.layout import place_consecutively, place_planes
from symbolic_pe.encodings.readings import rate, theta
from symbolic_pe.encodings.score import KEY, LAG, QUERY, cos, exp
from symbolic_pe.encodings.settings import (
    Setting,
    Settings,
    dimension,
    heads,
    layout,
    number,
)
from symbolic_pe.encodings.witnesses import as_decision, equals, not_relative
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.block import Block
from symbolic_pe.generators.generator import Generator


def _evaluate(formula: str, **indices: int) -> Scalar:
    return parse(formula, values={k: Scalar.rational(v) for k, v in indices.items()})


def _decay(settings: Settings) -> Encoding:
    speed = -settings.number("rate")
    placed = place_consecutively([Block(speed)] * settings.integer("dim"))
    return Encoding("decay", (Head(Generator.from_blocks(placed)),))


def _lightning(settings: Settings) -> Encoding:
    """λ_h = exp(−(8h/H)(1 − l/L)): head 0 does not decay."""
    count, layer, layers = (settings.integer(n) for n in ("heads", "layer", "layers"))
    if layer >= layers:
        raise SpecificationError(
            f"lightning: layer: expected 0 to layers − 1 = {layers - 1}, got {layer}"
        )
    formula = f"-8*h/{count}*(1 - {layer}/{layers})"
    dim = settings.integer("dim")
    built = tuple(
        Head(Generator.from_blocks(place_consecutively([Block(_evaluate(formula, h=h))] * dim)))
        for h in range(count)
    )
    return Encoding("lightning", built, schedules=(Schedule("rate", formula),))


def _xpos(settings: Settings) -> Encoding:
    dim, scale_base = settings.integer("dim"), settings.texts["scale_base"]
    gamma = settings.texts["gamma"]
    settings.number("gamma")
    settings.number("scale_base")
    thetas, frequency = ladder(settings.number("base"), settings.texts["base"], dim // 2, dim)
    rates = f"log((2*j/{dim} + {gamma})/(1 + {gamma}))/({scale_base})"
    blocks = [Block(_evaluate(rates, j=j), -theta) for j, theta in enumerate(thetas)]
    return Encoding(
        "xpos",
        (Head(Generator.from_blocks(place_planes(blocks, settings.choice("layout")))),),
        layout=settings.choice("layout"),
        schedules=(Schedule("rate", rates), Schedule("frequency", f"-{frequency}")),
    )


def _retnet(settings: Settings) -> Encoding:
    dim, count = settings.integer("dim"), settings.integer("heads")
    if settings.choice("theta") == "rope":
        thetas, frequency = ladder(settings.number("base"), settings.texts["base"], dim // 2, dim)
    else:
        base = settings.texts["base"]
        frequency = f"({base})^(-j/{dim // 2 - 1})" if dim > 2 else "1"
        thetas = [_evaluate(frequency, j=j) for j in range(dim // 2)]
    rates = "log(1 - 2^(-5 - h))"
    schedules = [Schedule("rate", rates), Schedule("frequency", f"-{frequency}")]
    decays = [_evaluate(rates, h=h) for h in range(count)]
    if settings.choice("gamma") == "experiments":
        decays, schedules = [_experimental_rate(h, count) for h in range(count)], schedules[1:]
    built = []
    for decay in decays:
        blocks = [Block(decay, -theta) for theta in thetas]
        placed = place_planes(blocks, settings.choice("layout"))
        built.append(Head(Generator.from_blocks(placed)))
    return Encoding(
        "retnet",
        tuple(built),
        layout=settings.choice("layout"),
        schedules=tuple(schedules),
    )


def _experimental_rate(head: int, count: int) -> Scalar:
    """ln γ with γ = 1 − (1/32)·16^(−h/(H − 1)), the nearest number of float32."""
    share = f"{head}/{count - 1}" if count > 1 else "0"
    gamma = nearest_binary32(parse(f"1 - 1/32*16^(-{share})"))
    return parse(f"log({gamma})")


# -- what was printed of them -----------------------------------------------------------------

_CAUSAL = r"Decays for $\tau \ge 0$ and grows without bound for $\tau < 0$: causal lags only."


def _both_sides() -> Decision:
    """e^{−λt} on q and e^{−λs} on k, λ = 1/32: equal lags 1 with different scores."""
    score = exp((QUERY + KEY) * fmpq(-1, 32))
    return as_decision(not_relative(score, (1, 0), (3, 2), "q = k = 1, rate 1/32 on both sides"))


def _conjugate_on_the_key() -> Decision:
    """k e^{−ξn − iθn} against q e^{ξm + iθm} in the Hermitian product: phase θ(m + n)."""
    score = cos(QUERY + KEY) * exp(LAG * fmpq(1, 8))
    return as_decision(
        not_relative(score, (1, 0), (3, 2), "xi = 1/8, theta = 1, q = k = 1, Re of q conj(k)")
    )


def _scale_without_base() -> Decision:
    return equals(parse("log(2/7)"), parse("log(2/7)/512"), "rate of plane 0 in the published code")


def _two_schedules() -> Decision:
    """1 − exp(linspace(ln 1/32, ln 1/512, 8)) at h = 1 against 1 − 2^(−5 − 1)."""
    return equals(parse("1 - 1/32*16^(-1/7)"), parse("1 - 2^(-6)"), "gamma_1 of 8 heads")


def _ladders_confused() -> Decision:
    return equals(parse("10000^(-1/127)"), parse("10000^(-2/256)"), "theta_1 of d = 256")


DECAY = Entry(
    "decay",
    "decay",
    Verdict.GROUP,
    "Exponential decay at one rate",
    "the scalar case of RetNet and of gated linear attention",
    {"dim": dimension(64), "rate": number("1/32", "decay per position")},
    _decay,
    definition=r"score $= e^{-\lambda(t - s)}\, q^\top k$ for $t \ge s$.",
    generator=r"$X = -\lambda I$: one real eigenvalue below 0.",
    stability=_CAUSAL,
    values=(Published("rate", "-1/32", rate(0)),),
    mistakes=(
        Mistake(
            "decay-on-both-sides",
            r"$e^{-\lambda t}$ on queries and $e^{-\lambda s}$ on keys give a function of the lag",
            "implementations that use one map for both sides",
            r"the key needs the inverse, $e^{+\lambda s}$",
            _both_sides,
        ),
    ),
)
LIGHTNING = Entry(
    "lightning",
    "decay",
    Verdict.GROUP,
    "Per-head decay of Lightning attention (TransNormer)",
    "Qin et al. 2023; flash-linear-attention ops/lightning_attn",
    {
        "dim": dimension(64),
        "heads": heads(8),
        "layer": Setting("0", "index of the layer", minimum=0, maximum=4096),
        "layers": Setting("24", "number of layers", maximum=4097),
    },
    _lightning,
    definition=(
        r"score $= \lambda_h^{t - s}\, q^\top k$ with "
        r"$\lambda_h = \exp(-\frac{8h}{H}(1 - \frac{l}{L}))$, heads $h = 0, \dots, H - 1$, layer "
        "$l$ of $L$."
    ),
    generator=r"$X_h = \ln\lambda_h\, I$; head 0 has $X_0 = 0$.",
    stability=_CAUSAL + " Head 0 does not decay.",
    values=(
        Published("rate of head 0", "0", rate(0, 0)),
        Published("rate of head 1", "-1", rate(0, 1)),
    ),
)
XPOS = Entry(
    "xpos",
    "damped rotary",
    Verdict.GROUP,
    "xPos: rotation with per-plane decay",
    "Sun et al., arXiv:2212.10554; torchscale xpos_relative_position.py",
    {
        "dim": dimension(64, 2),
        "base": number("10000", "base of the frequency ladder"),
        "gamma": number("2/5", "g in zeta_j = (j/(d/2) + g)/(1 + g)"),
        "scale_base": number("512", "positions per power of zeta; 1 is the paper's form"),
        "layout": layout("interleaved"),
    },
    _xpos,
    definition=(
        r"$\zeta_j = \frac{2j/d + g}{1 + g}$, $g = 2/5$; in plane $j$ "
        r"$\tilde q = \zeta_j^{t/B} R(t\theta_j) q$ and $\tilde k = \zeta_j^{-s/B} R(s\theta_j) "
        "k$; "
        r"$B = 512$ in the code, $B = 1$ in the paper."
    ),
    generator=r"$X = \bigoplus_j \left(\tfrac{\ln\zeta_j}{B} I - \theta_j J\right)$.",
    stability=_CAUSAL,
    values=(
        Published("rate of plane 0", "-2.446802673e-3", rate(0)),
        Published("rate of plane 31", "-4.4090473e-5", rate(31)),
        Published("ln zeta_0", "log(2/7)", rate(0), {"scale_base": 1}),
    ),
    mistakes=(
        Mistake(
            "conjugate-on-the-key",
            r"$\tilde k = k\, e^{-\xi n - i\theta n}$ makes the Hermitian product relative",
            "xPos equations 5 and 6",
            r"it gives the phase $\theta(m + n)$; equation 10 and the code use $+i\theta n$",
            _conjugate_on_the_key,
        ),
        Mistake(
            "scale-base",
            r"the rate of plane $j$ is $\ln\zeta_j$ in the published code",
            "readers of the paper, where 512 does not occur",
            r"it is $\ln\zeta_j/512$",
            _scale_without_base,
        ),
    ),
)
RETNET = Entry(
    "retnet",
    "damped rotary",
    Verdict.GROUP,
    "Retention: rotation with per-head decay",
    "Sun et al., arXiv:2307.08621, equations 1 to 8",
    {
        "dim": dimension(256, 2),
        "heads": heads(8),
        "base": number("10000", "base of the frequency ladder"),
        "theta": Setting(
            "torchscale",
            "frequencies: torchscale includes the endpoint, rope uses base^(-2j/d)",
            "choice",
            ("torchscale", "rope"),
        ),
        "gamma": Setting(
            "powers",
            "decay per head: 1 - 2^(-5-h), or the schedule of the paper's experiments, as float32",
            "choice",
            ("powers", "experiments"),
        ),
        "layout": layout("interleaved"),
    },
    _retnet,
    definition=(
        r"score $= \gamma_h^{t - s} \sum_j (q_j e^{it\theta_j}) \overline{(k_j e^{is\theta_j})}$ "
        "for "
        r"$t \ge s$, without softmax; $\gamma_h = 1 - 2^{-5-h}$. torchscale: "
        r"$\theta_j = 10000^{-j/(d/2 - 1)}$, both ends included. `gamma=experiments`: "
        r"$\gamma_h = 1 - \frac{1}{32} 16^{-h/(H - 1)}$ to the nearest number of float32."
    ),
    generator=r"$X_h = \bigoplus_j (\ln\gamma_h\, I - \theta_j J)$.",
    stability=_CAUSAL,
    values=(
        Published("ln gamma_0", "-0.0317486983", rate(0, 0)),
        Published("ln gamma_7", "-0.0002441704", rate(0, 7)),
        Published("theta_1, torchscale", "0.930044946", theta(1)),
        Published("theta_127, torchscale", "1/10000", theta(127)),
        Published("theta_1, RoPE ladder", "0.9305720409", theta(1), {"theta": "rope"}),
        Published("theta_127, RoPE ladder", "1.0746078e-4", theta(127), {"theta": "rope"}),
    ),
    mistakes=(
        Mistake(
            "two-decay-schedules",
            r"$1 - \exp(\mathrm{linspace}(\ln\frac1{32}, \ln\frac1{512}, H))$ is $1 - 2^{-5-h}$",
            "RetNet, section on experiments against equation 8",
            "they are different schedules: 8 heads agree at the first only",
            _two_schedules,
        ),
        Mistake(
            "endpoint-of-the-ladder",
            r"torchscale's $\theta_j$ is the ladder of RoPE, $10000^{-2j/d}$",
            "ports of torchscale",
            r"it is $10000^{-j/(d/2-1)}$",
            _ladders_confused,
        ),
    ),
)
ENTRIES = (DECAY, LIGHTNING, XPOS, RETNET)
