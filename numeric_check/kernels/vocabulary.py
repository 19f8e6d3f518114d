"""The words that the text of a kernel may use: builtins, modules, attributes.

An attribute is listed when nothing of that name, on any object a kernel can reach, opens a file,
a process, a pickle, a frame or memory.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

_BUILTINS = (
    "abs all any bool complex dict divmod enumerate filter float frozenset int isinstance iter "
    "len list map max min next object property range reversed round set slice sorted "
    "staticmethod str sum super tuple zip "
    "ArithmeticError AssertionError Exception IndexError KeyError NotImplementedError "
    "OverflowError RuntimeError TypeError ValueError"
)
_TYPING_NAMES = (
    "Annotated Any Callable Final Iterable Literal Mapping Optional Sequence TypeAlias Union "
    "TYPE_CHECKING"
)
_NEVER_NAMES = (
    "eval exec compile open getattr setattr delattr hasattr globals locals vars dir input "
    "breakpoint memoryview type help exit quit"
)
_SHARED = (
    "abs absolute add all allclose amax amin any arange argmax argmin argsort array asarray "
    "atleast_1d atleast_2d bool bool_ broadcast_to cat clip complex complex128 complex64 "
    "concat concatenate conj copysign cos cosh cumsum deg2rad diag diagonal diff divide dot "
    "dtype e einsum empty empty_like equal errstate exp exp2 expand_dims expm1 eye finfo flip "
    "float16 float32 float64 floor floor_divide fmod full full_like greater greater_equal "
    "half hypot iinfo imag inf int16 int32 int64 int8 integer isfinite isinf isnan less "
    "less_equal linspace log log10 log1p log2 logical_and logical_not logical_or matmul "
    "maximum mean meshgrid min minimum mod moveaxis multiply nan nan_to_num ndarray ndim "
    "negative newaxis nonzero ones ones_like outer pi power prod product ravel real "
    "reciprocal remainder repeat reshape result_type rint roll round sign signbit sin sinc "
    "sinh size sqrt square squeeze stack subtract sum swapaxes take clamp take_along_axis tan tanh "
    "tensordot tile trace transpose tril triu true_divide trunc uint16 uint32 uint64 uint8 "
    "unique vstack hstack where zeros zeros_like max broadcast_shapes broadcast_arrays "
    "broadcast_tensors promote_types can_cast issubdtype floating number inexact generic "
    "double single longdouble float_ identity kron isin split unstack ascontiguousarray "
    "permute_dims vecdot isdtype matrix_transpose "
)
_METHODS = (
    "T mT kind std var median mode shape astype copy item tolist flatten view fill itemsize nbytes "
    "append extend items keys values get index count join startswith endswith lower upper strip "
    "setdefault update bit_length is_integer"
)
_MATH = "comb exp factorial fsum gcd isclose isqrt lcm log pow prod tau"
_TORCH = (
    "nn Module functional Tensor Parameter ParameterList ModuleList Buffer Identity Linear "
    "Sequential tensor as_tensor from_numpy is_floating_point is_complex is_tensor device cpu "
    "bfloat16 bool dtype long int float double no_grad inference_mode autocast enabled "
    "register_buffer register_parameter to type type_as expand expand_as unsqueeze unbind chunk "
    "narrow select index_select gather scatter masked_fill dim numel contiguous permute detach "
    "clone new_zeros new_ones new_empty new_tensor new_full requires_grad requires_grad_ "
    "requires_grad polar view_as_complex view_as_real rsqrt addcmul lerp movedim is_contiguous "
    "persistent is_cuda get_default_dtype softmax linear pad normalize bmm einsum block_diag "
    "matrix_power pow neg scalar_tensor forward extra_repr train Size vander cosine sgn "
    "flatten unflatten stride contiguous_format addcmul_ mul layout parameters "
    "buffers repeat_interleave amp is_autocast_available"
)
SAFE_BUILTINS = frozenset(_BUILTINS.split())
NEVER = frozenset(_NEVER_NAMES.split())
ATTRIBUTES = frozenset(" ".join((_SHARED, _METHODS, _MATH, _TORCH)).split())

MODULES: Mapping[str, frozenset[str]] = {
    "__future__": frozenset({"annotations"}),
    "collections.abc": frozenset(("Callable", "Iterable", "Iterator", "Mapping", "Sequence")),
    "math": frozenset(name for name in dir(math) if not name.startswith("_")),
    "typing": frozenset(_TYPING_NAMES.split()),
    "numpy": ATTRIBUTES,
    "torch": ATTRIBUTES,
    "torch.nn": ATTRIBUTES,
    "torch.nn.functional": ATTRIBUTES,
    "array_api_compat": frozenset({"array_namespace", "device"}),
}
LIBRARY_OF: Mapping[str, str] = {
    "numpy": "numpy",
    "torch": "torch",
    "array-api": "array_api_compat",
}
"""The library that a text of a target may import."""
LIBRARIES = frozenset(LIBRARY_OF.values())
