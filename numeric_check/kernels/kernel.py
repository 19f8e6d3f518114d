"""An emitted text, read, checked and made callable with NumPy arrays whatever its target."""

from __future__ import annotations

import ast
import hashlib
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from tokenize import detect_encoding
from types import CodeType, MappingProxyType
from typing import Any, Protocol

import ml_dtypes
import numpy as np
import numpy.typing as npt

from numeric_check.kernels.allow_list import check_text, restricted_builtins
from numeric_check.kernels.backend import Backend, backend_for
from numeric_check.kernels.time_limit import time_limit
from numeric_check.kernels.vocabulary import LIBRARIES, LIBRARY_OF
from numeric_check.kernels.words import knows_words, meaning_of_words
from symbolic_pe.errors import KernelError

AnyArray = npt.NDArray[Any]

DTYPE_OF: Mapping[str, np.dtype[Any]] = MappingProxyType(
    {
        "float64": np.dtype(np.float64),
        "float32": np.dtype(np.float32),
        "bfloat16": np.dtype(ml_dtypes.bfloat16),
        "float16": np.dtype(np.float16),
    }
)
REQUIRED = ("DIMENSION", "HEADS", "transform_query", "transform_key", "operator")
TABLES = "Tables"
"""Ends the name of a class that returns `cos_sin`."""
IMPORT_SECONDS = 10.0
"""How long the text may take to compute its constants."""
_HEADER_LINE = re.compile(r"#\s*([A-Za-z][A-Za-z0-9 _-]*?)\s*:\s*(.*)")


class EmittedText(Protocol):
    """What `symbolic_pe.emit` returns: at least a text and the name of its target."""

    @property
    def text(self) -> str:
        """The whole file."""
        ...

    @property
    def target(self) -> str:
        """`numpy`, `torch`, …"""
        ...


@dataclass(frozen=True)
class Kernel:
    """A compiled kernel; every method takes and returns NumPy arrays.

    target     `numpy`, `torch` or `array-api`
    library    whose arrays the kernel is given: `numpy` or `torch`
    header     the `# key: value` lines
    dimension  channels per head, heads: number of distinct heads, as the text states them
    module     the name under which a reproduction imports the file
    """

    target: str
    library: str
    header: Mapping[str, str]
    text: str = field(repr=False)
    dimension: int
    heads: int
    module: str
    _code: CodeType = field(repr=False, compare=False)
    _namespace: dict[str, Any] = field(repr=False, compare=False)
    _backend: Backend = field(repr=False, compare=False)

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The dtypes that its arrays can have: NumPy's array API does not know those of others."""
        borrowed = {"bfloat16"} if (self.target, self.library) == ("array-api", "numpy") else set()
        return tuple(name for name in DTYPE_OF if name not in borrowed)

    def has(self, name: str) -> bool:
        """Whether the file offers this function."""
        return callable(self._namespace.get(name))

    def raw(self, name: str) -> Any:
        """What the text binds to a name, as its library sees it; `KernelError` if nothing."""
        try:
            return self._namespace[name]
        except KeyError:
            raise KernelError(f"the text defines no {name}") from None

    def has_number(self, name: str) -> bool:
        """Whether the file states this number."""
        return isinstance(self._namespace.get(name), (int, float))

    def constants(self) -> Mapping[str, Any]:
        """The arrays that the text keeps."""
        found = self._namespace.items()
        return {n: v for n, v in found if isinstance(getattr(v, "shape", None), tuple)}

    def evaluate(self, expression: ast.expr) -> Any:
        """The value of an expression of this text, which `compile_kernel` has checked.

        Raises `KernelError` when it has none.
        """
        names = dict(self._namespace)
        kept = ast.Assign([ast.Name("value of the expression", ast.Store())], expression)
        tree = ast.fix_missing_locations(ast.Module([kept], []))
        try:
            exec(compile(tree, f"<{self.module}>", "exec"), names)
            return names["value of the expression"]
        except Exception as error:
            raise KernelError(f"the expression raised {describe(error)}") from None

    def bring(self, array: AnyArray) -> Any:
        """A NumPy array as one of the library's."""
        return self._backend.bring(array)

    def fetch(self, value: Any) -> AnyArray:
        """The opposite way. Raises `KernelError` for what is not an array."""
        return self._backend.fetch(value)

    def fresh(self) -> Kernel:
        """The same text executed anew: shares no state with this kernel."""
        return _execute(
            self._code,
            self.text,
            self.target,
            self.header,
            self._backend,
            module=self.module,
            required=REQUIRED[:2],
        )

    def on_library(
        self,
        library: Any,
        lift: Callable[[Any], Any],
        functions: Mapping[str, Any] = MappingProxyType({}),
    ) -> dict[str, Any]:
        """The names of a fresh execution, with the array library replaced afterwards.

        Constants are computed by the real library first, so they are the numbers the text means;
        `lift` turns those that are arrays into arrays of the replacement, and `functions` stand
        for imported functions of these names. What moves bits is replaced by its meaning (`words`).
        """
        namespace = self.fresh()._namespace
        namespace.update({name: f for name, f in functions.items() if name in namespace})
        for name, value in list(namespace.items()):
            if getattr(value, "__name__", None) in LIBRARIES and not callable(value):
                namespace[name] = library
            elif hasattr(value, "shape") and hasattr(value, "dtype"):
                namespace[name] = lift(value)
        if knows_words(self.text):
            namespace.update(meaning_of_words(namespace, library))
        return namespace

    def transform_query(
        self, x: AnyArray, position: AnyArray, *parameters: float, reference: float = 0.0
    ) -> AnyArray:
        """F(t)x; with reference 0 the default of the text is used."""
        return self._call("transform_query", x, position, *parameters, **_named(reference))

    def transform_key(
        self, x: AnyArray, position: AnyArray, *parameters: float, reference: float = 0.0
    ) -> AnyArray:
        """G(s)x; with reference 0 the default of the text is used."""
        return self._call("transform_key", x, position, *parameters, **_named(reference))

    def turn_into(
        self, x: AnyArray, position: AnyArray, *, reference: float = 0.0, in_place: bool = False
    ) -> AnyArray:
        """What `turn_into` leaves in other memory, or in x, with the table of these positions."""
        given = self._backend.bring(x)
        place = self._backend.bring(position)
        out = given if in_place else self._backend.bring(np.full_like(x, np.nan))

        def call() -> Any:
            table = self._namespace["rotary_table"](place, reference, dtype=given.dtype)
            return self._namespace["turn_into"](out, given, table)

        if self._backend.run(call) is not out:
            raise KernelError("turn_into returns something else than the memory it was given")
        if not in_place:
            self._check_unchanged("turn_into", [x], [given])
        return self._backend.fetch(out)

    def cos_sin(self, position: AnyArray, *, reference: float = 0.0, dtype: str) -> AnyArray:
        """Both tables of `cos_sin`, one after the other on a new first axis."""
        place = self._backend.bring(position)
        given = self._backend.bring(np.zeros((), dtype=DTYPE_OF[dtype]))
        function: Callable[..., Any] = self._namespace["cos_sin"]
        tables = self._backend.run(lambda: function(place, reference, dtype=given.dtype))
        return self._both("cos_sin", tables)

    def tables_module(self, x: AnyArray, position: AnyArray) -> AnyArray:
        """The same from the class that stands in for the `rotary_emb` of a model."""
        given, place = self._backend.bring(x), self._backend.bring(position)
        made: Callable[..., Any] = self._namespace[self.table_classes[0]]
        return self._both(
            self.table_classes[0], self._backend.run(lambda: made()(given, position_ids=place))
        )

    def _both(self, name: str, tables: Any) -> AnyArray:
        if not isinstance(tables, tuple) or len(tables) != 2:
            raise KernelError(f"{name} returns {type(tables).__name__}, expected two arrays")
        return np.stack([self._backend.fetch(table) for table in tables])

    def operator(self, lag: float, *parameters: float) -> AnyArray:
        """A(τ)."""
        given = np.asarray(lag, np.float64) if self.target == "array-api" else lag
        return self._call("operator", given, *parameters)

    def bias(
        self, query_position: AnyArray, key_position: AnyArray, *parameters: float
    ) -> AnyArray:
        """The additive bias, (queries, keys) or (HEADS, queries, keys)."""
        return self._call("bias", query_position, key_position, *parameters)

    def call(self, name: str, *arguments: AnyArray) -> AnyArray:
        """What a function of this name returns for these arrays.

        Raises `KernelError` for what the function raises.
        """
        try:
            return self._call(name, *arguments)
        except KernelError:
            raise
        except Exception as error:
            raise KernelError(f"{name} raised {describe(error)}") from None

    def rotate(self, x: AnyArray, position: AnyArray) -> AnyArray:
        """The map free of decay."""
        return self._call("rotate", x, position)

    def decay(self, query_position: AnyArray, key_position: AnyArray) -> AnyArray:
        """e^{a(t − s)}, (queries, keys) or (HEADS, queries, keys)."""
        return self._call("decay", query_position, key_position)

    def recurrent_step(
        self,
        state: AnyArray,
        query: AnyArray,
        key: AnyArray,
        value: AnyArray,
        lag: AnyArray,
        *parameters: float,
    ) -> tuple[AnyArray, AnyArray]:
        """The output and the state one position further."""
        return self._call_pair("recurrent_step", (state, query, key, value, lag, *parameters), {})

    def chunkwise(
        self,
        query: AnyArray,
        key: AnyArray,
        value: AnyArray,
        position: AnyArray,
        *parameters: float,
        **named: Any,
    ) -> tuple[AnyArray, AnyArray]:
        """The outputs of a sequence and its last state; `state`, `start` and `chunk` by name."""
        return self._call_pair("chunkwise", (query, key, value, position, *parameters), named)

    @property
    def offered(self) -> tuple[str, ...]:
        """Names of the functions and classes that the text defines for its users, in order."""
        return tuple(
            name
            for name, value in self._namespace.items()
            if not name.startswith("_")
            and callable(value)
            and getattr(value, "__module__", None) == self.module
        )

    @property
    def module_classes(self) -> tuple[str, ...]:
        """Names of the classes that the text defines of modules with both maps."""
        return tuple(x for x in self._classes() if x not in self.table_classes)

    @property
    def table_classes(self) -> tuple[str, ...]:
        """Names of the classes of modules that return `cos_sin`."""
        offered = self._classes() if self.has("cos_sin") else ()
        return tuple(x for x in offered if x.endswith(TABLES))

    def _classes(self) -> tuple[str, ...]:
        return tuple(
            name
            for name, value in self._namespace.items()
            if self._backend.is_module_class(value) and value.__module__ == self.module
        )

    def forward(
        self,
        query: AnyArray,
        key: AnyArray,
        position: AnyArray,
        *parameters: float,
        reference: float = 0.0,
    ) -> tuple[AnyArray, AnyArray]:
        """Both maps through the module, which is made anew with these parameters."""
        arguments = (query, key, position)
        given = [self._backend.bring(x) for x in arguments]
        result = self._backend.run(
            lambda: self._make_module(parameters)(*given, **_named(reference))
        )
        if not isinstance(result, tuple) or len(result) != 2:
            raise KernelError(f"forward returns {type(result).__name__}, expected two tensors")
        images = self._backend.fetch(result[0]), self._backend.fetch(result[1])
        self._check_unchanged("forward", arguments, given)
        return images

    def module_parameters(self, *parameters: float) -> tuple[AnyArray, ...]:
        """What the module, made with these parameters, offers to an optimiser."""
        made = self._backend.run(lambda: self._make_module(parameters))
        return tuple(self._backend.fetch(p) for p in made.parameters())

    def score_mod(
        self,
        positions: tuple[AnyArray, AnyArray],
        score: AnyArray,
        places: tuple[AnyArray, AnyArray, AnyArray, AnyArray],
        *parameters: float,
    ) -> AnyArray:
        """make_score_mod(query positions, key positions) at n places, one call for each.

        score is (n,), places are batch, head, query index and key index, each (n,).
        """
        make: Callable[..., Any] = self._namespace["make_score_mod"]
        arguments = (*positions, score, *places)
        given = [self._backend.bring(x) for x in arguments]

        def call() -> list[Any]:
            modify = make(*given[:2], *parameters)
            return [modify(*entries) for entries in zip(*given[2:], strict=True)]

        results = [self._backend.fetch(x) for x in self._backend.run(call)]
        self._check_unchanged("score_mod", arguments, given)
        return np.stack(results)

    def mask_mod(
        self,
        positions: tuple[AnyArray, AnyArray],
        places: tuple[AnyArray, AnyArray, AnyArray, AnyArray],
    ) -> AnyArray:
        """make_mask_mod(query positions, key positions) at n places, one call for each."""
        make: Callable[..., Any] = self._namespace["make_mask_mod"]
        given = [self._backend.bring(x) for x in (*positions, *places)]

        def call() -> list[Any]:
            masked = make(*given[:2])
            return [masked(*entries) for entries in zip(*given[2:], strict=True)]

        return np.stack([self._backend.fetch(x) for x in self._backend.run(call)])

    def body_matches_header(self) -> bool | None:
        """Whether the digest in the header is that of the text below it; None without one."""
        stated = self.header.get("body")
        return None if stated is None else stated == body_digest(self.text)

    def _call(self, name: str, *arguments: Any, **named: float) -> AnyArray:
        function: Callable[..., Any] = self._namespace[name]
        given = [self._backend.bring(x) if isinstance(x, np.ndarray) else x for x in arguments]
        result = self._backend.fetch(self._backend.run(lambda: function(*given, **named)))
        self._check_unchanged(name, arguments, given)
        return result

    def _call_pair(
        self, name: str, arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[AnyArray, AnyArray]:
        """A call that returns two arrays."""
        values = [*arguments, *named.values()]
        given = [self._backend.bring(x) if isinstance(x, np.ndarray) else x for x in values]
        keywords = dict(zip(named, given[len(arguments) :], strict=True))
        function: Callable[..., Any] = self._namespace[name]
        result = self._backend.run(lambda: function(*given[: len(arguments)], **keywords))
        if not isinstance(result, tuple) or len(result) != 2:
            raise KernelError(f"{name} returns {type(result).__name__}, expected two arrays")
        pair = self._backend.fetch(result[0]), self._backend.fetch(result[1])
        self._check_unchanged(name, values, given)
        return pair

    def _make_module(self, parameters: Sequence[float]) -> Any:
        classes = self.module_classes
        if len(classes) != 1:
            found = ", ".join(classes) or "none"
            raise KernelError(f"expected exactly one subclass of nn.Module, the file has {found}")
        return self._namespace[classes[0]](*parameters)

    def _check_unchanged(self, name: str, before: Sequence[Any], after: Sequence[Any]) -> None:
        for x, given in zip(before, after, strict=True):
            if isinstance(x, np.ndarray) and not _same_bits(x, self._backend, given):
                raise KernelError(f"{name} writes into its input")


def compile_kernel(
    kernel: str | EmittedText,
    target: str | None = None,
    *,
    module: str | None = None,
    library: str | None = None,
    required: Sequence[str] = REQUIRED,
) -> Kernel:
    """Read, check and execute the text of a kernel.

    The text is refused with `KernelError` unless it is array arithmetic (see `allow_list`): only
    then is it executed, in a namespace of its own with restricted builtins. The target is taken
    from the argument, the emitted value, or the header. PyTorch is imported for `torch` only, or
    when an `array-api` text is to be run on arrays of the `library` torch (NumPy by default).

    `module` is the name that reproductions import: by default that of the emitted file when it has
    one, else `kernel`. `required` names what the text has to define, two numbers first.
    """
    filename = getattr(kernel, "filename", None)
    if module is None:
        module = filename.removesuffix(".py") if isinstance(filename, str) else "kernel"
    if not module.isidentifier():
        raise KernelError(f"module: expected a name that Python can import, got {module!r}")
    text = kernel if isinstance(kernel, str) else kernel.text
    _refuse_other_encoding(text)
    header = parse_header(text)
    stated = header.get("target") if isinstance(kernel, str) else kernel.target
    target = target or stated
    if target is None:
        known = ", ".join(LIBRARY_OF)
        raise KernelError(f"the text names no target; say which one ({known}) it is for")
    if header.get("target", target) != target:
        raise KernelError(
            f"the header says target {header['target']!r}, but it was to be run as {target!r}"
        )
    if target not in LIBRARY_OF:
        raise KernelError(f"expected a target of {sorted(LIBRARY_OF)}, got {target!r}")
    own = "numpy" if target == "array-api" else target
    if target != "array-api" and library not in (None, own):
        raise KernelError(f"a text for {target} runs on its own library, not on {library}")
    backend = backend_for(library or own)
    tree = check_text(text, LIBRARY_OF[target], backend.library_objects())
    try:
        code = compile(tree, f"<{module}>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise KernelError(f"the text cannot be compiled: {error}") from None
    return _execute(code, text, target, header, backend, module=module, required=required)


def _refuse_other_encoding(text: str) -> None:
    """A line `# coding: …` makes Python read other code than what stands there in UTF-8."""
    try:
        encoding, _ = detect_encoding(io.BytesIO(text.encode()).readline)
    except (SyntaxError, UnicodeError) as error:
        raise KernelError(f"the text is not UTF-8: {error}") from None
    if encoding not in ("utf-8", "utf-8-sig"):
        raise KernelError(
            f"a comment in the first two lines says that the text is in {encoding}: Python would "
            "read other code than what stands here; remove that comment"
        )


def _execute(
    code: CodeType,
    text: str,
    target: str,
    header: Mapping[str, str],
    backend: Backend,
    *,
    module: str,
    required: Sequence[str] = REQUIRED,
) -> Kernel:
    namespace: dict[str, Any] = {
        "__name__": module,
        "__builtins__": restricted_builtins(),
    }
    with time_limit(IMPORT_SECONDS):
        try:
            exec(code, namespace)
        except Exception as error:
            raise KernelError(f"importing the kernel raised {describe(error)}") from None
    missing = [name for name in required if name not in namespace]
    if missing:
        raise KernelError(f"the text defines no {', '.join(missing)}; expected {list(required)}")
    for name in ("DIMENSION", "HEADS"):
        value = namespace[name]
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise KernelError(f"{name}: expected a positive integer, got {value!r}")
    for name in required[2:]:
        if not callable(namespace[name]):
            raise KernelError(f"{name}: expected a function")
    return Kernel(
        target,
        backend.name,
        header,
        text,
        namespace["DIMENSION"],
        namespace["HEADS"],
        module,
        code,
        namespace,
        backend,
    )


def _named(reference: float) -> dict[str, float]:
    return {"reference": reference} if reference else {}


def _same_bits(before: AnyArray, backend: Backend, given: Any) -> bool:
    after = backend.fetch(given)
    if before.shape != after.shape:
        return False
    return bool(np.all((before == after) | (np.isnan(before) & np.isnan(after))))


def describe(error: BaseException) -> str:
    """An exception as one short line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__


def parse_header(text: str) -> Mapping[str, str]:
    """The `# key: value` lines before the first line that is not a comment."""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        if match := _HEADER_LINE.fullmatch(line.strip()):
            fields.setdefault(match.group(1), match.group(2))
    return MappingProxyType(fields)


def body_of(text: str) -> str:
    """The text from the first line that is not a comment."""
    lines = text.splitlines(keepends=True)
    for index, line in enumerate(lines):
        if not line.startswith("#"):
            return "".join(lines[index:])
    return ""


def body_digest(text: str) -> str:
    """`sha256:` and the digest of the body."""
    return "sha256:" + hashlib.sha256(body_of(text).encode("utf-8")).hexdigest()
