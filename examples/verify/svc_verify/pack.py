"""Proof packs: docs/formats/proof-pack.md, whose steps these are."""

from . import epoch, records, steps, trust
from .blake3 import digest
from .canonical import from_json, jcs, need
from .content import expect_bound
from .log import entry_of, expect_included, leaf_hash, padded
from .timestamps import TIMESTAMP, check_timestamps
from .shape import BASE64, BLAKE3, COUNT, INSTANT, JWK, SHA256, TEXT, check, constant, or_none

FORMATS = ("svc-proofpack-v1", "svc-proofpack-v2", "svc-proofpack-v3")
SEAL = "application/vnd.svc.proofpack+json"
CHUNK = {name: TEXT for name in ("chunk_id", "content", "corpus_id", "doc_id", "receipt_id")}
CHUNK |= {"content_hash": BLAKE3, "version": COUNT}
BINDING_2 = {"end": COUNT, "index": COUNT, "path": [SHA256], "receipt_id": TEXT, "start": COUNT}
IN_BATCH = {"content_hash": BLAKE3, "index": COUNT, "ingest_id": TEXT, "path": [SHA256]}
BINDING = {
    **BINDING_2, "accepted?": {**IN_BATCH, "receipt_id": TEXT, "shareability": TEXT},
    "document?": {**IN_BATCH, "passages": COUNT, "passages_root": SHA256},
}
PLACE = {"leaf_index": COUNT, "path": [SHA256], "receipt_id": TEXT}
PACK = {
    "checkpoint": TEXT, "chunks": [CHUNK], "consistency": [{"checkpoint": TEXT, "path": [SHA256]}],
    "format": constant(FORMATS[0]), "keys": [JWK], "made_at": INSTANT, "ok": constant(True),
    "receipts": [{**PLACE, "cose": BASE64}], "retrievals": [{**PLACE, "cbor": BASE64}],
    "seal": BASE64, "subject": {"id": TEXT, "type": TEXT}, "tenant_id": TEXT,
}
EPOCH = or_none({"cose": BASE64, "path": [SHA256]})
PACK_2 = {
    **PACK, "format": constant(FORMATS[1]), "chunks": [{**CHUNK, "binding": or_none(BINDING_2)}],
    "epoch": EPOCH, "statements": [BASE64], "timestamps?": [TIMESTAMP],
}
PACK_3 = {**PACK_2, "format": constant(FORMATS[2]), "chunks": [{**CHUNK, "binding": or_none(BINDING)}]}
SHAPES = dict(zip(FORMATS, (PACK, PACK_2, PACK_3)))


class Pack:
    def __init__(self, data, trusted, roots):
        self.data, self.trusted, self.roots = data, trusted, roots

    def read(self):
        self.file = from_json(self.data)
        need(isinstance(self.file, dict), "the file is no object")
        named = self.file.get("format")
        check(self.file, SHAPES.get(named, PACK_3) if isinstance(named, str) else PACK_3, "pack")
        need(jcs(self.file) == self.data, "not the canonical JSON of its value")

    def open_keys(self):
        statements = self.file.get("statements")
        opened = None if statements is None else [padded(one) for one in statements]
        self.keys = trust.open_keys(self.file["keys"], opened, self.trusted)

    def open_receipts(self):
        need(self.file["receipts"] or self.file["retrievals"], "the pack holds no receipt")
        self.receipts = []
        for one in self.file["receipts"]:
            receipt = records.Receipt(padded(one["cose"]))
            need(receipt.receipt_id == one["receipt_id"], "the payload makes another id")
            need(receipt.payload["tenant_id"] == self.file["tenant_id"], "a receipt is of another tenant")
            self.receipts.append(receipt)

    def check_signatures(self):
        for receipt in self.receipts:
            key = self.key(receipt.kid)
            need(receipt.message.is_signed_by(key, receipt.message.payload), "a signature does not hold")
            steps.expect_valid(key, "receipts", records.seconds(receipt.payload["occurred_at"]), "a receipt")

    def key(self, kid):
        need(kid in self.keys, f"key {kid} is not in the pack")
        return self.keys[kid]

    def check_chain(self):
        last = {}
        for receipt in self.receipts:
            payload = receipt.payload
            before = last.get(payload["stream"])
            if before:
                need(before.payload["seq"] < payload["seq"], "a stream does not ascend")
                if before.payload["seq"] == payload["seq"] - 1:
                    need(payload["prev"] == before.payload_hash, "prev is not the receipt before it")
            last[payload["stream"]] = receipt

    def open_retrievals(self):
        self.retrievals = []
        for one in self.file["retrievals"]:
            retrieval = records.Retrieval(padded(one["cbor"]))
            need(retrieval.receipt_id == one["receipt_id"], "the bytes make another id")
            need(retrieval.payload["tenant_id"] == self.file["tenant_id"], "a retrieval is of another tenant")
            self.retrievals.append(retrieval)

    def check_chunks(self):
        bodies = {one.receipt_id: one.payload["body"] for one in (*self.receipts, *self.retrievals)}
        for chunk in self.file["chunks"]:
            need(digest(chunk["content"]) == chunk["content_hash"], "content_hash is not that of the content")
            need(chunk["receipt_id"] in bodies, "the receipt of a chunk is not in the pack")
            named = list(names_of(bodies[chunk["receipt_id"]], chunk))
            need(named, "the receipt does not name the chunk")
            if self.file["format"] != FORMATS[0]:
                self.check_bound(chunk, named)

    def check_bound(self, chunk, named):
        if chunk["binding"] is None:
            need(all(one.get("source") == "commons" for one in named), "a text has no binding")
            return
        expect_bound(chunk["binding"], chunk, {receipt.receipt_id: receipt for receipt in self.receipts})

    def check_checkpoint(self):
        self.checkpoint = self.signed(self.file["checkpoint"])
        trust.expect_log_name(self.checkpoint.origin, self.trusted)

    def signed(self, text):
        return steps.file_checkpoint(text, self.keys)

    def check_inclusion(self):
        for kind, member, items in (
            ("execution", "cose", self.file["receipts"]),
            ("retrieval", "cbor", self.file["retrievals"]),
        ):
            for one in items:
                leaf = leaf_hash(entry_of(kind, padded(one[member])).encode())
                expect_included(leaf, one["leaf_index"], one["path"], self.checkpoint)

    def check_epoch(self):
        self.epoch = epoch.open_epoch(self.file.get("epoch"), self.checkpoint, self.keys)

    def check_consistency(self):
        epoch.expect_consistent(self.file["consistency"], self.checkpoint, self.epoch, self.signed)

    def check_modes(self):
        for one in (*self.receipts, *self.retrievals):
            mode = one.payload["auth_mode"]
            need(records.proves_something(mode), f"made under {mode}, which proves nothing")

    def check_seal(self):
        seal = records.own_message(padded(self.file["seal"]), SEAL)
        need(seal.payload is None, "the seal is not detached")
        key = self.key(seal.kid)
        steps.expect_valid(key, "exports", records.seconds(self.file["made_at"]), "the seal")
        contents = {name: member for name, member in self.file.items() if name != "seal"}
        need(seal.is_signed_by(key, jcs(contents)), "the seal does not hold")

    def check_stamps(self):
        texts = [self.file["checkpoint"], *(one["checkpoint"] for one in self.file["consistency"])]
        check_timestamps(self.file.get("timestamps", []), texts, self.key, self.roots)


def names_of(value, chunk):
    """The maps, at any depth, that name the chunk with its digest and contradict none of its other ids."""
    if isinstance(value, list):
        for one in value:
            yield from names_of(one, chunk)
    if not isinstance(value, dict):
        return
    is_named = all(value.get(name) == chunk[name] for name in ("chunk_id", "content_hash"))
    if is_named and all(name not in value or value[name] == chunk[name] for name in ("corpus_id", "doc_id", "version")):
        yield value
    for one in value.values():
        yield from names_of(one, chunk)


STEPS = [
    ("format", Pack.read), ("keys", Pack.open_keys), ("receipts", Pack.open_receipts),
    ("signatures", Pack.check_signatures), ("chain", Pack.check_chain), ("retrievals", Pack.open_retrievals),
    ("chunks", Pack.check_chunks), ("checkpoint", Pack.check_checkpoint), ("inclusion", Pack.check_inclusion),
    ("epoch", Pack.check_epoch), ("consistency", Pack.check_consistency), ("auth-mode", Pack.check_modes), ("seal", Pack.check_seal),
    ("timestamps", Pack.check_stamps),
]


def verify(data, trusted, roots=None):
    return steps.run(STEPS, Pack(data, trusted, roots))
