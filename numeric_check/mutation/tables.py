"""What the mutation operators put in the place of what: tables, no code."""

from __future__ import annotations

import ast
from collections.abc import Mapping

ARITHMETIC: Mapping[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div, ast.Mult),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.BitOr: (ast.BitAnd, ast.BitXor),
    ast.BitAnd: (ast.BitOr, ast.BitXor),
}
NOT_COMMUTATIVE = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)

COMPARISONS: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq, ast.LtE),
    ast.NotEq: (ast.Eq, ast.Lt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}

DTYPES = (
    ("float64", "float32", "bfloat16", "float16", "int64"),
    ("complex128", "complex64"),
)
"""Each may stand where another of its kind should."""

STRINGS: Mapping[str, tuple[str, ...]] = {
    "cpu": ("meta",),
    "bool": ("integral", "real floating"),
    "integral": ("bool", "real floating"),
}

_PAIRS = (
    ("cos", "sin"), ("cos", "cosh"), ("sin", "tan"), ("exp", "expm1"), ("exp", "exp2"),
    ("log", "log1p"), ("log", "exp"), ("sqrt", "abs"), ("stack", "concatenate"), ("stack", "cat"),
    ("stack", "hstack"), ("concat", "stack"), ("cat", "hstack"), ("ones_like", "zeros_like"),
    ("zeros", "ones"), ("eye", "ones"),
    ("arange", "ones"), ("real", "imag"), ("view_as_real", "view_as_complex"),
    ("multiply", "add"), ("mul", "add"), ("result_type", "minimum"),
    ("ndim", "size"), ("shape", "dtype"), ("any", "all"), ("min", "max"), ("clip", "minimum"),
    ("maximum", "minimum"), ("transpose", "reshape"), ("flatten", "squeeze"),
    ("unsqueeze", "squeeze"), ("expand_dims", "squeeze"), ("complex", "polar"),
    ("Parameter", "Buffer"), ("tensor", "as_tensor"),
    ("contiguous_format", "preserve_format"), ("einsum", "stack"), ("where", "stack"),
    ("is_floating_point", "is_complex"), ("broadcast_to", "reshape"),
)  # fmt: skip


def _both_ways() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for one, other in _PAIRS:
        found[one] = (*found.get(one, ()), other)
        found[other] = (*found.get(other, ()), one)
    one_way = {"ascontiguousarray": ("asarray",), "empty_like": ("zeros_like",)}
    return {**found, **one_way}


FUNCTIONS: Mapping[str, tuple[str, ...]] = _both_ways()
"""Functions, methods and attributes that are easily taken for one another.

`asarray` is not taken for `ascontiguousarray`, which changes no value, nor `zeros_like` for
`empty_like`, whose result is not determined: no decision about it could be repeated.
"""
