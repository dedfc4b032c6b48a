"""Compiled loops over a partition of a basis, whose columns are in several arrays: they are passed as addresses.

Four columns and four vectors are read at once, so that a number is converted to double precision and read from the
cache a quarter as often; callers repeat columns, with coefficients 0, until their number is a multiple of four. A
short tile stays in the cache meanwhile. Sums over rows are formed in double precision, tile after tile, so that
results do not depend on where a partition is processed. This module imports numba.
"""

from __future__ import annotations

from lpgraph._compiled import compiled
from lpgraph.scale.addresses import column

__all__ = ["combine", "measure", "write_rows"]


def _measure_loop(where, like, vectors, known, first, tile, result, along, mutual):  # type: ignore[no-untyped-def]  # numba infers the types
    """Subtract columns times what is known from the vectors, and add up scalar products of the rest."""
    n, width, short = vectors.shape[1], len(vectors), tile.shape[1]
    for begin in range(0, n, short):
        length = min(short, n - begin)
        for v in range(width):
            x = tile[v]
            for i in range(length):
                x[i] = vectors[v, begin + i]
        for j in range(first, len(where), 4):
            p, q = column(where, j, like, begin, length), column(where, j + 1, like, begin, length)
            r, s = column(where, j + 2, like, begin, length), column(where, j + 3, like, begin, length)
            for v in range(width):
                x = tile[v]
                a, b, c, d = known[j, v], known[j + 1, v], known[j + 2, v], known[j + 3, v]
                for i in range(length):
                    x[i] -= (a * p[i] + b * q[i]) + (c * r[i] + d * s[i])
        for v in range(0, len(tile), 4):
            x, y, z, u = tile[v], tile[v + 1], tile[v + 2], tile[v + 3]
            for j in range(0, len(where), 4):
                p, q = column(where, j, like, begin, length), column(where, j + 1, like, begin, length)
                r, s = column(where, j + 2, like, begin, length), column(where, j + 3, like, begin, length)
                px = qx = rx = sx = py = qy = ry = sy = pz = qz = rz = sz = pu = qu = ru = su = 0.0
                for i in range(length):
                    a, b, c, d = x[i], y[i], z[i], u[i]
                    px += p[i] * a
                    qx += q[i] * a
                    rx += r[i] * a
                    sx += s[i] * a
                    py += p[i] * b
                    qy += q[i] * b
                    ry += r[i] * b
                    sy += s[i] * b
                    pz += p[i] * c
                    qz += q[i] * c
                    rz += r[i] * c
                    sz += s[i] * c
                    pu += p[i] * d
                    qu += q[i] * d
                    ru += r[i] * d
                    su += s[i] * d
                for k, e, f, g, h in (
                    (0, px, py, pz, pu),
                    (1, qx, qy, qz, qu),
                    (2, rx, ry, rz, ru),
                    (3, sx, sy, sz, su),
                ):
                    along[j + k, v] += e
                    along[j + k, v + 1] += f
                    along[j + k, v + 2] += g
                    along[j + k, v + 3] += h
        for v in range(width):
            x = tile[v]
            for w in range(v + 1):
                y = tile[w]
                a = 0.0
                for i in range(length):
                    a += x[i] * y[i]
                mutual[v, w] += a
        if len(result):
            for v in range(width):
                x = tile[v]
                for i in range(length):
                    result[v, begin + i] = x[i]


def _combine_loop(where, like, factors, others, of_others, tile, into):  # type: ignore[no-untyped-def]  # numba infers the types
    """Write combinations of the columns, and of others: the rows of `factors` and of `of_others`."""
    n, width, short = into.shape[1], len(into), tile.shape[1]
    for begin in range(0, n, short):
        length = min(short, n - begin)
        for v in range(0, width, 4):
            x, y, z, u = tile[0], tile[1], tile[2], tile[3]
            for i in range(length):
                x[i] = y[i] = z[i] = u[i] = 0.0
            for j in range(0, len(where), 4):
                p, q = column(where, j, like, begin, length), column(where, j + 1, like, begin, length)
                r, s = column(where, j + 2, like, begin, length), column(where, j + 3, like, begin, length)
                e, f, g, h = factors[v], factors[v + 1], factors[v + 2], factors[v + 3]
                px, qx, rx, sx = e[j], e[j + 1], e[j + 2], e[j + 3]
                py, qy, ry, sy = f[j], f[j + 1], f[j + 2], f[j + 3]
                pz, qz, rz, sz = g[j], g[j + 1], g[j + 2], g[j + 3]
                pu, qu, ru, su = h[j], h[j + 1], h[j + 2], h[j + 3]
                for i in range(length):
                    a, b, c, d = p[i], q[i], r[i], s[i]
                    x[i] += (px * a + qx * b) + (rx * c + sx * d)
                    y[i] += (py * a + qy * b) + (ry * c + sy * d)
                    z[i] += (pz * a + qz * b) + (rz * c + sz * d)
                    u[i] += (pu * a + qu * b) + (ru * c + su * d)
            for j in range(len(others)):
                t = others[j]
                for k in range(4):
                    x, a = tile[k], of_others[v + k, j]
                    for i in range(length):
                        x[i] += a * t[begin + i]
            for k in range(min(4, width - v)):
                x = tile[k]
                for i in range(length):
                    into[v + k, begin + i] = x[i]


@compiled
def write_rows(columns, scale, into):  # type: ignore[no-untyped-def]  # numba infers the types
    """Write columns row by row, multiplied by factors of the rows if there are any."""
    width, scaled = len(columns), len(scale) > 0
    for i in range(columns.shape[1]):
        for k in range(width):
            into[i * width + k] = columns[k, i] * scale[i] if scaled else columns[k, i]


measure = compiled(_measure_loop, reassociate=True)
combine = compiled(_combine_loop, reassociate=True)
