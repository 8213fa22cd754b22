"""Shapes of files: exactly these members, of these types."""

import re
from datetime import datetime

from .canonical import need
from .log import padded

TEXT = lambda value: isinstance(value, str) and is_well_formed(value)
COUNT = lambda value: type(value) is int and 0 <= value < 2**53
FLAG = lambda value: isinstance(value, bool)
BYTES = lambda value: isinstance(value, bytes)
ANY = lambda value: True
SHA256 = lambda value: matches(value, r"sha256:[0-9a-f]{64}")
BLAKE3 = lambda value: matches(value, r"blake3:[0-9a-f]{64}")
JWK = {
    **{name: (lambda value, wanted=wanted: value == wanted) for name, wanted in
       (("alg", "EdDSA"), ("crv", "Ed25519"), ("kty", "OKP"), ("use", "sig"))},
    "exp?": COUNT, "kid": TEXT, "nbf": COUNT, "x": lambda value: KEY_X(value),
}


def matches(value, pattern):
    return isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) is not None


def is_well_formed(text):
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def KEY_X(value):
    """base64url of 32 bytes, whose last character has no spare bits."""
    return matches(value, r"[\w-]{42}[AEIMQUYcgkosw048]")


def INSTANT(value):
    """RFC 3339 in UTC with milliseconds, of a day that the calendar has."""
    if not matches(value, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"):
        return False
    try:
        datetime.strptime(value, "%Y-%m-%dT%H:%M:%S.%fZ")
    except ValueError:
        return False
    return True


def BASE64(value):
    try:
        padded(value)
    except Exception:
        return False
    return True


def constant(*wanted):
    return lambda value: any(value is one if isinstance(one, bool) else value == one for one in wanted)


def or_none(shape):
    return ("or none", shape)


def check(value, shape, where):
    """A shape is a test, a list of one shape, a dict of members (`name?` may be missing), or or_none(shape)."""
    if isinstance(shape, tuple):
        if value is not None:
            check(value, shape[1], where)
    elif isinstance(shape, list):
        need(isinstance(value, list), f"{where} is no list")
        for n, one in enumerate(value):
            check(one, shape[0], f"{where}[{n}]")
    elif isinstance(shape, dict):
        need(isinstance(value, dict), f"{where} is no object")
        required = {name for name in shape if not name.endswith("?")}
        allowed = required | {name[:-1] for name in shape if name.endswith("?")}
        need(required <= set(value) <= allowed, f"{where} has other members")
        for name, member in value.items():
            check(member, shape.get(name) or shape[name + "?"], f"{where}.{name}")
    else:
        need(shape(value), f"{where} is malformed")
