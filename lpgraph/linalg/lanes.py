"""Vector registers in compiled loops: several sums that grow together, in double precision.

LLVM's loop vectoriser does not use vector registers for sums of gathered rows, and numba does not run the pass
that would. These functions, for compiled loops only, state the vector operations. This module imports numba.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llvmlite import ir  # type: ignore[import-untyped]  # numba's own dependency, without types
from numba.core import types
from numba.extending import intrinsic, models, register_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numba.core.base import BaseContext


class Lanes(types.Type):
    """numba's type of `count` sums."""

    def __init__(self, count: int) -> None:
        super().__init__(name=f"Lanes({count})")
        # Registers have 2, 4 or 8 lanes; LLVM would split other numbers of lanes into single numbers.
        self.widths = [8] * (count // 8) + [width for width in (4, 2, 1) if count & width]


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: object, kind: Lanes) -> None:
        parts = [ir.VectorType(ir.DoubleType(), width) for width in kind.widths]
        super().__init__(manager, kind, ir.LiteralStructType(parts))


def _pointers(
    context: BaseContext, builder: ir.IRBuilder, sums: Lanes, array: types.Array, given: ir.Value, place: ir.Value
) -> Iterator[tuple[int, ir.Value]]:
    """Yield the number of each part of the sums, and a pointer to its place in an array."""
    data, number = context.make_array(array)(context, builder, given).data, context.get_data_type(array.dtype)
    for part, width in enumerate(sums.widths):
        address = builder.gep(data, [builder.add(place, place.type(sum(sums.widths[:part])))])
        yield part, builder.bitcast(address, ir.VectorType(number, width).as_pointer())


@intrinsic
def lanes(typing, zeros):  # type: ignore[no-untyped-def]  # numba calls it with types
    """Return as many zeros as there are in a tuple."""

    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # LLVM's values
        return ir.Constant(context.get_value_type(signature.return_type), None)

    return Lanes(len(zeros))(zeros), code


@intrinsic
def add_multiple(typing, sums, factor, array, place):  # type: ignore[no-untyped-def]  # numba calls it with types
    """Return ``sums + factor * array[place : place + count]``."""

    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # LLVM's values
        result, number, given, first = arguments
        for part, pointer in _pointers(context, builder, sums, array, given, first):
            total = builder.extract_value(result, part)
            values = builder.load(pointer, align=array.dtype.bitwidth // 8)
            if values.type != total.type:
                values = builder.fpext(values, total.type)
            one = builder.insert_element(ir.Constant(total.type, ir.Undefined), number, ir.IntType(32)(0))
            places = ir.Constant(ir.VectorType(ir.IntType(32), total.type.count), None)
            grown = builder.fadd(total, builder.fmul(builder.shuffle_vector(one, one, places), values))
            result = builder.insert_value(result, grown, part)
        return result

    return sums(sums, types.float64, array, types.uint64), code


@intrinsic
def add_to(typing, sums, array, place):  # type: ignore[no-untyped-def]  # numba calls it with types
    """Add the sums to ``array[place : place + count]``, an array in double precision."""

    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # LLVM's values
        for part, pointer in _pointers(context, builder, sums, array, *arguments[1:]):
            total = builder.fadd(builder.load(pointer, align=8), builder.extract_value(arguments[0], part))
            builder.store(total, pointer, align=8)
        return context.get_dummy_value()

    return types.none(sums, array, types.uint64), code


@intrinsic
def lane(typing, sums, k):  # type: ignore[no-untyped-def]  # numba calls it with types
    """Return a sum of the first register."""

    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # LLVM's values
        return builder.extract_element(builder.extract_value(arguments[0], 0), arguments[1])

    return types.float64(sums, types.uint64), code
