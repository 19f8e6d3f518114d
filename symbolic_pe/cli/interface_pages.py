"""Reference pages: every public name of the packages, and the help of every command."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import click

PACKAGES = ("symbolic_pe", "numeric_check", "derivations")
ALIGNED = re.compile(r"\S {2,}\S")


# -- Python -----------------------------------------------------------------------------------


def modules() -> dict[str, tuple[str, ...]]:
    """Modules by the package whose page lists them, in reading order."""
    pages: dict[str, list[str]] = {name: [name] for name in PACKAGES}
    for name in PACKAGES:
        package = importlib.import_module(name)
        for info in pkgutil.walk_packages(package.__path__, f"{name}."):
            if any(part.startswith("_") for part in info.name.split(".")):
                continue
            parts = info.name.split(".")
            page = ".".join(parts[:2]) if info.ispkg or len(parts) > 2 else name
            pages.setdefault(page, []).append(info.name)
    return {page: tuple(listed) for page, listed in pages.items()}


def public_names(module: ModuleType) -> dict[str, Any]:
    """Functions, classes and documented constants that a module defines, in its order."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__ == module.__name__
    }


def python_pages() -> dict[str, str]:
    """One page a package, and an index with what `symbolic_pe` itself offers."""
    pages = {
        f"reference/python/{package}.md": _package_page(package, listed)
        for package, listed in modules().items()
    }
    toctree = "\n".join(f"{package}" for package in modules())
    top = importlib.import_module("symbolic_pe")
    rows = "\n".join(
        f"| {{py:obj}}`{name} <{_home(getattr(top, name), name)}>` | "
        f"{_first_sentence(getattr(top, name))} |"
        for name in top.__all__
    )
    pages["reference/python/index.md"] = (
        "# Python\n\n`import symbolic_pe` gives what most work needs; the pages below list every "
        "public name of every module.\n\n| name | what it is |\n|---|---|\n"
        f"{rows}\n\n```{{toctree}}\n:maxdepth: 1\n\n{toctree}\n```\n"
    )
    return pages


def _home(value: Any, name: str) -> str:
    return f"{value.__module__}.{getattr(value, '__qualname__', name)}"


def _first_sentence(value: Any) -> str:
    paragraph = (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")
    return _plain(paragraph).replace("|", r"\|")


def _package_page(package: str, listed: tuple[str, ...]) -> str:
    parts = [f"# {package}"]
    for name in listed:
        module = importlib.import_module(name)
        if name != package:
            parts.append(f"## {name}")
        parts.append(f"```{{py:module}} {name}\n{_index_option(name)}```")
        parts += _documented(inspect.getdoc(module) or "")
        parts += [_described(key, value) for key, value in public_names(module).items()]
    return "\n\n".join(parts) + "\n"


def _index_option(module: str) -> str:
    """A module that has the name of a function (`symbolic_pe.emit`) leaves it to the function."""
    package, _, name = module.rpartition(".")
    taken = package and inspect.isfunction(public_names(importlib.import_module(package)).get(name))
    return ":no-index:\n" if taken else ""


def _described(name: str, value: Any) -> str:
    """One function or class with its public methods."""
    if inspect.isfunction(value):
        return _directive("function", name, value)
    methods = [
        _directive(kind, f"{name}.{key}", member, fence=5) for key, kind, member in _members(value)
    ]
    return _directive("class", name, value, inner=methods)


def _members(owner: type) -> Iterator[tuple[str, str, Any]]:
    for key, member in vars(owner).items():
        if key.startswith("_"):
            continue
        if isinstance(member, property):
            yield key, "property", member.fget
        elif isinstance(member, (classmethod, staticmethod)):
            yield key, "method", member.__func__
        elif inspect.isfunction(member):
            yield key, "method", member


def signature(value: Any) -> str:
    """Parameters with their types, as the source writes them; defaults that are no literal as …."""
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(value)))
    return re.sub(r"<[^<>]*>", "...", text)


def _directive(
    kind: str, name: str, value: Any, *, fence: int = 6, inner: list[str] | None = None
) -> str:
    """An entry of the index; types stand in a line of their own, where they link to nothing."""
    colons = ":" * fence
    body = _documented(inspect.getdoc(value) or "")
    head = name
    if kind in ("function", "method"):
        names = [p.name for p in inspect.signature(value).parameters.values()]
        head += f"({', '.join(n for n in names if n not in ('self', 'cls'))})"
        body.insert(0, f"```python\n{value.__name__}{signature(value)}\n```")
    return "\n".join(
        [f"{colons}{{py:{kind}}} {head}", "\n\n".join([*body, *(inner or [])]), colons]
    )


def _documented(text: str) -> list[str]:
    """A docstring as Markdown: sessions and aligned lines stay as they are, the rest is prose."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if not paragraph.strip():
            continue
        lines = paragraph.splitlines()
        if lines[0].lstrip().startswith(">>>"):
            parts.append(f"```pycon\n{inspect.cleandoc(paragraph)}\n```")
        elif any(ALIGNED.search(line) or line.startswith("    ") for line in lines):
            parts.append(f"```text\n{paragraph}\n```")
        else:
            parts.append(_plain(paragraph))
    return parts


def _plain(text: str) -> str:
    """Prose in which only code spans mean anything."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(
        piece if piece.startswith("`") else re.sub(r"([*_<>\[\]{}$#\\|^~])", r"\\\1", piece)
        for piece in pieces
    )


# -- commands ---------------------------------------------------------------------------------


def command_page(group: click.Group) -> str:
    """The help of the program and of every command, as they print it."""
    parts = ["# Commands", "What `symbolic-pe COMMAND --help` prints."]
    context = click.Context(group, info_name="symbolic-pe", terminal_width=96, max_content_width=96)
    parts += _command(group, context, "symbolic-pe")
    return "\n\n".join(parts) + "\n"


def _command(command: click.Command, context: click.Context, title: str) -> Iterator[str]:
    yield f"## {title}"
    yield f"```text\n{command.get_help(context)}\n```"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None and not child.hidden:
                inner = click.Context(
                    child, info_name=name, parent=context, terminal_width=96, max_content_width=96
                )
                yield from _command(child, inner, name)
