"""Loops compiled when first called; the interpreter's lock is released, so that threads run them side by side.

numba is imported when a loop's machine code has to be made, never by importing this file. Where numba is not
installed `available` is false and callers take the road of numpy and scipy, which gives the same to rounding.
"""

from __future__ import annotations

import importlib.util
import logging
import os
from functools import cache, cached_property, partial, update_wrapper
from operator import index
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph import _machine
from lpgraph._threads import in_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["available", "compiled"]

_MAKING = Lock()

_log = logging.getLogger("lpgraph.compiled")

#: numba's names of what an array may hold, by numpy's characters.
_NAMES = {char: np.dtype(char).name for char in "bBhHiIlLqQfd"}


@cache
def available() -> bool:
    """Whether numba is there; ``LPGRAPH_COMPILED=0`` in the environment does without it."""
    return os.environ.get("LPGRAPH_COMPILED") != "0" and importlib.util.find_spec("numba") is not None


def _plain(argument: Any) -> bool:
    """Whether an argument is no array, or one whose numbers lie as the machine code takes them to lie."""
    if not isinstance(argument, np.ndarray):
        return True
    known = argument.dtype.isnative and argument.dtype.char in _NAMES
    return known and argument.flags.c_contiguous and argument.flags.aligned


class compiled:  # noqa: N801
    """A function of arrays and numbers that returns nothing, compiled when it is first called.

    The machine code is kept beside the source, or in the user's cache directory where that cannot be written;
    where neither can, the function is compiled anew in each process. It is for contiguous arrays; others, as a
    user's may be, are left to numba.

    Parameters
    ----------
    function : callable
        Plain loops, which write into arrays. They must not raise, nor make arrays of their own.
    reassociate : bool
        Whether sums may be taken in another order, as vector instructions need it.
    prepare : callable, optional
        Called before the function is compiled, to import what only its compiling needs.
    """

    def __init__(
        self,
        function: Callable[..., None],
        *,
        reassociate: bool = False,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        update_wrapper(self, function)
        self._function, self._reassociate, self._prepare = function, reassociate, prepare
        self._machine: dict[tuple[str, ...], Callable[..., None] | None] = {}

    def __call__(self, *arguments: Any) -> None:
        """Call the machine code."""
        self._bound(arguments, 0)()

    def over(self, cuts: Sequence[int], *arguments: Any) -> None:
        """Call the machine code in threads, with two more arguments: two neighbouring `cuts`."""
        in_threads(self._bound(arguments, 2), cuts)

    def _bound(self, arguments: tuple[Any, ...], more: int) -> Callable[..., None]:
        """Return the machine code with its first arguments; `more` integers are to come."""
        if not _machine.supported() or not all(map(_plain, arguments)):
            return partial(self._by_numba, *arguments)
        words: list[str] = []
        flat: list[Any] = []
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                words.append(f"{_NAMES[argument.dtype.char]}[{argument.ndim}]")
                flat += [argument.__array_interface__["data"][0], *argument.shape]
            elif isinstance(argument, tuple):
                words.append(f"float64*{len(argument)}")
                flat += argument
            elif isinstance(argument, float | np.floating):
                words.append("float64")
                flat.append(float(argument))
            else:
                words.append("int64")
                flat.append(int(argument) if isinstance(argument, np.bool_) else index(argument))
        signature = (*words, *["int64"] * more)
        if signature not in self._machine:
            with _MAKING:  # two threads may meet here
                if signature not in self._machine:
                    self._machine[signature] = self._load(signature)
        code = self._machine[signature]
        # The addresses are good as long as the arrays are: while the caller has its arguments.
        return partial(self._by_numba, *arguments) if code is None else partial(code, *flat)

    def _load(self, signature: tuple[str, ...]) -> Callable[..., None] | None:
        """Return the machine code for these types, or None where it cannot do without numba."""
        try:
            return _machine.load(self._function, signature, reassociate=self._reassociate, prepare=self._prepare)
        except (_machine.NotFreeStandingError, AttributeError, RuntimeError) as error:
            # Another numba leaves in the code what this one removes, or its LLVM has another interface.
            _log.info("%s is left to numba: %s", self._function.__qualname__, error)
            return None

    @cached_property
    def _by_numba(self) -> Callable[..., None]:
        """The loop as numba compiles, keeps and loads it."""
        import numba

        if self._prepare is not None:
            self._prepare()
        options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
        if self._reassociate:
            options["fastmath"] = _machine.FREE
        try:
            return numba.njit(cache=True, **options)(self._function)  # type: ignore[no-any-return]
        except RuntimeError:  # no directory to keep machine code in
            return numba.njit(**options)(self._function)  # type: ignore[no-any-return]
