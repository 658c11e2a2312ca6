#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the binary seeds of corpus/: whole files (good_*) and one damage each. The text seeds are written by hand."""
import gzip
import pathlib
import struct
import zlib

CORPUS = pathlib.Path(__file__).parent / "corpus"


def text(value):
    return struct.pack("<I", len(value)) + value


def checkpoint(entries, element_bytes=4, version=2, optimiser=b"adam"):
    """As include/ridgepoint/graph/checkpoint.hpp describes it."""
    out = b"RPCHKPT\0" + struct.pack("<IIQdqQ", version, element_bytes, 1234, 1e-3, 128, 42) + text(optimiser)
    out += struct.pack("<I", len(entries))
    for name, extents in entries:
        size = element_bytes
        for extent in extents:
            size *= extent
        out += text(name) + struct.pack(f"<I{len(extents)}q", len(extents), *extents) + b"w" * max(size, 0)
    return out + struct.pack("<I", zlib.crc32(out))


def idx(extents):
    """Unsigned bytes: one big-endian extent per dimension, then the values."""
    size = 1
    for extent in extents:
        size *= extent
    return struct.pack(f">HBB{len(extents)}I", 0, 8, len(extents), *extents) + bytes(i % 10 for i in range(size))


IMAGES, LABELS = idx((4, 3, 2)), idx((4,))
SEEDS = {
    "checkpoint/good_f32": checkpoint([(b"dense_1.w", (3, 2)), (b"dense_1.b", (2,)), (b"none", (0, 5))]),
    "checkpoint/good_f64": checkpoint([(b"w", (2, 2, 2))], element_bytes=8, optimiser=b"sgd"),
    "checkpoint/good_empty": checkpoint([]),
    "checkpoint/version_1": checkpoint([], version=1),
    "checkpoint/without_checksum": checkpoint([(b"w", (3,))])[:-4],
    "checkpoint/negative_extent": checkpoint([(b"w", (-1, 3))]),
    "idx/good_images": IMAGES,
    "idx/good_labels": LABELS,
    "idx/good_images_gzip": gzip.compress(IMAGES, mtime=0),
    "idx/cut_off_gzip": gzip.compress(LABELS, mtime=0)[:-9],
    "idx/more_promised_than_there": IMAGES[:7] + b"\xff" + IMAGES[8:],
    "idx/little_endian": struct.pack("<II", 0x803, 4),
}

for name, content in SEEDS.items():
    (CORPUS / name).write_bytes(content)
