"""The one encoding of everything that is signed: canonical CBOR (RFC 8949, 4.2.1) and JCS (RFC 8785)."""

import json
import math
import re
import struct

MAX_INTEGER = 2**53 - 1
ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


class Refused(Exception):
    """What is wrong, in words."""


def need(condition, why):
    if not condition:
        raise Refused(why)


# ---- CBOR ----------------------------------------------------------------------------------------------------------


def cbor(value):
    """Canonical CBOR of None, bool, int, float, str, bytes, list and dict (keys all text or all integers)."""
    if value is None or value is True or value is False:
        return bytes([{None: 0xF6, True: 0xF5, False: 0xF4}[value]])
    if isinstance(value, float) and value.is_integer() and abs(value) <= MAX_INTEGER:
        value = int(value)
    if isinstance(value, int):
        need(abs(value) <= MAX_INTEGER, "an integer is beyond 2^53 - 1")
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, float):
        return float_of(value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        text = value.encode()
        return head(3, len(text)) + text
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(cbor(item) for item in value)
    members = sorted((cbor(name), cbor(member)) for name, member in value.items())
    return head(5, len(members)) + b"".join(name + member for name, member in members)


def head(major, count):
    if count < 24:
        return bytes([major << 5 | count])
    for extra, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if count < 1 << 8 * size:
            return bytes([major << 5 | extra]) + count.to_bytes(size, "big")
    raise Refused("a length is too large")


def float_of(value):
    need(math.isfinite(value), "a number is not finite")
    for first, form in ((0xF9, ">e"), (0xFA, ">f")):
        try:
            packed = struct.pack(form, value)
        except OverflowError:
            continue
        if struct.unpack(form, packed)[0] == value:
            return bytes([first]) + packed
    return b"\xfb" + struct.pack(">d", value)


def from_cbor(data):
    """Reads one item, and refuses every input that cbor() would not have written."""
    try:
        value, end = item(data, 0)
        need(end == len(data), "bytes follow the item")
        need(cbor(value) == data, "not the canonical encoding of its value")
    except (IndexError, UnicodeError, RecursionError, struct.error, TypeError, MemoryError) as error:
        raise Refused(f"not CBOR: {error}") from error
    return value


def item(data, at):
    major, info = data[at] >> 5, data[at] & 31
    at += 1
    if major == 7:
        return simple(data, at, info)
    need(info < 28, "a length that is reserved or indefinite")
    size = 0 if info < 24 else 1 << info - 24
    need(at + size <= len(data), "it breaks off")
    count = info if info < 24 else int.from_bytes(data[at : at + size], "big")
    at += size
    if major < 2:
        value = count if major == 0 else -1 - count
        need(abs(value) <= MAX_INTEGER, "an integer is beyond 2^53 - 1")
        return value, at
    need(major != 6, "a tag")
    if major in (2, 3):
        need(at + count <= len(data), "it breaks off")
        content = data[at : at + count]
        return (content if major == 2 else content.decode()), at + count
    need(count <= len(data), "it breaks off")
    items = []
    for _ in range(count * (major - 3)):
        value, at = item(data, at)
        items.append(value)
    return (items, at) if major == 4 else (map_of(items), at)


def map_of(items):
    names = items[::2]
    is_text = all(isinstance(name, str) for name in names)
    need(is_text or all(type(name) is int for name in names), "map keys are all text or all integers")
    made = dict(zip(names, items[1::2]))
    need(len(made) == len(names), "a member twice")
    return made


def simple(data, at, info):
    if info in (20, 21, 22):
        return (False, True, None)[info - 20], at
    form, size = {25: (">e", 2), 26: (">f", 4), 27: (">d", 8)}.get(info, (None, 0))
    need(form, "a simple value")
    value = struct.unpack(form, data[at : at + size])[0]
    need(math.isfinite(value), "a number is not finite")
    return value, at + size


# ---- JSON ----------------------------------------------------------------------------------------------------------


def jcs(value):
    """RFC 8785, as UTF-8."""
    return jcs_text(value).encode()


def jcs_text(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{quoted(name)}:{jcs_text(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(jcs_text(one) for one in value) + "]"
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return number(value)


def quoted(text):
    return '"' + "".join(ESCAPES.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text) + '"'


def number(value):
    """A number as ECMAScript writes it (ECMA-262, Number::toString)."""
    if isinstance(value, int):
        return str(value)
    need(math.isfinite(value), "a number is not finite")
    if value == 0:
        return "0"
    sign, digits, exponent = re.fullmatch(r"(-?)([\d.]+)(?:e([+-]\d+))?", repr(value)).groups()
    whole, _, fraction = digits.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = whole + ("" if fraction == "0" and not exponent else fraction)
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = f"e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return sign + digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + power


def from_json(data):
    """JSON in UTF-8 with the numbers of ECMAScript; whether it is canonical is for the caller to see."""
    integer = lambda text: int(text) if abs(int(text)) <= MAX_INTEGER else float(text)
    try:
        return json.loads(data.decode(), parse_int=integer, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise Refused(f"not JSON in UTF-8: {error}") from error


def refuse_constant(name):
    raise ValueError(name)
