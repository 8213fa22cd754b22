"""A file that came compressed: one gzip member (RFC 1952) or one zlib stream (RFC 1950), and nothing after it."""

import zlib

from .canonical import Refused, need

MOST = 1 << 28


def unwrap(data):
    """The file inside; the file itself where it is not compressed."""
    if data[:2] == b"\x1f\x8b":
        need(data[2:3] == b"\x08" and data[3:4] in (b"\0", b"\x08"), "flags of the gzip member")
        return inflate(data, 31)
    if len(data) > 1 and data[0] & 15 == 8 and data[0] >> 4 <= 7 and int.from_bytes(data[:2], "big") % 31 == 0:
        need(not data[1] & 32, "a preset dictionary")
        return inflate(data, 15)
    return data


def inflate(data, window):
    stream = zlib.decompressobj(window)
    try:
        content = stream.decompress(data, MOST)
    except zlib.error as error:
        raise Refused(f"it cannot be decompressed: {error}") from error
    need(stream.eof, "the stream breaks off, or is too large")
    need(not stream.unused_data, "bytes follow the stream")
    return content
