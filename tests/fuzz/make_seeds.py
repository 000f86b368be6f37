"""Writes the seeds that hold bytes no editor writes: make_seeds.py CORPUS_FOLDER."""

import pathlib
import struct
import sys


def npy(major, text, data=b""):
    length = struct.pack("<H" if major == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([major, 0]) + length + text + data


def header(descr, shape, order=b"False"):
    return b"{'descr': " + descr + b", 'fortran_order': " + order + b", 'shape': " + shape + b", }\n"


def frame(payload):
    return b"xpo1" + struct.pack("<I", len(payload)) + payload


NPY = {
    "plain": npy(1, header(b"'<f4'", b"(2, 3)"), bytes(24)),
    "short_data": npy(1, header(b"'<f4'", b"(2, 3)"), bytes(23)),
    "fortran": npy(1, header(b"'>i8'", b"(3,)", b"True"), bytes(24)),
    "scalar": npy(1, header(b"'|b1'", b"()"), b"\1"),
    "version2": npy(2, header(b"'<c16'", b"(1, 0)")),
    "version3": npy(3, header("[('ö', '<U2'), ('日', '|V3')]".encode(), b"(1,)"), bytes(11)),
    "latin1": npy(1, header(b"[('\xf6', '<U2')]", b"(1,)"), bytes(8)),
    "version9": npy(9, header(b"'<f4'", b"()")),
    "fields": npy(1, header(b"[(('t', 'a'), '<i2', (2, 3)), ('b', [('c', '<M8[25ns]')])]", b"(0,)")),
    "subarray": npy(1, header(b"[('a', ('<f8', (2,)), 3)]", b"(1L,)"), bytes(48)),
    "escapes": npy(1, header(b"[(u'a\\'\\x41\\u1234', \"|S0\")]", b"(5,)")),
    "objects": npy(1, header(b"'|O'", b"(1,)"), bytes(8)),
    "overflow": npy(1, header(b"'<f8'", b"(9223372036854775807, 2)")),
    "beyond_int64": npy(1, header(b"'<f8'", b"(99999999999999999999,)")),
    "negative": npy(1, header(b"'<f8'", b"(-1,)")),
    "parentheses": npy(1, header(b"('<f8')", b"((3),)"), bytes(24)),
    "deep": npy(1, b"(" * 40 + b")" * 40),
    "twice": npy(1, b"{'shape': (), 'shape': (), }"),
    "truncated": npy(1, header(b"'<f4'", b"(2, 3)"))[:-9],
    "huge_length": b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}",
}

FRAMES = {
    "one": frame(b'{"id": 1}'),
    "none": b"",
    "empty_payload": frame(b""),
    "three": frame(b"a") + frame(b"") + frame(bytes(range(40))),
    "cut_header": frame(b"first") + frame(b"second")[:6],
    "cut_payload": frame(b"first") + frame(b"second")[:-1],
    "garbage": b"a plugin prints",
    "garbage_between": frame(b"first") + b"xpo" + frame(b"second"),
    "garbage_that_begins_well": frame(b"first") + b"xpo2\x01\x00\x00\x00a",
    "too_long": b"xpo1" + struct.pack("<I", (16 << 20) + 1),
    "longest": b"xpo1" + struct.pack("<I", 16 << 20) + b"waits",
    "frame_in_frame": frame(frame(b"inner")),
}

for target, seeds in (("npy_header", NPY), ("frames", FRAMES)):
    folder = pathlib.Path(sys.argv[1]) / target
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in seeds.items():
        (folder / name).write_bytes(content)
