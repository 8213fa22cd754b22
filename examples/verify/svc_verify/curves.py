"""Ed25519 (RFC 8032) and ECDSA on P-256 with SHA-256 (FIPS 186-5): verifying alone, so nothing here is secret."""

import hashlib
from functools import lru_cache

from .canonical import need

# A file names one key many times, and of files that differ in one byte most signatures are the same.
remembered = lru_cache(maxsize=4096)


def steps_of(point, add):
    """For each 4 bits of a scalar the multiples 1 to 15 of 16 ** n * point, so that a product is 64 additions."""
    table = []
    for _ in range(64):
        row = [None, point]
        for _ in range(14):
            row.append(add(row[-1], point))
        table.append(row)
        point = add(row[-1], point)
    return table


def product(scalar, table, nothing, add):
    """Of a scalar below 2 ** 256."""
    result = nothing
    for row in table:
        if scalar & 15:
            result = add(result, row[scalar & 15])
        scalar >>= 4
    return result


# ---- Ed25519 -------------------------------------------------------------------------------------------------------

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_MINUS_1 = pow(2, (P - 1) // 4, P)


def recover_x(y, sign):
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * SQRT_MINUS_1 % P
    if (x * x - x2) % P or (x == 0 and sign):
        return None
    return P - x if x % 2 != sign else x


def point_of(data):
    """The point of an encoding in extended coordinates; None for an encoding of none."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= P:
        return None
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


def add(one, other):
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def same(one, other):
    return not (one[0] * other[2] - other[0] * one[2]) % P and not (one[1] * other[2] - other[1] * one[2]) % P


G_Y = 4 * pow(5, P - 2, P) % P
G = (recover_x(G_Y, 0), G_Y, 1, recover_x(G_Y, 0) * G_Y % P)
IDENTITY = (0, 1, 1, 0)
G_STEPS = steps_of(G, add)


@lru_cache(maxsize=16)
def steps_of_key(data):
    """None for an encoding of no point."""
    point = point_of(data)
    return None if point is None else steps_of(point, add)


@remembered
def ed25519_key(data):
    """Refuses encodings that are not canonical, and points of small order, under which one signature fits many texts."""
    need(len(data) == 32, "an Ed25519 key has 32 bytes")
    need(int.from_bytes(data, "little") & (1 << 255) - 1 < P, "the key is not in its canonical form")
    point = point_of(data)
    for _ in range(3):
        point = None if point is None else add(point, point)
    need(point is None or not same(point, IDENTITY), "the key is of small order")


@remembered
def ed25519_holds(key, message, signature):
    if len(signature) != 64:
        return False
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    steps = steps_of_key(key)
    commitment = point_of(r)
    if s >= L or steps is None or commitment is None:
        return False
    challenge = int.from_bytes(hashlib.sha512(r + key + message).digest(), "little") % L
    return same(product(s, G_STEPS, IDENTITY, add), add(commitment, product(challenge, steps, IDENTITY, add)))


# ---- P-256 ---------------------------------------------------------------------------------------------------------

Q = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
BASE = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)


def p256_key(x, y):
    need(len(x) == 32 and len(y) == 32, "a P-256 key has two coordinates of 32 bytes")
    point = int.from_bytes(x, "big"), int.from_bytes(y, "big")
    on_curve = (point[1] ** 2 - point[0] ** 3 + 3 * point[0] - B) % Q == 0
    need(max(point) < Q and on_curve, "the key is no point of the curve")
    return point


def p256_add(one, other):
    if one is None or other is None:
        return one or other
    if one[0] == other[0]:
        if (one[1] + other[1]) % Q == 0:
            return None
        slope = (3 * one[0] ** 2 - 3) * pow(2 * one[1], -1, Q)
    else:
        slope = (other[1] - one[1]) * pow(other[0] - one[0], -1, Q)
    x = (slope**2 - one[0] - other[0]) % Q
    return x, (slope * (one[0] - x) - one[1]) % Q


@lru_cache(maxsize=16)
def p256_steps(point):
    return steps_of(point, p256_add)


@remembered
def p256_holds(point, message, signature):
    if len(signature) != 64:
        return False
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if not (0 < r < N and 0 < s < N):
        return False
    digest = int.from_bytes(hashlib.sha256(message).digest(), "big")
    inverse = pow(s, -1, N)
    of_base = product(digest * inverse % N, p256_steps(BASE), None, p256_add)
    found = p256_add(of_base, product(r * inverse % N, p256_steps(point), None, p256_add))
    return found is not None and found[0] % N == r
