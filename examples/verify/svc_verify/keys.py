"""Public keys: those that a file brings, and those that a verifier trusts."""

import base64
import hashlib
import json
import re

from . import curves
from .canonical import Refused, from_json, need

ED25519, COSIGNATURE = 0x01, 0x04
PURPOSES = ("receipts", "log", "exports")


def unpadded(text):
    """base64url without padding, in the one form that has no spare bits."""
    need(isinstance(text, str) and re.fullmatch(r"[\w-]*", text, re.ASCII), "not base64url")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    need(base64.urlsafe_b64encode(data).decode().rstrip("=") == text, "base64url with spare bits that are not zero")
    return data


def thumbprint(members):
    """RFC 7638, of the members that it asks for."""
    canonical = json.dumps(members, separators=(",", ":"), sort_keys=True)
    return base64.urlsafe_b64encode(hashlib.sha256(canonical.encode()).digest()).decode().rstrip("=")


class Key:
    """A public key, when it is valid, and the kid by which messages name it."""

    def __init__(self, algorithm, raw, kid, nbf=None, exp=None, name=None):
        self.algorithm, self.raw, self.kid, self.nbf, self.exp, self.name = algorithm, raw, kid, nbf, exp, name
        self.purposes = PURPOSES

    @staticmethod
    def ed25519(raw, nbf=None, exp=None, name=None):
        curves.ed25519_key(raw)
        x = base64.urlsafe_b64encode(raw).decode().rstrip("=")
        return Key("EdDSA", raw, thumbprint({"crv": "Ed25519", "kty": "OKP", "x": x}), nbf, exp, name)

    @staticmethod
    def p256(x, y, nbf=None, exp=None):
        point = curves.p256_key(unpadded(x), unpadded(y))
        return Key("ES256", point, thumbprint({"crv": "P-256", "kty": "EC", "x": x, "y": y}), nbf, exp)

    def holds(self, message, signature):
        check = curves.ed25519_holds if self.algorithm == "EdDSA" else curves.p256_holds
        return check(self.raw, message, signature)

    def is_valid_at(self, seconds):
        return (self.nbf is None or seconds >= self.nbf) and (self.exp is None or seconds < self.exp)


def of_jwk(jwk):
    """The key of a JWK; None for one of another kind."""
    kind = (jwk.get("kty"), jwk.get("crv"))
    limits = {"nbf": jwk.get("nbf"), "exp": jwk.get("exp")}
    if kind == ("OKP", "Ed25519"):
        key = Key.ed25519(unpadded(jwk["x"]), **limits)
    elif kind == ("EC", "P-256"):
        key = Key.p256(jwk["x"], jwk["y"], **limits)
    else:
        return None
    need(jwk.get("kid", key.kid) == key.kid, f"kid {jwk.get('kid')} is not the thumbprint of its key")
    if "svc_purposes" in jwk:
        need(isinstance(jwk["svc_purposes"], list), "svc_purposes of a key must be a list")
        key.purposes = tuple(one for one in PURPOSES if one in jwk["svc_purposes"])
    return key


def trusted(data):
    """Keys of a JWK, a JWK Set, a PEM file, or of note verifier keys, one a line."""
    text = data.decode().strip()
    if text.startswith("-----BEGIN PUBLIC KEY-----"):
        der = base64.b64decode("".join(text.splitlines()[1:-1]))
        need(len(der) == 44 and der[:12].hex() == "302a300506032b6570032100", "the PEM file holds no Ed25519 key")
        return [Key.ed25519(der[12:])]
    if text.startswith("{"):
        value = from_json(text.encode())
        keys = [of_jwk(jwk) for jwk in value.get("keys", [value])]
        found = [key for key in keys if key]
    else:
        found = [note_key(line) for line in text.splitlines() if line]
    need(found, "the key file holds no key")
    return found


def note_key(line):
    """A note verifier key of C2SP signed-note: name, key id, and the type with the key."""
    parts = re.fullmatch(r"([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)", line)
    need(parts, "not a note verifier key")
    name, key_id, data = parts[1], parts[2], base64.b64decode(parts[3])
    need(len(data) == 33 and data[0] == ED25519, "not an Ed25519 note verifier key")
    need(note_key_id(name, data).hex() == key_id, "the key id does not fit the name and the key")
    return Key.ed25519(data[1:], name=name)


def note_key_id(name, typed_key):
    return hashlib.sha256(name.encode() + b"\n" + typed_key).digest()[:4]


def find(keys, kid, why="key {kid} is not at hand"):
    for key in keys:
        if key.kid == kid:
            return key
    raise Refused(why.format(kid=kid))
