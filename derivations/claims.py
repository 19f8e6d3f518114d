"""What the sources claim, and common misprints: the keys that answers of derivations name."""

from __future__ import annotations

from symbolic_pe.proof.published import ClaimTable, PublishedClaim

GROUPS = ClaimTable(
    "Positional encodings through group theory",
    "An article after A. Puranik's post (Jane Street, 2026) and its discussion.",
    (
        PublishedClaim(
            "S1.1",
            "Linear maps $F(t)$, $G(s)$; scores depend on $t - s$ alone; $A(0) = I$; continuous "
            "time.",
        ),
        PublishedClaim(
            "S1.2",
            "Hence $A(s + t) = A(s)A(t)$: a one-parameter group.",
        ),
        PublishedClaim(
            "S1.3",
            "With differentiability $A(t) = e^{tX}$ with one generator $X$.",
        ),
        PublishedClaim(
            "S1.4",
            "A real eigenvalue grows, does nothing (no encoding) or decays, as in linear "
            "attention, RetNet and Mamba-3.",
        ),
        PublishedClaim(
            "S1.5",
            "A pair $a \\pm bi$ turns and scales; $a = 0$ is RoPE, with high frequencies for "
            "near and low ones for far positions.",
        ),
        PublishedClaim(
            "S1.6",
            "Diagonalisable generators give only decay, rotation and their combinations.",
        ),
        PublishedClaim(
            "S1.7",
            r"$\begin{pmatrix}0&1\\0&0\end{pmatrix}$ is nilpotent, $e^{tX} = I + tX$ grows "
            r"linearly: "
            "a frictionless puck.",
        ),
        PublishedClaim(
            "S1.8",
            "ALiBi's $q^\\top k - m(t - s)$ is of this kind after constant coordinates are added.",
        ),
        PublishedClaim(
            "S1.9",
            r"The coordinates are $\hat q = [q, -m, 1]$, $\hat k = [k, 1, 0]$ with that block.",
        ),
        PublishedClaim("S1.10", "GRAPE, found independently, is of this kind."),
        PublishedClaim("S1.11", "Known methods exhaust what is mathematically possible."),
        PublishedClaim(
            "S1.12",
            "Time may be continuous and irregular; state-space models are of this kind.",
        ),
    ),
)

SPECTRA = ClaimTable(
    "Spectra of the coupling of content and position",
    "An article after arXiv:2505.13027, version 1.",
    (
        PublishedClaim(
            "S2.1",
            "Logits with relative encodings have Toeplitz structure.",
            parts=("V16", "F15", "V10", "F10"),
        ),
        PublishedClaim(
            "S2.2",
            "RoPE couples content and position by a Hadamard product with a Toeplitz kernel, "
            "additive encodings add a Toeplitz term.",
            parts=("F5", "V1", "V5"),
        ),
        PublishedClaim(
            "S2.3",
            "The multiplicative coupling contracts the spectrum.",
            parts=("F1", "F2", "F3", "F4", "V2", "V15", "V14"),
        ),
        PublishedClaim(
            "S2.4",
            "Contraction stabilises optimisation and lowers its cost.",
            parts=("F11", "F6", "F7", "F8"),
        ),
        PublishedClaim("S2.5", "Contraction suppresses high frequencies.", parts=("F14", "V6")),
        PublishedClaim("S2.6", "RoPE wins on tasks that depend on position."),
        PublishedClaim(
            "S2.7",
            "Position is deposited in single heads of early layers; MLA spreads it.",
            parts=("V11", "F12", "F13"),
        ),
        PublishedClaim(
            "S2.8",
            "Learned, relative, absent, decoupled and Fourier encodings are alternatives; "
            "additive and multiplicative ones can be mixed, layer by layer.",
            parts=("F9",),
        ),
        PublishedClaim(
            "S2.9",
            "Tools are needed that show which heads and layers carry position.",
            parts=("V16",),
        ),
    ),
)

MISPRINTS = ClaimTable(
    "What print and copies get wrong",
    "Statements of papers, of their code and of copies, each as it stands there.",
    (
        PublishedClaim("8.1-1", "ALiBi from $[q, -m, 1]$ and $[k, 1, 0]$.", "an article"),
        PublishedClaim(
            "8.1-2",
            r"$L = AJA^\top$ and $L(e_1, e_2) = J$.",
            "GRAPE, sections 2.1 and 3.1",
        ),
        PublishedClaim(
            "8.1-3",
            "$I + DE$ with the inverse transpose gives $q^\\top k + D$.",
            "GRAPE, appendix C",
        ),
        PublishedClaim(
            "8.1-4",
            r"The upper block with the inverse transpose gives $-m\omega\Lambda$.",
            "GRAPE, appendix E",
        ),
        PublishedClaim(
            "8.1-5", r"$U_u = \sum_{l<u}$ for sums over $l = j+1 \dots t$.", "GRAPE, section 5"
        ),
        PublishedClaim(
            "8.1-6", "One generator gives slopes gated by the pair.", "GRAPE, equations 4.4 to 4.6"
        ),
        PublishedClaim(
            "8.1-7",
            "LieRE has an exact relative law; integers have the period $2\\pi/s$.",
            "GRAPE, appendices A, F and J",
        ),
        PublishedClaim(
            "8.1-8", r"Keys carry $e^{-i\theta n}$; the scale base.", "xPos, equations 5 and 6"
        ),
        PublishedClaim(
            "8.1-9",
            r"The phase is $\theta(m - n)$; $b'$ for $b$; one ramp.",
            "YaRN, equations 8 and 17",
        ),
        PublishedClaim(
            "8.1-10",
            "$W_q$ without a transpose; frequencies indexed by $i$ and by $i - 1$.",
            "RoFormer, equations 15 and 16, section 3.3",
        ),
        PublishedClaim(
            "8.1-11",
            r"$q_i^\top R^{i-j}k_j$, and the order of the product.",
            "PaTH, introduction and section 2.1",
        ),
        PublishedClaim("8.1-12", "Turning by the transpose or by the angle.", "Mamba-3"),
        PublishedClaim("8.1-13", "Decay or boost on both sides by one map.", "implementations"),
        PublishedClaim(
            "8.1-14",
            r"Slopes from $0$, sorted, or one power for all counts; bias scaled by $1/\sqrt d$; "
            r"$+ms$ as relative; $|\tau|$ as a group.",
            "copies of ALiBi",
        ),
        PublishedClaim("8.1-15", "Sections doubled; a ladder for each axis.", "copies of M-RoPE"),
        PublishedClaim("8.1-16", "One exponent for partial rotary and p-RoPE.", "copies"),
        PublishedClaim(
            "8.1-17",
            "One rule of dynamic NTK; keys cached after they were turned.",
            "paper and code",
        ),
        PublishedClaim("8.1-18", "The first $n_0 - 1$ tokens are kept.", "LongRoPE, text"),
        PublishedClaim(
            "8.1-19", r"One schedule of $\gamma$; one ladder of $\theta$.", "RetNet and torchscale"
        ),
        PublishedClaim("8.1-20", "$p_{ii} = 0$.", "readers of CoPE"),
        PublishedClaim("8.1-21", "$A(0) = I$ with a temperature.", "YaRN, LongRoPE, DeepSeek"),
        PublishedClaim("8.1-22", r"$F(s)^\top G(t) = F(t - s)^\top G(0)$.", "notes on the post"),
    ),
)

TABLES = (GROUPS, SPECTRA, MISPRINTS)
