"""Names in emitted code: arguments that collide with nothing, classes and files."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection

# Every name that the templates bind or use, and what nn.Module already has.
_LOCAL = (
    "x np nn torch math position reference query key lag u side compute wide result angle cosine "
    "sine scale first second turned_first turned_second first_flat second_flat links links_flat "
    "link scaled weight total k carried even odd small square growing turning left right reach "
    "centre discriminant half_difference upper lower rate theta omega shear frequency identity "
    "content columns added shapes shape column c factor basis stacked parts planes slope "
    "coefficient bias_rate bias_frequency query_position key_position dtype score_mod score batch "
    "head query_index key_index i self j h l O I "
    "value term terms super range zip TypeError "
    "rotary_table turn turn_into table turned planes halves swapped signed inner outer stride any "
    "plane pairs waves out device xp causal values like array_namespace whole phase "
    "cos_sin position_ids mask_mod make_mask_mod turn_words words bits nan cuts "
    "state step kept late early read place end start chunk size rest bits rows pieces power block "
    "blocks outputs output first count queries keys times kinds tensors arrays turned_query "
    "turned_key scores bit recurrent_step chunkwise slice reversed ValueError "
    "rotate decay bias operator transform_query transform_key make_score_mod"
)
_MODULE = (
    "add_module apply bfloat16 buffers call_super_init children compile cpu cuda double "
    "dump_patches eval extra_repr float forward get_buffer get_extra_state get_parameter "
    "get_submodule half ipu load_state_dict modules mtia named_buffers named_children "
    "named_modules named_parameters parameters register_backward_hook register_buffer "
    "register_forward_hook register_forward_pre_hook register_full_backward_hook "
    "register_full_backward_pre_hook register_load_state_dict_post_hook "
    "register_load_state_dict_pre_hook register_module register_parameter "
    "register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ set_extra_state "
    "set_submodule share_memory state_dict to to_empty train training type xpu zero_grad"
)
RESERVED = frozenset(f"{_LOCAL} {_MODULE}".split())


def argument_names(parameters: Collection[str]) -> dict[str, str]:
    """Names of the parameters as arguments: a trailing underscore where one would collide.

    >>> argument_names(["w", "x", "lambda"])
    {'w': 'w', 'x': 'x_', 'lambda': 'lambda_'}
    """
    taken = set(parameters)
    names: dict[str, str] = {}
    for parameter in parameters:
        name = parameter
        if _collides(parameter):
            name += "_"
            while name in taken:
                name += "_"
            taken.add(name)
        names[parameter] = name
    return names


def _collides(name: str) -> bool:
    constant = len(name) > 1 and name == name.upper()
    numbered = re.sub(r"(_\d+|_part)+$", "", name)
    return (
        constant or keyword.iskeyword(name) or keyword.issoftkeyword(name) or numbered in RESERVED
    )


def class_name(name: str) -> str:
    """`jordan-rope` as `JordanRope`; never all capitals, which constants are.

    >>> class_name("jordan-rope"), class_name("HEADS"), class_name("2d")
    ('JordanRope', 'Heads', 'Encoding2d')
    >>> class_name("none")
    'EncodingNone'
    """
    words = re.findall(r"[A-Za-z0-9]+", name)
    joined = "".join(w.capitalize() if w.isupper() else w[0].upper() + w[1:] for w in words)
    if not joined[:1].isalpha() or keyword.iskeyword(joined) or joined in ("Module", "Tensor"):
        return f"Encoding{joined}"
    return joined


def file_name(name: str, target: str) -> str:
    """`jordan-rope` for `numpy` as `jordan_rope_numpy.py`."""
    stem = "_".join(re.findall(r"[a-z0-9]+", name.lower())) or "encoding"
    return f"{stem}_{target.replace('-', '_')}.py"


def one_line(text: str) -> str:
    """Text that is safe in a comment: one line of printable characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def plain(text: str) -> str:
    """Text that is safe in a docstring: one line without quotes or backslashes."""
    return one_line(text).replace('"', "'").replace("\\", "/")
