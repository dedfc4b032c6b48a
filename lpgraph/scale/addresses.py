"""Columns at given addresses, in compiled loops. This module imports numba.

numba compiles a loop anew for each number of arrays. A list of their addresses is one array.
"""

from __future__ import annotations

from numba import carray
from numba.core import types
from numba.extending import intrinsic, register_jitable

__all__ = ["column"]


@intrinsic
def _pointer(typing, address, like):  # type: ignore[no-untyped-def]  # numba calls it with types
    """Return a pointer to numbers of the type of an array's."""

    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # LLVM's values
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    pointer = types.CPointer(like.dtype)  # type: ignore[attr-defined]  # numba's types are not followed
    return pointer(address, like), code


@register_jitable
def column(where, j, like, begin, length):  # type: ignore[no-untyped-def]  # numba infers the types
    """Return some numbers of the array that begins at address ``where[j]``, of the type of those of `like`."""
    return carray(_pointer(where[j], like), begin + length)[begin:]
