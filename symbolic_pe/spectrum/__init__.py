"""The positional kernel of an encoding, its symbol, and its spectrum in exact and ball arithmetic.

    κ(τ) = tr A(τ) / d = Σ m_c e^{a_c|τ|} cos(b_c τ),    Kᵢⱼ = κ(i − j)

is what q = k isotropic leaves of the scores when the content is the same at every position.
"""
