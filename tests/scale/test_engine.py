"""Blocks of threads are in memory while there is room, which they give back, and in files after that."""

import numpy as np
import pytest
from scipy import sparse

from lpgraph.scale.engine import LocalEngine
from lpgraph.scale.scratch import kept_memory
from lpgraph.scale.space import Space
from lpgraph.scale.tiled import TiledPieces

N, WIDTH = 300, 4

#: Bytes of a block in double precision.
BLOCK = 8 * N * WIDTH


@pytest.fixture(scope="module")
def matrix():
    half = sparse.random_array((N, N), density=0.05, rng=np.random.default_rng(1))
    return sparse.csr_array(half + half.T)


@pytest.fixture(scope="module")
def tiled(matrix):
    return TiledPieces.of(matrix, [0, 100, 170, N])


def columns_of(engine, block):
    return np.concatenate([engine.columns(block, p) for p in range(len(block.parts))], axis=1)


def test_blocks_are_in_memory_while_there_is_room(tiled, tmp_path, monkeypatch):
    monkeypatch.setenv("LPGRAPH_NUM_THREADS", "1")  # a thread that begins late has the last block a little longer
    space = Space(2 * BLOCK, tmp_path)
    engine = LocalEngine(space)
    blocks = [engine.random(tiled, WIDTH, (k,), np.float64) for k in range(3)]
    assert space._used == 2 * BLOCK
    assert [isinstance(engine.columns(block, 0), np.memmap) for block in blocks] == [False, False, True]
    # The partitions of a block in memory are parts of one array.
    bases = {id(part.base) for part in blocks[0].parts}
    assert len(bases) == 1
    part = blocks[0].parts[1]
    del blocks[0]
    assert space._used == 2 * BLOCK  # a view of it is there
    del part
    assert space._used == BLOCK
    engine.random(tiled, WIDTH, (4,), np.float64)
    del blocks
    assert space._used == 0


def test_a_block_is_the_same_in_memory_and_in_files(tiled, tmp_path):
    found = []
    for size in (1 << 20, 0):
        engine = LocalEngine(Space(size, tmp_path))
        block = engine.random(tiled, WIDTH, (7,), np.float32)
        other = engine.combined([block], np.eye(WIDTH)[:, ::-1], np.float64)
        found.append([columns_of(engine, block), columns_of(engine, other)])
    for first, second in zip(*found, strict=True):
        np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(found[0][0][::-1], found[0][1])


@pytest.mark.parametrize("room", [0, 1 << 20])
def test_an_image_is_there_until_the_next_one(matrix, tiled, tmp_path, room):
    engine = LocalEngine(Space(0, tmp_path), room)
    blocks, images = [engine.random(tiled, WIDTH, (k,), np.float64) for k in range(2)], []
    with kept_memory():
        for block in blocks:
            image, _, mutual = engine.image(tiled, block, [block], np.zeros((WIDTH, WIDTH)), np.float64)
            assert isinstance(engine.columns(image, 0), np.memmap) == (not room)
            columns = columns_of(engine, image)
            np.testing.assert_allclose(columns, (matrix @ columns_of(engine, block).T).T, atol=1e-12)
            np.testing.assert_allclose(mutual, columns @ columns.T, rtol=1e-12)
            doubled = engine.combined(
                [block, image], np.vstack([0 * np.eye(WIDTH), 2 * np.eye(WIDTH)]), np.float64
            )
            np.testing.assert_allclose(columns_of(engine, doubled), 2 * columns)
            images.append(image)
        # In memory the second one takes the place of the first.
        assert np.shares_memory(*(engine.columns(image, 0) for image in images)) == bool(room)
