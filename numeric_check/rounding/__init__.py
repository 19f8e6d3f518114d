"""Rigorous bounds of the rounding errors of emitted kernels, by running their text."""

from numeric_check.rounding.axes import judge_axes
from numeric_check.rounding.bias import BiasBound, bias_bound, measure_bias
from numeric_check.rounding.bound import BlockBound, KernelBound, rounding_bound
from numeric_check.rounding.causal import CausalBound, causal_bound, chunkwise_bound
from numeric_check.rounding.formats import LIBRARY_ULPS, library_error
from numeric_check.rounding.formula import default_tolerance
from numeric_check.rounding.judged import DtypeBias, DtypeBound, DtypeCausal, KernelBounds, judge
from numeric_check.rounding.measured import Measurement, measure, search
from numeric_check.rounding.measured_causal import measure_causal, measure_chunkwise
from numeric_check.rounding.position_bounds import (
    PositionBound,
    judge_positions,
    measure_positions,
    position_bound,
)
from numeric_check.rounding.safe import SafePosition, safe_position

__all__ = [
    "LIBRARY_ULPS",
    "BiasBound",
    "BlockBound",
    "CausalBound",
    "DtypeBias",
    "DtypeBound",
    "DtypeCausal",
    "KernelBound",
    "KernelBounds",
    "Measurement",
    "PositionBound",
    "SafePosition",
    "bias_bound",
    "causal_bound",
    "chunkwise_bound",
    "default_tolerance",
    "judge",
    "judge_axes",
    "judge_positions",
    "library_error",
    "measure",
    "measure_bias",
    "measure_causal",
    "measure_chunkwise",
    "measure_positions",
    "position_bound",
    "rounding_bound",
    "safe_position",
    "search",
]
