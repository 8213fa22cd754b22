"""Receipts: COSE_Sign1 messages (RFC 9052) with a payload, and retrievals, which are unsigned."""

import re
import uuid
from datetime import datetime, timezone

from .blake3 import blake3, digest
from .canonical import cbor, from_cbor, need

RECEIPT = "application/vnd.svc.receipt+cbor"
RETRIEVAL = "application/vnd.svc.retrieval+cbor"
PAYLOAD = "actor auth_mode body body_hash kind occurred_at prev seq stream subject tenant_id v".split()
RETRIEVAL_MEMBERS = "actor auth_mode body kind nonce occurred_at tenant_id v".split()
BLAKE3 = re.compile(r"blake3:[0-9a-f]{64}\Z")


class Cose:
    """A COSE_Sign1 message: 18([protected, unprotected, payload, signature]), canonical."""

    def __init__(self, data):
        need(data[:1] == b"\xd2", "not a COSE_Sign1 message")
        parts = from_cbor(data[1:])
        need(isinstance(parts, list) and len(parts) == 4, "COSE_Sign1 is a list of four")
        self.head, self.unprotected, self.payload, self.signature = parts
        need(isinstance(self.head, bytes) and isinstance(self.unprotected, dict), "the headers are malformed")
        need(self.payload is None or isinstance(self.payload, bytes), "the payload is malformed")
        need(isinstance(self.signature, bytes) and len(self.signature) == 64, "a signature has 64 bytes")
        self.protected = from_cbor(self.head)
        need(isinstance(self.protected, dict), "the protected header is no map")
        kid = self.protected.get(4)
        need(isinstance(kid, bytes), "the kid is no byte string")
        self.kid = kid.decode("latin-1")

    def is_signed_by(self, key, payload):
        need(self.protected.get(1) == {"EdDSA": -8, "ES256": -7}[key.algorithm], "the algorithm is not that of the key")
        return key.holds(cbor(["Signature1", self.head, b"", payload]), self.signature)


def own_message(data, content_type):
    """A message with the header that the formats of svc have: alg, content type, kid, and nothing else."""
    message = Cose(data)
    need(sorted(message.protected) == [1, 3, 4] and not message.unprotected, "the headers are not those of the format")
    need(message.protected[1] == -8, "the algorithm is not EdDSA")
    need(message.protected[3] == content_type, f"the content type is not {content_type}")
    return message


class Receipt:
    """An execution receipt, checked as far as no key is needed."""

    def __init__(self, data):
        self.message = own_message(data, RECEIPT)
        self.kid = self.message.kid
        need(self.message.payload is not None, "a receipt carries its payload")
        self.payload = read_payload(self.message.payload)
        hashed = blake3(self.message.payload)
        self.payload_hash, self.receipt_id = "blake3:" + hashed.hex(), uuid_of(hashed)


def read_payload(data):
    payload = from_cbor(data)
    need(isinstance(payload, dict) and sorted(payload, key=str) == PAYLOAD, "the payload has other members")
    texts = [payload[name] for name in PAYLOAD if name not in ("body", "prev", "seq", "v")]
    need(type(payload["v"]) is int and payload["v"] == 1 and all(isinstance(text, str) for text in texts), "a member is of another type")
    seq, prev = payload["seq"], payload["prev"]
    need(type(seq) is int and seq >= 1 and (seq == 1) == (prev is None), "seq or prev is malformed")
    need(prev is None or (isinstance(prev, str) and BLAKE3.match(prev)), "prev is malformed")
    need(isinstance(payload["body"], dict), "body is no map")
    seconds(payload["occurred_at"])
    need(payload["body_hash"] == digest(cbor(payload["body"])), "body_hash is not that of body")
    return payload


class Retrieval:
    def __init__(self, data):
        payload = from_cbor(data)
        need(isinstance(payload, dict) and sorted(payload, key=str) == RETRIEVAL_MEMBERS, "it has other members")
        need(type(payload["v"]) is int and payload["v"] == 1 and payload["kind"] == "retrieval", "not a retrieval of version 1")
        need(isinstance(payload["nonce"], bytes) and len(payload["nonce"]) == 16, "nonce has 16 bytes")
        need(isinstance(payload["body"], dict), "body is no map")
        need(all(isinstance(payload[name], str) for name in ("actor", "auth_mode", "tenant_id")), "a member is no text")
        seconds(payload["occurred_at"])
        self.payload, self.receipt_id = payload, digest(data)


def uuid_of(hashed):
    """UUID version 8 (RFC 9562) of the first 16 bytes."""
    data = bytearray(hashed[:16])
    data[6], data[8] = data[6] & 0x0F | 0x80, data[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(data)))


def seconds(text):
    """Seconds since 1970 of RFC 3339 in UTC with milliseconds."""
    need(isinstance(text, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text, re.ASCII), "no instant")
    try:
        moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    except ValueError:
        need(False, f"{text} is no instant")
    return moment.timestamp()


def proves_something(mode):
    return mode != "off" and not mode.startswith("dev")
