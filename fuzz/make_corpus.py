#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the binary seeds of corpus/: valid files (good_*) and files with one defect each. The text seeds are written
by hand, and safetensors/good_python by save_file() of Python's package safetensors 0.8.0."""
import gzip
import json
import pathlib
import struct
import zlib

CORPUS = pathlib.Path(__file__).parent / "corpus"


def idx(extents):
    """Unsigned bytes: one big-endian extent per dimension, then the values."""
    size = 1
    for extent in extents:
        size *= extent
    return struct.pack(f">HBB{len(extents)}I", 0, 8, len(extents), *extents) + bytes(i % 10 for i in range(size))


def safetensors(header, values, padding=b""):
    """Header length, header (JSON or bytes), values."""
    header = (header if isinstance(header, bytes) else json.dumps(header).encode()) + padding
    return struct.pack("<Q", len(header)) + header + values


def tensor(begin, end, shape, dtype="F32"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def png(width, height, rows, depth=8, colour=0, interlaced=0, extra=()):
    """Chunks of type, data and checksum; each row is a filter byte and pixels."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    chunks = [(b"IHDR", header), *extra, (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks)


def checkpoint(tensors, values, **changed):
    """A checkpoint in the format of include/ridgepoint/graph/checkpoint.hpp."""
    metadata = {"format": "ridgepoint", "optimiser": "adam", "step": "1234", "learning_rate": "0.001", "batch": "128",
                "seed": "42"} | changed
    return safetensors({"__metadata__": metadata} | tensors, values)


IMAGES, LABELS = idx((4, 3, 2)), idx((4,))
SEEDS = {
    "checkpoint/good_f32": checkpoint({"dense_1.w": tensor(0, 24, [3, 2]), "dense_1.b": tensor(24, 32, [2])}, bytes(32)),
    "checkpoint/good_f64": checkpoint({"w": tensor(0, 64, [2, 2, 2], "F64")}, bytes(64), optimiser="sgd"),
    "checkpoint/good_empty": checkpoint({}, b""),
    "checkpoint/infinity": checkpoint({"w": tensor(0, 4, [1])}, b"\0\0\x80\x7f"),
    "checkpoint/without_step": safetensors({"w": tensor(0, 4, [1])}, bytes(4)),
    "checkpoint/negative_step": checkpoint({}, b"", step="-1"),
    "cifar/good_10": b"\x09" + bytes(range(256)) * 12,
    "cifar/good_100": b"\x13\x63" + bytes(range(256)) * 12,
    "cifar/no_class": b"\x0a" + b"p" * 3072,
    "cifar/cut_off": b"\x00" + b"p" * 3071,
    "safetensors/good_two": safetensors({"b": tensor(16, 24, [1], "F64"), "w": tensor(0, 16, [2, 2])}, b"w" * 24, b"   "),
    "safetensors/good_empty": safetensors({"__metadata__": {"by": "nobody"}}, b""),
    "safetensors/gap": safetensors({"b": tensor(12, 16, [1]), "w": tensor(0, 8, [2])}, b"w" * 16),
    "safetensors/overlap": safetensors({"b": tensor(4, 12, [2]), "w": tensor(0, 8, [2])}, b"w" * 12),
    "safetensors/tail": safetensors({"w": tensor(0, 8, [2])}, b"w" * 9),
    "safetensors/name_twice": safetensors(b'{"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},'
                                          b'"w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}', b""),
    "safetensors/product_beyond_64_bits": safetensors({"w": tensor(0, 8, [1 << 32, 1 << 32])}, b"w" * 8),
    "safetensors/escapes": safetensors(b'{"\\u00e4\\ud83d\\ude00\\n":{"shape":[],"data_offsets":[0,1],"dtype":"I8"}}', b"w"),
    "safetensors/deep": safetensors(b"[" * 1000, b""),
    "safetensors/header_beyond_the_end": struct.pack("<Q", 1 << 40) + b"{}",
    "png/good_grey": png(8, 8, b"".join(bytes([y % 5]) + bytes(range(y, y + 8)) for y in range(8))),
    "png/good_colours": png(3, 2, b"\0" + bytes(range(9)) + b"\1" + bytes(9), colour=2),
    "png/good_interlaced": png(3, 2, b"\0\1\0\3\0\2\0\4\5\6", interlaced=1),
    "png/good_texts": png(1, 1, b"\0\7", extra=[(b"tEXt", b"Title\0mouse"), (b"gAMA", struct.pack(">I", 45455))]),
    "png/cut_off": png(8, 8, bytes(72))[:-20],
    "png/too_few_rows": png(8, 8, bytes(63)),
    "png/sixteen_bits": png(1, 1, bytes(3), depth=16),
    "png/palette": png(1, 1, bytes(2), colour=3, extra=[(b"PLTE", b"abc")]),
    "png/more_promised_than_there": png(1 << 20, 1 << 20, bytes(9)),
    "text/good_words": "The plot isn't good, but great!<br /><br />Été à la plage; ΑΒΓ, ЖУК.\r\n".encode(),
    "text/good_all_lengths": "aé日😀\0".encode(),
    "text/good_byte_order_mark": b"\xef\xbb\xbfMark",
    "text/empty": b"",
    "text/latin_1": "Stra\u00dfe".encode("latin-1"),
    "text/cut_off": "日本".encode()[:-1],
    "text/longer_than_need_be": b"a\xc0\xafb\xe0\x80\xaf",
    "text/surrogates": b"\xed\xa0\xbd\xed\xb8\x80",
    "text/beyond_unicode": b"\xf4\x90\x80\x80",
    "text/utf_16": "text".encode("utf-16"),
    "idx/good_images": IMAGES,
    "idx/good_labels": LABELS,
    "idx/good_images_gzip": gzip.compress(IMAGES, mtime=0),
    "idx/cut_off_gzip": gzip.compress(LABELS, mtime=0)[:-9],
    "idx/more_promised_than_there": IMAGES[:7] + b"\xff" + IMAGES[8:],
    "idx/little_endian": struct.pack("<II", 0x803, 4),
}

for name, content in SEEDS.items():
    (CORPUS / name).write_bytes(content)
