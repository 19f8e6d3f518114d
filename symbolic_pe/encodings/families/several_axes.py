"""Encodings of positions with several coordinates: rotations that commute, and some that do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flint import arb, arb_mat, fmpq_mat

from symbolic_pe.algebra.expression import parse
from symbolic_pe.algebra.matrix import (
    ScalarMatrix,
    apply,
    from_fmpq,
    is_rational,
    scalar_matrix,
    to_fmpq,
)
from symbolic_pe.algebra.scalar import ONE, ZERO, Scalar
from symbolic_pe.decision import Claim, Decision
from symbolic_pe.encodings.axes import SeveralAxes, turning
from symbolic_pe.encodings.encoding import Verdict
from symbolic_pe.encodings.entry import Entry, Form, Mistake, Published
from symbolic_pe.encodings.families.rotary import ladder
from symbolic_pe.encodings.families.rotary_common import trained_ladder
from symbolic_pe.encodings.readings import entry, generator_of, live_planes, theta
from symbolic_pe.encodings.settings import Setting, Settings, dimension, layout, number
from symbolic_pe.encodings.witnesses import apart, as_decision, equals, evidenced
from symbolic_pe.errors import SpecificationError
from symbolic_pe.generators.commuting import offending_commutator
from symbolic_pe.generators.generator import Generator

BOUNDED = (
    r"$A(p)$ is orthogonal for all $p$: bounded in every direction, and one map serves queries and "
    "keys."
)
COMMUTING = r"The $X_i$ commute, so $A(p)A(p') = A(p + p')$ and scores depend on $p - p'$ alone."


def _planes_of_axes(
    settings: Settings, frequencies: Sequence[Sequence[Scalar]], names: tuple[str, ...]
) -> SeveralAxes:
    """One generator ⊕ −θJ for each axis, on the same planes; an axis leaves a plane alone by 0."""
    place = settings.choice("layout")
    axes = tuple(turning([-x for x in row], place) for row in frequencies)
    return SeveralAxes("axes", axes, names)


# -- one ladder for each axis, or one shared --------------------------------------------------


def _axial(settings: Settings) -> SeveralAxes:
    """Half of the planes for x, the others for y, θⱼ = b^(−4j/d)."""
    dim = settings.integer("dim")
    thetas, _ = ladder(settings.number("base"), settings.texts["base"], dim // 4, dim // 2)
    rest = [ZERO] * len(thetas)
    return _planes_of_axes(settings, ([*thetas, *rest], [*rest, *thetas]), ("x", "y"))


def _rope_mixed(settings: Settings) -> SeveralAxes:
    """Angle aⱼx + cⱼy in plane j: given, or magnitudes b^(−4j/d) in two orthogonal directions."""
    planes = settings.integer("dim") // 2
    along, across = settings.vector("x"), settings.vector("y")
    if not along and not across:
        direction = settings.vector("direction")
        if len(direction) != 2 or all(x.is_zero() for x in direction):
            raise SpecificationError("rope-mixed: direction: expected two numbers, not both 0")
        cos, sin = direction
        sizes, _ = ladder(settings.number("base"), settings.texts["base"], planes // 2, planes)
        along = [m * cos for m in sizes] + [-m * sin for m in sizes]
        across = [m * sin for m in sizes] + [m * cos for m in sizes]
    if not len(along) == len(across) == planes:
        raise SpecificationError(
            f"rope-mixed: x and y: expected {planes} frequencies each, got {len(along)} and "
            f"{len(across)}"
        )
    return _planes_of_axes(settings, (along, across), ("x", "y"))


def axis_of_planes(sections: Sequence[int], arrangement: str) -> list[int]:
    """Which axis turns plane j: sections one after the other, or interleaved.

    Interleaved, axis i > 0 takes the planes i, i + n, i + 2n, … of n axes, as many as its section,
    and axis 0 the others.

    >>> axis_of_planes([2, 1, 1], "sections"), axis_of_planes([2, 1, 1], "interleaved")
    ([0, 0, 1, 2], [0, 1, 2, 0])
    """
    if arrangement == "sections":
        return [axis for axis, size in enumerate(sections) for _ in range(size)]
    count = len(sections)
    owners = [0] * sum(sections)
    for axis, size in enumerate(sections[1:], 1):
        for plane in range(axis, size * count, count):
            owners[plane] = axis
    return owners


def _sections(settings: Settings, planes: int) -> list[int]:
    given = settings.vector("sections")
    if any(not x.is_rational() or x.rational_value().q != 1 or x.sign() < 0 for x in given):
        raise SpecificationError("m-rope: sections: expected numbers of planes")
    sizes = [int(x.rational_value().p) for x in given]
    if len(sizes) != 3 or sum(sizes) != planes:
        raise SpecificationError(
            f"m-rope: sections: expected three numbers of planes with sum {planes}, got "
            f"{settings.texts['sections']!r}"
        )
    reach = max(3 * (size - 1) + axis for axis, size in enumerate(sizes) if axis)
    if settings.choice("arrangement") == "interleaved" and reach >= planes:
        raise SpecificationError(
            "m-rope: sections: interleaved, the second and third have at most a third of the planes"
        )
    return sizes


def _m_rope(settings: Settings) -> SeveralAxes:
    """One ladder; each plane belongs to the axis t, h or w."""
    thetas, _ = trained_ladder(settings)
    owners = axis_of_planes(_sections(settings, len(thetas)), settings.choice("arrangement"))
    rows = [
        [x if owner == axis else ZERO for x, owner in zip(thetas, owners, strict=True)]
        for axis in range(3)
    ]
    return _planes_of_axes(settings, rows, ("t", "h", "w"))


def _hope_hybrid(settings: Settings) -> SeveralAxes:
    """Spatial planes first, x and y by turns; the last ones are temporal, with frequency 0."""
    thetas, _ = trained_ladder(settings)
    spatial = settings.integer("spatial")
    if spatial > len(thetas):
        raise SpecificationError(
            f"hope-hybrid: spatial: expected at most {len(thetas)} planes, got {spatial}"
        )
    rows = [
        [x if j < spatial and j % 2 == axis else ZERO for j, x in enumerate(thetas)]
        for axis in range(2)
    ]
    still = [ZERO] * len(thetas)
    return _planes_of_axes(settings, (still, *rows), ("t", "x", "y"))


# -- dense skew matrices ----------------------------------------------------------------------


def skew(entries: Sequence[Scalar], size: int, name: str) -> ScalarMatrix:
    """The skew matrix with these entries above the diagonal, row by row.

    Raises `SpecificationError` for another number of entries.
    """
    expected = size * (size - 1) // 2
    if len(entries) != expected:
        raise SpecificationError(
            f"{name}: expected {expected} entries above the diagonal, got {len(entries)}"
        )
    rows = [[ZERO] * size for _ in range(size)]
    values = iter(entries)
    for i in range(size):
        for j in range(i + 1, size):
            rows[i][j] = next(values)
            rows[j][i] = -rows[i][j]
    return scalar_matrix(rows)


def negated(x: ScalarMatrix) -> ScalarMatrix:
    """−X."""
    return apply(lambda entry: -entry, x)


def _cayley(s: ScalarMatrix) -> fmpq_mat:
    """P = (I − S)(I + S)⁻¹, orthogonal for skew S."""
    if not is_rational(s):
        raise SpecificationError("string: skew: expected rational entries")
    unit = fmpq_mat(len(s), len(s), [int(i == j) for i in range(len(s)) for j in range(len(s))])
    x = to_fmpq(s)
    return (unit - x) * (unit + x).inv()


def _string(settings: Settings) -> SeveralAxes:
    if settings.choice("form") == "circulant":
        return SeveralAxes("string", tuple(_circulants(settings)), ("x", "y"))
    dim = settings.integer("dim")
    planes = dim // 2
    basis = _cayley(skew(settings.vector("skew"), dim, "string: skew"))
    axes = []
    for name in ("x", "y"):
        given = settings.vector(name)
        if len(given) != planes or any(not w.is_rational() for w in given):
            raise SpecificationError(f"string: {name}: expected {planes} rational frequencies")
        turned = to_fmpq(turning([-w for w in given], "interleaved").matrix)
        axes.append(Generator(dim, None, from_fmpq(basis * turned * basis.transpose())))
    return SeveralAxes("string", tuple(axes), ("x", "y"), basis=from_fmpq(basis))


def _circulants(settings: Settings) -> list[Generator]:
    """X = −L with L = C − Cᵀ and the circulant C of a first row."""
    dim = settings.integer("dim")
    found = []
    for name in ("x", "y"):
        row = [*settings.vector(name), *[ZERO] * dim][:dim]
        entries = [
            [row[(i - j) % dim] - row[(j - i) % dim] for j in range(dim)] for i in range(dim)
        ]
        found.append(Generator(dim, None, scalar_matrix(entries)))
    return found


def _comrope(settings: Settings) -> SeveralAxes:
    """Blocks B = P − Pᵀ: each on one axis, or on all of them with weights of its own."""
    dim, size = settings.integer("dim"), settings.integer("block")
    if dim % size:
        raise SpecificationError(f"comrope: block: expected a divisor of dim = {dim}, got {size}")
    block = skew(settings.vector("entries"), size, "comrope: entries")
    count = dim // size
    linear = settings.choice("form") == "linear"
    weights = settings.vector("weights")
    if linear and len(weights) != 2 * count:
        raise SpecificationError(f"comrope: weights: expected {2 * count}, for x and then for y")
    axes = []
    for axis in range(2):
        rows = [[ZERO] * dim for _ in range(dim)]
        for index in range(count):
            own = ONE if index % 2 == axis else ZERO
            weight = weights[axis * count + index] if linear else own
            for i in range(size):
                for j in range(size):
                    rows[index * size + i][index * size + j] = -weight * block[i][j]
        axes.append(Generator(dim, None, scalar_matrix(rows)))
    return SeveralAxes("comrope", tuple(axes), ("x", "y"))


def _liere(settings: Settings) -> SeveralAxes:
    dim = settings.integer("dim")
    axes = tuple(
        Generator(dim, None, negated(skew(settings.vector(name), dim, f"liere: {name}")))
        for name in ("x", "y")
    )
    commute = offending_commutator(axes) is None
    verdict = Verdict.COMMUTING if commute else Verdict.NOT_INVARIANT
    return SeveralAxes("liere", axes, ("x", "y"), verdict=verdict)


def shifted_scores(form: Form, first: tuple[int, int], second: tuple[int, int]) -> Claim:
    """Scores before and after both positions are shifted by (1, 1), for R(p) = exp(−Σ pᵢXᵢ).

    qᵀR(p)ᵀR(p′)k with q = k = e₁, decided by balls.
    """
    axes = [generator_of(form, i).matrix for i in range(2)]

    def turned(p: tuple[int, int]) -> arb_mat:
        return arb_mat(
            [
                [-x.ball({}) * p[0] - y.ball({}) * p[1] for x, y in zip(*rows, strict=True)]
                for rows in zip(*axes, strict=True)
            ]
        ).exp()

    def score(p: tuple[int, int], q: tuple[int, int]) -> arb:
        return (turned(p).transpose() * turned(q))[0, 0]

    later = tuple((p[0] + 1, p[1] + 1) for p in (first, second))
    return apart(
        "relativity",
        "score(p + c, p' + c) = score(p, p') for all p, p', c",
        lambda: (score(first, second), score(later[0], later[1])),
        (f"p, p' = {first}, {second}", f"p, p' = {later[0]}, {later[1]}"),
        "R(p) = exp(p_x A_x + p_y A_y) on both sides, q = k = (1, 0, ...)",
    )


def _liere_witness(settings: Settings) -> tuple[Claim, ...]:
    form = _liere(settings)
    if form.verdict is Verdict.COMMUTING:
        return ()
    return (shifted_scores(form, (1, 0), (0, 1)),)


# -- what was printed of them -----------------------------------------------------------------


def _axes_swapped() -> Decision:
    found = AXIAL.form({"dim": 8})
    return equals(
        generator_of(found, 1).matrix[0][1], generator_of(found, 0).matrix[0][1],
        "how fast x turns plane 0, d = 8",
    )  # fmt: skip


def _axes_by_turns() -> Decision:
    found = AXIAL.form({"dim": 8})
    return equals(
        generator_of(found, 1).matrix[2][3], generator_of(found, 0).matrix[2][3],
        "how fast x turns plane 1, d = 8",
    )  # fmt: skip


def _repeated_sections() -> Decision:
    """[2, 3, 3]·2 doubled is [4, 6, 6]; repeated, its first three parts end at channel 8."""
    return equals(parse("2"), parse("4"), "channels of the first part of sections 2 3 3, times 2")


def _own_ladders() -> Decision:
    """Plane 16 of d = 128 is the first of h: 1 if h had a ladder of its own."""
    right = theta(0, 1)(M_ROPE.form({}))
    assert isinstance(right, Scalar)
    return equals(parse("1"), right, "the first frequency of h")


def _exact_for_every_skew() -> Decision:
    """Two scores of one lag, and an entry of XY − YX, which is 0 where the law holds."""
    settings = Settings("liere", LIERE.settings, {})
    axes, (claim,) = _liere(settings).axes, _liere_witness(settings)
    found = offending_commutator(axes)
    assert found is not None
    where = f"row {found.row}, column {found.column} of X_x X_y - X_y X_x"
    shown = f"{claim.witness}; {where} is {found.value}"
    place = {"kind": "entry", "index": 0, "row": found.row, "column": found.column, "time": "0"}
    generators = tuple(x.matrix for x in axes)
    return as_decision(evidenced(replace(claim, witness=shown), generators, place))


def _shift_of_the_initialisation() -> Decision:
    """(3/4 − ½) − (0 − ½) is 3/4: the shift cancels in U − Uᵀ."""
    return equals(parse("3/4 - 1/2"), parse("3/4"), "entry for U = 3/4 above, 0 below")


AXIAL = Entry(
    "axial",
    "several axes",
    Verdict.COMMUTING,
    "Axial rotary embedding of pictures",
    "Heo et al., arXiv:2403.13298; naver-ai/rope-vit models/vit_rope.py",
    {
        "dim": dimension(64, 4),
        "base": number("100", "base of the frequency ladder"),
        "layout": layout("interleaved"),
    },
    _axial,
    definition=(
        r"The first $d/4$ planes turn by $\theta_j x$, the others by $\theta_j y$, "
        r"$\theta_j = b^{-4j/d}$, $b = 100$. The class token is not turned in the published code."
    ),
    generator=(
        r"$X_x = \bigoplus_j -\theta_j J \oplus 0$, $X_y = 0 \oplus \bigoplus_j -\theta_j J$. "
    )
    + COMMUTING,
    stability=BOUNDED + " A token that is not turned sees the absolute position of all others.",
    values=(
        Published("theta_1 along x, d = 8", "1/10", theta(1, 0), {"dim": 8}),
        Published("planes that turn along y", "16", live_planes(1)),
    ),
    mistakes=(
        Mistake(
            "axes-swapped",
            "height and width may be given in either order",
            "several vision libraries; square pictures hide it",
            "the first half of the planes belongs to x, the axis that runs fastest",
            _axes_swapped,
        ),
        Mistake(
            "axes-by-turns",
            "planes belong to the axes by turns",
            "a port that interleaves axes",
            "one half after the other",
            _axes_by_turns,
        ),
    ),
)
ROPE_MIXED = Entry(
    "rope-mixed",
    "several axes",
    Verdict.COMMUTING,
    "RoPE-Mixed: learned directions in the plane",
    "Heo et al., arXiv:2403.13298; naver-ai/rope-vit models/vit_rope.py",
    {
        "dim": dimension(64, 4),
        "base": number("10", "base of the magnitudes at the start"),
        "direction": Setting("3/5 4/5", "cosine and sine of the first direction", "vector"),
        "x": Setting("", "learned frequencies along x, one for each plane", "vector"),
        "y": Setting("", "learned frequencies along y", "vector"),
        "layout": layout("interleaved"),
    },
    _rope_mixed,
    definition=(
        "Plane $j$ turns by $a_j x + c_j y$, learned for each head. At the start the magnitudes "
        "are "
        r"$10^{-4j/d}$, each in a random direction and in the one orthogonal to it."
    ),
    generator=r"$X_x = \bigoplus_j -a_j J$, $X_y = \bigoplus_j -c_j J$ on the same planes. "
    + COMMUTING,
    stability=BOUNDED,
    values=(
        Published("a_0", "3/5", theta(0, 0)),
        Published("c_0", "4/5", theta(0, 1)),
        Published("a_16", "-4/5", theta(16, 0)),
        Published("a_8, half of it from 10^(-4*8/64)", "3/5*10^(-1/2)", theta(8, 0)),
    ),
)
M_ROPE = Entry(
    "m-rope",
    "several axes",
    Verdict.COMMUTING,
    "M-RoPE: time, height and width share one ladder",
    "Wang et al., Qwen2-VL, arXiv:2409.12191; Qwen3-VL interleaves the sections",
    {
        "dim": dimension(128, 2),
        "base": number("1000000", "base of the frequency ladder"),
        "sections": Setting("16 24 24", "planes of t, h and w", "vector"),
        "arrangement": Setting(
            "sections",
            "planes of an axis side by side, or interleaved",
            "choice",
            ("sections", "interleaved"),
        ),
        "layout": layout("half"),
    },
    _m_rope,
    definition=(
        r"$\theta_j = b^{-2j/d}$; planes 0 to 15 turn by $\theta_j t$, 16 to 39 by $\theta_j h$, "
        "40 to "
        r"63 by $\theta_j w$. Interleaved: planes 1, 4, 7, … belong to $h$ and 2, 5, 8, … to $w$, "
        "as "
        r"many as their sections say, the others to $t$. Text has $t = h = w$."
    ),
    generator=(
        "$X_t$, $X_h$, $X_w$ on disjoint planes, with $X_t + X_h + X_w = X$ of RoPE: text is "
        "turned "
        "as by RoPE. " + COMMUTING
    ),
    stability=BOUNDED,
    values=(
        Published("planes of t", "16", live_planes(0)),
        Published("planes of h", "24", live_planes(1)),
        Published("planes of w", "24", live_planes(2)),
        Published("the first frequency of h", "1000000^(-32/128)", theta(0, 1)),
        Published("the first frequency of w", "1000000^(-80/128)", theta(0, 2)),
        Published(
            "the first frequency of h, interleaved",
            "1000000^(-2/128)",
            theta(0, 1),
            {"sections": "24 20 20", "arrangement": "interleaved"},
        ),
    ),
    mistakes=(
        Mistake(
            "repeated-sections",
            "`sections * 2` doubles the sections",
            "copies of the published code that read it as arithmetic",
            "it repeats the list: t, h, w for the first half of the channels and for the second",
            _repeated_sections,
        ),
        Mistake(
            "own-ladders",
            r"every axis has a ladder $b^{-2i/\mathrm{section}}$ of its own",
            "reimplementations of M-RoPE",
            "the axes cut one ladder into pieces",
            _own_ladders,
        ),
    ),
)
HOPE_HYBRID = Entry(
    "hope-hybrid",
    "several axes",
    Verdict.COMMUTING,
    "HoPE, hybrid: time without rotation, space in the high frequencies",
    "arXiv:2505.20444; hrlics/HoPE modeling_hope.py",
    {
        "dim": dimension(128, 2),
        "base": number("1000000", "base of the frequency ladder"),
        "spatial": Setting("48", "spatial planes, the first of them, x and y by turns"),
        "layout": layout("half"),
    },
    _hope_hybrid,
    definition=(
        r"Of 64 planes the first 48 turn by $\theta_j x$ and $\theta_j y$ by turns; the 16 with "
        "the lowest "
        r"frequencies belong to time and do not turn. The scale of time is chosen by the model."
    ),
    generator=r"$X_x$ and $X_y$ on disjoint planes, $X_t = 0$. " + COMMUTING,
    stability=BOUNDED,
    values=(
        Published("planes of time that turn", "0", live_planes(0)),
        Published("planes of x", "24", live_planes(1)),
        Published("the first frequency of y", "1000000^(-2/128)", theta(0, 2)),
    ),
)
STRING = Entry(
    "string",
    "several axes",
    Verdict.COMMUTING,
    "STRING: commuting skew generators in a learned basis",
    "Schenck et al., arXiv:2502.02562",
    {
        "dim": dimension(4, 2),
        "form": Setting(
            "cayley",
            "a basis by Cayley's transform, or circulant matrices",
            "choice",
            ("cayley", "circulant"),
        ),
        "x": Setting("1 1/10", "frequencies along x; circulant: the first row of C", "vector"),
        "y": Setting("1/10 1", "the same along y", "vector"),
        "skew": Setting(
            "1/2 0 0 1/3 0 1/4", "S of the Cayley transform, above the diagonal", "vector"
        ),
    },
    _string,
    definition=(
        r"$R(r) = \exp(\sum_k r_k L_k)$ with skew, commuting $L_k$: $L_k = P\,\Lambda_k P^\top$ "
        "with "
        r"$P = (I - S)(I + S)^{-1}$ and planes $\Lambda_k$, or $L_k = C_k - C_k^\top$ with "
        "circulant "
        r"$C_k$. Both sides are turned by $R$."
    ),
    generator=(
        "$X_k = -L_k$ up to the order of query and key: RoPE of several axes in another basis, "
        "which the "
        r"projections can absorb. " + COMMUTING
    ),
    stability=BOUNDED,
    values=(
        Published("entry (0, 0), skew", "0", entry(0, 0, 0)),
        Published(
            "entry (0, 1) of X = C^T - C, d = 4",
            "-1/10",
            entry(0, 1, 0),
            {"form": "circulant", "x": "0 1/10", "y": "0 0 0 1/7"},
        ),
    ),
)
COMROPE = Entry(
    "comrope",
    "several axes",
    Verdict.COMMUTING,
    "ComRoPE: trainable commuting blocks",
    "Yu et al., ComRoPE; Longin-Yu/ComRoPE model.py",
    {
        "dim": dimension(8, 2),
        "block": Setting("4", "channels of a block", minimum=2, maximum=64),
        "form": Setting(
            "axial",
            "each block on one axis, or on all of them with weights",
            "choice",
            ("axial", "linear"),
        ),
        "entries": Setting("1 0 1/2 0 1/3 1/4", "P - P^T of a block, above the diagonal", "vector"),
        "weights": Setting("1 1/2 1/3 1", "weights of the blocks along x, then along y", "vector"),
    },
    _comrope,
    definition=(
        r"$R(x) = \exp(\sum_i A_i x_i)$ with block-diagonal skew $A_i$ that commute: every block "
        "belongs to one axis (axial: block index modulo the number of axes), or $A_i = c_i A$ in "
        "every "
        r"block (linear). Coordinates are $(i + 1/2)/\mathrm{grid}$, the class token is at $1/2$."
    ),
    generator=(
        r"$X_i = -A_i$. " + COMMUTING + " A block is one skew matrix with a weight for each axis, "
        "so one orthogonal basis, which does not depend on the position, takes it to planes that "
        "turn by the weighted sum of the coordinates."
    ),
    stability=BOUNDED,
    values=(
        Published("entry (0, 1) of X along x", "-1", entry(0, 1, 0)),
        Published("entry (4, 5) of X along y", "-1", entry(4, 5, 1)),
        Published("entry (4, 5) of X along x, linear", "-1/2", entry(4, 5, 0), {"form": "linear"}),
    ),
)
LIERE = Entry(
    "liere",
    "several axes",
    Verdict.NOT_INVARIANT,
    "LieRE: one dense skew matrix for each axis",
    "Ostmeier et al., arXiv:2406.10322; StanfordMIMI/LieRE models/rope_vit.py",
    {
        "dim": dimension(4, 2),
        "x": Setting("1 0 1/2 0 1/3 1/4", "A_x above the diagonal, row by row", "vector"),
        "y": Setting("0 1 0 1/2 1/3 0", "A_y above the diagonal", "vector"),
    },
    _liere,
    definition=(
        r"$R(p) = \exp(\sum_i p_i A_i)$ with learned skew $A_i$, dense or in blocks; "
        r"$\tilde q = R(p) q$, $\tilde k = R(p') k$."
    ),
    generator=(
        r"None for two axes whose $A_i$ do not commute: $R(p)^\top R(p') \ne R(p' - p)$. A group "
        "where "
        r"they commute, as with one axis or with $2 \times 2$ blocks."
    ),
    stability="Every $R(p)$ is orthogonal, so scores stay bounded.",
    values=(
        Published("entry (0, 1) of X = -A_x", "-1", entry(0, 1, 0)),
        Published("entry (1, 0) of X = -A_x", "1", entry(1, 0, 0)),
    ),
    mistakes=(
        Mistake(
            "relative-for-every-skew-matrix",
            "the exact relative law holds for LieRE",
            "GRAPE appendices A and F",
            r"for one axis, or commuting $A_i$; otherwise to first order only",
            _exact_for_every_skew,
        ),
        Mistake(
            "shift-of-the-initialisation",
            r"entries are uniform on $2\pi[-1/2, 1/2]$, because the code subtracts $1/2$",
            "readers of the published code",
            r"$1/2$ cancels in $U - U^\top$",
            _shift_of_the_initialisation,
        ),
    ),
    witness=_liere_witness,
)

ENTRIES = (AXIAL, ROPE_MIXED, M_ROPE, HOPE_HYBRID, STRING, COMROPE, LIERE)
