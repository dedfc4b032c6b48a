"""Machine code of compiled loops: made by numba once, kept in a file, loaded without numba.

To import numba, make its compiler ready and look up what it keeps costs some 0.4 seconds in every process. LLVM,
which comes with it (llvmlite), takes an object file back in a few hundredths. So a loop's machine code is kept as
an object file, and numba is needed only to make it: the first time on a machine, or when the loop, LLVM or the
processor is another one.

What is loaded must need nothing else. Before it is kept, the loop is freed of the wrapper by which numba reports
errors, and is refused if it still calls anything but the C library: a loop that can raise, allocate or call
Python. Neighbouring sums of a loop are put into one vector register besides, which numba itself leaves out.

Each file begins with digests of the loop's source and of the machine code; where they do not agree with what is
found it is made anew.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import tempfile
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["FREE", "NotFreeStandingError", "load", "supported"]

#: What LLVM makes of loops that copy or fill; in every process's C library.
_LIBRARY = {"memcpy", "memmove", "memset"}

_DIGEST = 32

#: The liberties that sums in another order take.
FREE = {"reassoc", "contract", "nsz"}


class NotFreeStandingError(Exception):
    """The loop calls something that is not there without numba."""


def supported() -> bool:
    """Whether machine code is kept and loaded here: where it was tried. Elsewhere numba does it itself."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def load(
    function: Callable[..., None],
    signature: tuple[str, ...],
    *,
    reassociate: bool,
    prepare: Callable[[], None] | None = None,
) -> Callable[..., None]:
    """Return a loop as a function of addresses, lengths and numbers, which releases the interpreter's lock.

    Parameters
    ----------
    function : callable
        Plain loops: arrays and numbers in, results into arrays.
    signature : tuple of str
        One word for each argument: ``float64`` or ``int64`` for a number, ``float64[2]`` for a contiguous array of
        two dimensions, ``float64*3`` for a tuple of three numbers. An array is passed as its address and its
        lengths, a tuple as its numbers.
    reassociate : bool
        Whether sums may be taken in another order, as vector registers need it.
    prepare : callable, optional
        Called before the machine code is made, if it is.

    Raises
    ------
    NotFreeStandingError
        If the loop raises, allocates or calls what is not in the C library.
    """
    source = _digest(Path(function.__code__.co_filename).read_bytes())
    name = _file_name(function, signature, reassociate)
    code = next((code for folder in _folders(function) if (code := _kept(folder / name, source))), None)
    if code is None:
        if prepare is not None:
            prepare()
        code = _made(function, signature, reassociate)
        _keep(function, name, source + _digest(code) + code)
    return _linked(code, signature)


# --- files ------------------------------------------------------------------------------------------------------


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _file_name(function: Callable[..., None], signature: tuple[str, ...], reassociate: bool) -> str:
    import llvmlite

    kind = repr((signature, reassociate, llvmlite.__version__, *_processor()))
    return f"{function.__module__}.{function.__name__}-{_digest(kind.encode()).hex()[:16]}.o"


def _folders(function: Callable[..., None]) -> Iterator[Path]:
    """Give the folders that may hold machine code: beside the source's byte code, and the user's cache."""
    with suppress(NotImplementedError):  # an interpreter without byte code in files
        yield Path(cache_from_source(function.__code__.co_filename)).parent
    with suppress(RuntimeError):  # a user without a home
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lpgraph" / "machine"


def _kept(path: Path, source: bytes) -> bytes | None:
    """Return the machine code in a file, or None if it is absent, of another source, or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    head, code = content[: 2 * _DIGEST], content[2 * _DIGEST :]
    return code if head == source + _digest(code) else None


def _keep(function: Callable[..., None], name: str, content: bytes) -> None:
    """Write a file into the first folder that can be written, whole or not at all."""
    for folder in _folders(function):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            handle, part = tempfile.mkstemp(dir=folder, prefix=name)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                os.replace(part, folder / name)
            except BaseException:
                os.unlink(part)
                raise
        except OSError:
            continue
        return


# --- LLVM -------------------------------------------------------------------------------------------------------


@cache
def _processor() -> tuple[str, str, str]:
    """Return LLVM's names of this processor and what it can do, LLVM made ready."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _target() -> Any:
    """Return a new compiler for this processor: whoever links with it takes it over."""
    import llvmlite.binding as llvm

    triple, cpu, features = _processor()
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(cpu=cpu, features=features, opt=3, codemodel="jitdefault", jit=True)


def _made(function: Callable[..., None], signature: tuple[str, ...], reassociate: bool) -> bytes:
    """Compile a loop to an object file of one function, `entry`."""
    import llvmlite.binding as llvm
    import numba

    options: dict[str, Any] = {"error_model": "numpy"}
    if reassociate:
        options["fastmath"] = FREE
    entry = numba.cfunc(_c_types(signature), **options)(
        _with_addresses(numba.njit(**options)(function), signature)
    )
    machine = _target()
    module = llvm.parse_assembly(entry.inspect_llvm())
    for part in (*module.functions, *module.global_variables):
        if not part.is_declaration and part.name != entry.native_name:
            part.linkage = "internal"
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = True
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)
    foreign = {
        part.name
        for part in (*module.functions, *module.global_variables)
        if part.is_declaration and not part.name.startswith("llvm.")
    } - _LIBRARY
    if foreign:
        raise NotFreeStandingError(f"{function.__qualname__}{signature} calls {', '.join(sorted(foreign))}")
    module.get_function(entry.native_name).name = "entry"
    return bytes(machine.emit_object(module))


def _parsed(word: str) -> tuple[str, int, int]:
    """Return a word's type, the dimensions of an array or 0, and the length of a tuple or 0."""
    kind, _, rank = word.rstrip("]").partition("[")
    kind, _, count = kind.partition("*")
    return kind, int(rank or 0), int(count or 0)


def _c_types(signature: tuple[str, ...]) -> Any:
    """Return numba's signature of the function of addresses, lengths and numbers."""
    from numba import types

    flat: list[Any] = []
    for kind, rank, count in map(_parsed, signature):
        number = getattr(types, kind)
        if rank:
            flat += [types.CPointer(number), *[types.intp] * rank]  # type: ignore[no-untyped-call]
        else:
            flat += [number] * (count or 1)
    return types.void(*flat)


def _with_addresses(function: Any, signature: tuple[str, ...]) -> Any:
    """Return the function of addresses, lengths and numbers; written out: numba takes no ``*arguments``."""
    from numba import carray  # type: ignore[attr-defined]

    names, values = [], []
    for i, (_, rank, count) in enumerate(map(_parsed, signature)):
        if rank:
            lengths = [f"n{i}_{axis}" for axis in range(rank)]
            names += [f"p{i}", *lengths]
            values.append(f"carray(p{i}, ({', '.join(lengths)},))")
        elif count:
            numbers = [f"x{i}_{k}" for k in range(count)]
            names += numbers
            values.append(f"({', '.join(numbers)},)")
        else:
            names.append(f"x{i}")
            values.append(f"x{i}")
    scope = {"carray": carray, "function": function}
    exec(f"def entry({', '.join(names)}):\n    function({', '.join(values)})", scope)
    return scope["entry"]


def _linked(code: bytes, signature: tuple[str, ...]) -> Callable[..., None]:
    """Return the function in an object file, ready to be called."""
    import ctypes

    import llvmlite.binding as llvm

    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    of_numbers = {"float64": ctypes.c_double, "int64": ctypes.c_int64}
    flat: list[Any] = []
    for kind, rank, count in map(_parsed, signature):
        flat += [ctypes.c_void_p, *[ctypes.c_ssize_t] * rank] if rank else [of_numbers[kind]] * (count or 1)
    call = ctypes.CFUNCTYPE(None, *flat)(engine.get_function_address("entry"))
    call.engine = engine  # type: ignore[attr-defined]  # the code lives as long as its function
    return call
