"""A receipt in a standard form: docs/formats/standard-forms.md."""

import hashlib
import json

from . import keys, records, steps, trust
from .canonical import Refused, cbor, from_cbor, from_json, jcs, need
from .log import Checkpoint, entry_of, expect_included, leaf_hash, padded, root_of
from .shape import BASE64, COUNT, SHA256, TEXT, check, constant

TLOG_PROOF = b"c2sp.org/tlog-proof@v1\n"
BUNDLE_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json"
IN_TOTO = "application/vnd.in-toto+json"
BUNDLE = {
    "mediaType": constant(BUNDLE_TYPE),
    "verificationMaterial": {"publicKey": {"hint": TEXT}, "tlogEntries": [TEXT]},
    "dsseEnvelope": {"payload": BASE64, "payloadType": constant(IN_TOTO), "signatures": [{"keyid": TEXT, "sig": BASE64}]},
}
STATEMENT = {
    "_type": constant("https://in-toto.io/Statement/v1"), "predicateType": TEXT,
    "subject": [{"name": TEXT, "digest": {"sha256": TEXT}}],
    "predicate": {
        "kind": TEXT, "occurred_at": TEXT, "record": BASE64,
        "log": {"checkpoint": TEXT, "leaf_index": COUNT, "origin": TEXT, "path": [SHA256]},
    },
}


class Logged:
    """A record, its leaf, the path and the checkpoint."""

    def __init__(self, record, index, path, checkpoint):
        self.record, self.index, self.path = record, index, path
        self.kind = "execution" if record[:1] == b"\xd2" else "retrieval"
        self.opened = records.Receipt(record) if self.kind == "execution" else records.Retrieval(record)
        self.checkpoint = Checkpoint(checkpoint)
        expect_included(leaf_hash(entry_of(self.kind, record).encode()), index, path, self.checkpoint)


class Form:
    """Reading is the step `format`; the steps after it need keys."""

    def __init__(self, data, trusted):
        self.data, self.trusted = data, trusted

    def check_keys(self):
        need(self.trusted is not None, "this form has no key inside: give one to check it with")
        for kid in self.kids:
            self.key(kid)

    def key(self, kid, purpose=None):
        key = keys.find(self.trusted, kid, "key {kid} is not among the trusted keys")
        need(purpose is None or purpose in key.purposes, f"key {kid} does not sign {purpose}")
        return key

    def check_record(self):
        if isinstance(self.opened, records.Retrieval):
            return
        message = self.opened.message
        key = self.key(message.kid, "receipts")
        need(message.is_signed_by(key, message.payload), "the signature of the record does not hold")
        need(key.is_valid_at(records.seconds(self.opened.payload["occurred_at"])), "the key was not valid then")

    def check_mode(self):
        mode = self.payload["auth_mode"]
        need(records.proves_something(mode), f"made under {mode}, which proves nothing")

    def check_checkpoint(self):
        log = [key for key in self.trusted if "log" in key.purposes]
        need(any(self.logged.checkpoint.is_signed_by(key) for key in log), "no trusted key signed the checkpoint")
        trust.expect_log_name(self.logged.checkpoint.origin, self.trusted)

    def take(self, logged):
        self.logged, self.opened, self.payload = logged, logged.opened, logged.opened.payload
        self.kids = [self.opened.message.kid] if logged.kind == "execution" else []


class TlogProof(Form):
    def read(self):
        try:
            head, _, checkpoint = self.data.decode().partition("\n\n")
        except UnicodeError as error:
            raise Refused("not UTF-8") from error
        lines = head.split("\n")
        need(len(lines) >= 3 and lines[1].startswith("extra ") and lines[2].startswith("index "), "lines are missing")
        index = lines[2].removeprefix("index ")
        need(index.isascii() and index.isdigit() and str(int(index)) == index, "the index is malformed")
        path = [padded(line) for line in lines[3:]]
        need(all(len(one) == 32 for one in path), "a hash has 32 bytes")
        record = padded(lines[1].removeprefix("extra "))
        self.take(Logged(record, int(index), [f"sha256:{one.hex()}" for one in path], checkpoint))


class Record(Form):
    def read(self):
        self.opened = records.Receipt(self.data)
        self.payload, self.kids = self.opened.payload, [self.opened.kid]


class CoseReceipt(Form):
    def read(self):
        self.receipt = LogReceipt(self.data)
        self.kids = [self.receipt.kid]

    def check_signature(self):
        self.receipt.expect_signed_by(self.key(self.receipt.kid, "log"))
        trust.expect_log_name(self.receipt.origin, self.trusted)


class LogReceipt(records.Cose):
    """A COSE receipt (RFC 9942) of inclusion."""

    def __init__(self, data):
        super().__init__(data)
        need(self.payload is None, "the payload of a receipt is detached")
        structure = self.protected.get(395)
        # True equals 1.
        need(sorted(self.protected) == [1, 4, 15, 395] and type(structure) is int and structure == 1, "the headers differ")
        claims = self.protected[15]
        need(isinstance(claims, dict) and set(claims) == {1, 2, -70001, -70002}, "the claims differ")
        need(isinstance(claims[1], str) and isinstance(claims[2], str), "iss and sub are text")
        # False equals 0, and True equals 1.
        need(COUNT(claims[-70001]) and COUNT(claims[-70002]), "size and index are whole numbers")
        need(set(self.unprotected) == {396} and isinstance(self.unprotected[396], dict), "there are no proofs")
        proofs = self.unprotected[396].get(-1)
        need(set(self.unprotected[396]) == {-1} and isinstance(proofs, list) and len(proofs) == 1, "there is one proof")
        need(isinstance(proofs[0], bytes), "a proof is a byte string")
        proof = from_cbor(proofs[0])
        need(isinstance(proof, list) and len(proof) == 3 and isinstance(proof[2], list), "a proof is a list of three")
        need(all(COUNT(one) for one in proof[:2]), "size and index are whole numbers")
        need(all(isinstance(one, bytes) and len(one) == 32 for one in proof[2]), "a hash has 32 bytes")
        need([claims[-70001], claims[-70002]] == proof[:2], "the proof is of another place than was signed")
        self.origin, self.entry = claims[1], claims[2]
        self.size, self.index, self.path = proof
        expect_entry(self.entry)

    def expect_signed_by(self, key):
        root = root_of(leaf_hash(self.entry.encode()), self.index, self.size, self.path)
        need(self.is_signed_by(key, root), "the signature over the root does not hold")


class Statement(Form):
    def read(self):
        message = self.message = records.Cose(self.data)
        need(message.payload is not None, "a statement carries its payload")
        need(sorted(message.protected) == [1, 3, 4, 15] and set(message.unprotected) == {394}, "the headers differ")
        claims, receipts = message.protected[15], message.unprotected[394]
        is_execution = message.protected[3] == records.RECEIPT
        expected = {1, 2, -70003, -70004} if is_execution else {1, 2, -70003}
        need(isinstance(claims, dict) and set(claims) == expected, "the claims differ")
        need(all(isinstance(claims[name], str) for name in (1, 2, -70003)), "a claim is no text")
        need(isinstance(receipts, list) and receipts and all(isinstance(one, bytes) for one in receipts), "no receipts")
        self.read_record(message, claims)
        self.entry, self.receipts = claims[-70003], [LogReceipt(one) for one in receipts]
        record_kids = [self.opened.kid] if is_execution else []
        self.kids = [message.kid, *record_kids, *(receipt.kid for receipt in self.receipts)]

    def read_record(self, message, claims):
        """The payload with the header and the signature of its record is the record that the entry names."""
        if message.protected[3] == records.RECEIPT:
            parts = claims[-70004]
            need(isinstance(parts, list) and len(parts) == 2, "the claim of the record is a list of two")
            need(all(isinstance(one, bytes) for one in parts), "the claim of the record is of byte strings")
            kind, record = "execution", b"\xd2" + cbor([parts[0], {}, message.payload, parts[1]])
            self.opened = records.Receipt(record)
        else:
            need(message.protected[3] == records.RETRIEVAL, "the content type is unknown")
            kind, record = "retrieval", message.payload
            self.opened = records.Retrieval(record)
        self.payload = self.opened.payload
        need(self.opened.receipt_id == claims[2], "the payload does not make the id of its subject")
        need(entry_of(kind, record) == claims[-70003], "the payload is not that of the record which the entry names")

    def check_signature(self):
        key = self.key(self.message.kid, "receipts")
        need(self.message.is_signed_by(key, self.message.payload), "the signature does not hold")

    def check_receipts(self):
        for receipt in self.receipts:
            need(receipt.entry == self.entry, "a receipt is of another entry")
            receipt.expect_signed_by(self.key(receipt.kid, "log"))
            trust.expect_log_name(receipt.origin, self.trusted)


class Bundle(Form):
    def read(self):
        bundle = from_json(self.data)
        check(bundle, BUNDLE, "bundle")
        need(jcs(bundle) == self.data, "not canonical JSON")
        envelope, hint = bundle["dsseEnvelope"], bundle["verificationMaterial"]["publicKey"]["hint"]
        need(not bundle["verificationMaterial"]["tlogEntries"], "entries of other logs are not looked at")
        need([one["keyid"] for one in envelope["signatures"]] == [hint], "there is one signature, by the key of the hint")
        payload = padded(envelope["payload"])
        self.signer, self.signature = hint, padded(envelope["signatures"][0]["sig"])
        self.signed = b"DSSEv1 %d %s %d " % (len(IN_TOTO), IN_TOTO.encode(), len(payload)) + payload
        self.read_statement(payload)

    def read_statement(self, payload):
        statement = from_json(payload)
        check(statement, STATEMENT, "statement")
        predicate, log = statement["predicate"], statement["predicate"]["log"]
        record = padded(predicate["record"])
        logged = Logged(record, log["leaf_index"], log["path"], log["checkpoint"])
        self.take(logged)
        again = {
            **statement,
            "subject": [{"name": self.opened.receipt_id, "digest": {"sha256": hashlib.sha256(record).hexdigest()}}],
            "predicate": {
                **predicate, "kind": self.payload["kind"], "occurred_at": self.payload["occurred_at"],
                "log": {**log, "origin": logged.checkpoint.origin},
            },
        }
        need(jcs(again) == payload, "the statement does not say what its record says")
        need(statement["predicateType"].endswith("/receipt/v1"), "the predicate is no receipt")
        self.kids.insert(0, self.signer)

    def check_signature(self):
        need(self.key(self.signer, "receipts").holds(self.signed, self.signature), "the signature of the envelope does not hold")


def expect_entry(entry):
    kind, _, name = entry.removeprefix("svc-log-entry-v1:").partition(":")
    need(entry.startswith("svc-log-entry-v1:") and kind in ("execution", "retrieval"), "no entry of the log")
    need(records.BLAKE3.match(name), "no entry of the log")


KEYS = ("keys", Form.check_keys)
RECORD = [("record", Form.check_record), ("auth-mode", Form.check_mode)]
STEPS = {
    TlogProof: [("format", TlogProof.read), KEYS, *RECORD, ("checkpoint", Form.check_checkpoint)],
    Record: [("format", Record.read), KEYS, *RECORD],
    CoseReceipt: [("format", CoseReceipt.read), KEYS, ("signature", CoseReceipt.check_signature)],
    Statement: [
        ("format", Statement.read), KEYS, ("signature", Statement.check_signature), *RECORD,
        ("inclusion", Statement.check_receipts),
    ],
    Bundle: [
        ("format", Bundle.read), KEYS, ("signature", Bundle.check_signature), *RECORD,
        ("checkpoint", Form.check_checkpoint),
    ],
}


def kind_of(data):
    """The form that the bytes begin as; None where it is none."""
    if data.startswith(TLOG_PROOF):
        return TlogProof
    if data[:1] == b"\xd2":
        return kind_of_cose(data)
    try:
        parsed = json.loads(data) if data[:1] == b"{" else None
    except ValueError:
        return None
    return Bundle if isinstance(parsed, dict) and parsed.get("mediaType") == BUNDLE_TYPE else None


def kind_of_cose(data):
    try:
        header = records.Cose(data).protected
    except Refused:
        return Record
    return CoseReceipt if 395 in header else Statement if 15 in header else Record


def verify(kind, data, trusted):
    return steps.run(STEPS[kind], kind(data, trusted))
