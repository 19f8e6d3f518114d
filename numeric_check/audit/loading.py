"""`module:attribute` to a callable. This runs the code of the subject: that is the point.

Nothing of a specification is ever evaluated; only what the user names here is imported.
"""

from __future__ import annotations

import copy
import functools
import importlib
import importlib.util
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numeric_check.audit.raised import described
from symbolic_pe.errors import AuditError


@dataclass(frozen=True)
class Loaded:
    """A callable and a way to make it anew.

    fresh   returns the callable as it is before any call: of a module that is executed again
    origin  the import line, and `expression` the callable after it
    """

    name: str
    value: Any
    fresh: Callable[[], Any] | None
    origin: str
    expression: str


def load(text: str) -> Loaded:
    """Import `module:attribute` (or `path/to/file.py:attribute`); a class is instantiated.

    Raises `AuditError` naming the part that failed.
    """
    module_name, colon, attribute = text.rpartition(":")
    if not colon or not module_name or not attribute:
        raise AuditError(
            f"{text!r}: expected module:attribute, such as my_model.rope:apply_rotary or "
            "rope.py:apply_rotary"
        )
    module = _module(module_name)
    value = _attribute(module, module_name, attribute)
    name = module.__name__

    def fresh() -> Any:
        again = _executed_anew(name)
        return _instance(_walk(again, attribute), text)

    source = getattr(module, "__file__", None)
    first = attribute.partition(".")[0]
    origin = f"from {module.__name__} import {first}"
    expression = attribute
    if module_name.endswith(".py"):
        origin = f"import runpy; {first} = runpy.run_path({module_name!r})[{first!r}]"
    if isinstance(value, type):
        expression = f"{attribute}()"
    return Loaded(text, _instance(value, text), fresh if source else None, origin, expression)


def executed_again(value: Any) -> Callable[[], Any] | None:
    """A module-level function from its module executed once more; None where that is impossible."""
    name, module = (
        getattr(value, "__qualname__", ""),
        sys.modules.get(getattr(value, "__module__", "")),
    )
    plain = hasattr(value, "__code__") and "<" not in name
    if not plain or module is None or not getattr(module, "__file__", None):
        return None
    if module.__name__ == "__main__":
        return None
    try:
        _walk(_executed_anew(module.__name__), name)
    except Exception:  # the module is not ours: executing it again may raise anything
        return None
    return lambda: _walk(_executed_anew(module.__name__), name)


def copies(value: Any) -> Callable[[], Any] | None:
    """Copies of a callable as it is now, with whatever it keeps between calls.

    Objects are copied, with containers that belong to their class; functions with what they have
    closed over and their defaults; functions behind `functools.lru_cache` with an empty cache.
    None where that is impossible.
    """
    try:
        pristine = _copied(value)
        _copied(pristine)
    except Exception:  # the object is not ours: copying may do anything
        return None
    return lambda: _copied(pristine)


def _copied(value: Any) -> Any:
    if isinstance(value, types.MethodType):
        return types.MethodType(value.__func__, _copied(value.__self__))
    if isinstance(value, types.FunctionType):
        return _copied_function(value)
    if isinstance(value, functools.partial):
        keywords = {k: _copied(v) for k, v in value.keywords.items()}
        return functools.partial(_copied(value.func), *map(_copied, value.args), **keywords)
    if hasattr(value, "cache_parameters") and hasattr(value, "__wrapped__"):
        return functools.lru_cache(**value.cache_parameters())(_copied(value.__wrapped__))
    if isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType)):
        return value
    return _with_class_containers(copy.deepcopy(value))


def _copied_function(function: types.FunctionType) -> types.FunctionType:
    cells, refers_to_itself = [], []
    for cell in function.__closure__ or ():
        try:
            inside = cell.cell_contents
        except ValueError:  # nothing in it yet
            inside = None
        refers_to_itself.append(inside is function)
        cells.append(types.CellType(None if inside is function else _copied(inside)))
    again = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        copy.deepcopy(function.__defaults__),
        tuple(cells) if function.__closure__ else None,
    )
    for cell, own in zip(cells, refers_to_itself, strict=True):
        if own:
            cell.cell_contents = again
    again.__kwdefaults__ = copy.deepcopy(function.__kwdefaults__)
    again.__dict__.update(copy.deepcopy(function.__dict__))
    again.__module__, again.__qualname__ = function.__module__, function.__qualname__
    return again


def _with_class_containers(value: Any) -> Any:
    """The same object in a subclass that has copies of the containers of its class."""
    kept = {
        name: copy.deepcopy(held)
        for owner in reversed(type(value).__mro__)
        if owner.__module__ not in ("builtins", "torch.nn.modules.module")
        for name, held in vars(owner).items()
        if not name.startswith("__") and isinstance(held, (dict, list, set))
    }
    if kept and hasattr(value, "__dict__"):
        value.__class__ = type(type(value).__name__, (type(value),), kept)
    return value


def _module(name: str) -> Any:
    if name.endswith(".py"):
        return _file(Path(name))
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if missing.partition(".")[0] == name.partition(".")[0]:
            raise AuditError(
                f"module {name!r}: not found; expected a module that can be imported from "
                f"{here}, or a path ending in .py"
            ) from None
        raise AuditError(f"module {name!r}: it imports {missing!r}, which is not found") from None
    except (Exception, SystemExit) as error:  # the module is not ours: anything may come
        raise _failed(name, error) from None


def _file(path: Path) -> Any:
    if not path.is_file():
        raise AuditError(f"{path}: no such file")
    name = f"audited_{path.stem}"
    specification = importlib.util.spec_from_file_location(name, path)
    if specification is None or specification.loader is None:
        raise AuditError(f"{path}: expected a Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        specification.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # the file is not ours: anything may come
        raise _failed(str(path), error) from None
    return module


def _failed(name: str, error: BaseException) -> AuditError:
    return AuditError(f"module {name!r}: importing it raised {described(error)}")


def _attribute(module: Any, module_name: str, attribute: str) -> Any:
    try:
        return _walk(module, attribute)
    except AttributeError:
        public = sorted(n for n, v in vars(module).items() if callable(v) and not n.startswith("_"))
        listed = f" (it has {', '.join(public[:12])})" if public else ""
        raise AuditError(f"module {module_name!r} has no attribute {attribute!r}{listed}") from None


def _walk(value: Any, attribute: str) -> Any:
    for part in attribute.split("."):
        value = getattr(value, part)
    return value


def _instance(value: Any, text: str) -> Any:
    if isinstance(value, type):
        try:
            value = value()
        except (Exception, SystemExit) as error:  # the class is not ours: anything may come
            raise AuditError(
                f"{text}: making one with no arguments raised {described(error)}; "
                "name a function or an instance, or write an adapter"
            ) from None
    if not callable(value):
        raise AuditError(f"{text}: expected a callable, got {type(value).__name__}")
    return value


def _executed_anew(name: str) -> Any:
    """The module executed once more, beside the one in use."""
    known = sys.modules[name]
    specification = importlib.util.spec_from_file_location(
        name, str(known.__file__), submodule_search_locations=getattr(known, "__path__", None)
    )
    assert specification is not None
    assert specification.loader is not None
    again = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(again)
    return again
