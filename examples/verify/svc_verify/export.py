"""Exports: docs/formats/export.md, whose steps these are."""

import hashlib
import re
import struct
import zlib
from datetime import datetime, timedelta

from . import epoch, records, steps, trust
from .blake3 import blake3, digest
from .canonical import Refused, cbor, from_cbor, from_json, jcs, need
from .log import entry_of, expect_included, leaf_hash, padded
from .content import expect_bound
from .facts import check_facts
from .item_types import check_types
from .pack import BINDING, EPOCH
from .timestamps import TIMESTAMP, check_timestamps
from .shape import (
    ANY, BASE64, BLAKE3, BYTES, COUNT, FLAG, JWK, SHA256, TEXT, check, constant, or_none,
)
from .tree import MISSING, Tree

FORMATS = ("svc-export-v1", "svc-export-v2")
MANIFEST = "application/vnd.svc.export-manifest+cbor"
FILES = ["README.txt", "manifest.cbor", "signature.cose", "disclosures.cbor", "keys.json"]
LOG_FILES = [f"log/{name}" for name in
             ("checkpoint.txt", "consistency.cbor", "proofs.cbor", "epoch.cbor", "timestamps.cbor")]
README = """%s

Evidence out of a svc database. manifest.cbor has a salted digest of every field, signature.cose signs it,
disclosures.cbor shows fields with their salts, log/ leads to a signed checkpoint of the transparency log,
and keys.json has the public keys. A field that is not shown was withheld; the signature holds all the same.

Check it with: svc verify FILE
The format is described in docs/formats/export.md; this file is no evidence.
"""
CLOCKS_APART = timedelta(hours=24)
# Members of an entry of a receipt, by their names in an item.
ENTRY = {**{name: name for name in ("chunk_id", "content_hash", "corpus_id", "doc_id", "start", "end", "quote_hash", "note_hash")},
         "version": "doc_version"}
SALT = lambda value: isinstance(value, bytes) and len(value) == 16
STEP = lambda value: TEXT(value) or COUNT(value)
ASCENDING = lambda value: isinstance(value, list) and all(TEXT(one) for one in value) and all(
    one.encode("utf-16-be") < other.encode("utf-16-be") for one, other in zip(value, value[1:]))
LOG = {
    "checkpoint": TEXT, "consistency": [{"checkpoint": TEXT, "path": [SHA256]}],
    "proofs": [{"leaf_index": COUNT, "path": [SHA256]}],
}
SUBJECTS = ("receipt", "answer", "action", "stream")
MEMBERS = {
    "auth_modes": ASCENDING, "complete": FLAG, "fields": [BLAKE3],
    "items": [{"fields": [BLAKE3], "record": or_none(BLAKE3), "type": TEXT}], "keys": [JWK],
    "mode": constant("latest", "verified", "audit"), "subject": constant(*SUBJECTS), "tenant_id": TEXT,
    "v": constant(1),
}


def shape_of(name, log, manifest):
    return {
        "disclosures": [{"path": [STEP], "salt": SALT, "value": ANY}], "format": constant(name),
        "log": or_none(log), "manifest": manifest, "signature": BYTES,
    }


SHAPE = shape_of(FORMATS[0], LOG, MEMBERS)
MEMBERS_2 = {**MEMBERS, "statements": [BASE64], "subject": constant(*SUBJECTS, "entity"), "v": constant(2)}
SHAPE_2 = shape_of(FORMATS[1], {**LOG, "epoch": EPOCH, "timestamps": [TIMESTAMP]}, MEMBERS_2)


# ---- encodings -----------------------------------------------------------------------------------------------------


def read(data):
    """The export in any of its encodings."""
    if data[:2] == b"PK":
        value = from_zip(data)
    elif data[:1] == b"{":
        value = of_json(data)
    else:
        value = from_cbor(data)
    need(isinstance(value, dict), "the file is no map")
    check(value, SHAPE if value.get("format") == FORMATS[0] else SHAPE_2, "export")
    subject, mode = value["manifest"]["subject"], value["manifest"]["mode"]
    need(subject not in ("receipt", "stream", "entity") or mode == "latest", "the mode of this subject is latest")
    return value


def of_json(data):
    text = from_json(data)
    need(isinstance(text, dict) and isinstance(text.get("disclosures"), list), "disclosures is no list")
    need(jcs(text) == data, "not the canonical JSON of its value")
    return {**text, "signature": padded(text.get("signature")), "disclosures": [shown(one) for one in text["disclosures"]]}


def shown(one):
    need(isinstance(one, dict) and ("cbor" in one) != ("value" in one), "a disclosure has value or cbor")
    rest = {name: member for name, member in one.items() if name != "cbor"}
    rest["salt"] = padded(one.get("salt"))
    if "cbor" in one:
        rest["value"] = from_cbor(padded(one["cbor"]))
        need(holds_bytes(rest["value"]), "cbor stands for a value without byte strings")
    return rest


def is_field(value):
    """Not a map or a list that would have been taken apart."""
    return not isinstance(value, (dict, list)) or not 0 < len(value) <= 1000


def holds_bytes(value):
    if isinstance(value, (dict, list)):
        return any(holds_bytes(one) for one in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, bytes)


def from_zip(data):
    """Walks the archive from its first byte to its last: whatever is not where it must be ends the walk."""
    body, comment = data[:-71], data[-71:]
    need(comment == f"sha256:{hashlib.sha256(body).hexdigest()}".encode(), "the comment is not the digest of the file")
    at, files, directory = 0, {}, []
    try:
        while body[at : at + 4] == b"PK\3\4":
            header = body[at : at + 30]
            crc, packed, size, length, extra = struct.unpack_from("<IIIHH", header, 14)
            need(header[4:14] == bytes.fromhex("140000080800 0000 2100") and extra == 0, "a header differs")
            name = body[at + 30 : at + 30 + length]
            start = at + 30 + length
            files[name.decode()] = content = inflate(body[start : start + packed], size)
            need(len(content) == size and zlib.crc32(content) == crc, "size or checksum differ")
            directory.append(
                b"PK\1\2\x3f\x03" + header[4:28] + bytes(8) + bytes.fromhex("0000a481") + struct.pack("<I", at) + name
            )
            at = start + packed
    except (struct.error, UnicodeError, zlib.error) as error:
        raise Refused(f"the archive is damaged: {error}") from error
    whole = b"".join(directory)
    count = len(directory)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, len(whole), at, 71)
    need(len(files) == count and body[at:] == whole + end, "the directory differs")
    return of_files(files)


def inflate(packed, size):
    need(size <= 1 << 28, "a file is too large")
    stream = zlib.decompressobj(-15)
    content = stream.decompress(packed, size + 1)
    need(stream.eof and not stream.unused_data, "bytes follow a file")
    return content


def of_files(files):
    name = next((one for one in FORMATS if files.get("README.txt") == (README % one).encode()), None)
    need(name, "README.txt was changed")
    log_files = LOG_FILES[:3] if name == FORMATS[0] else LOG_FILES
    has_log = len(files) > len(FILES)
    need(list(files) == FILES + (log_files if has_log else []), "the archive has other files")
    manifest = from_cbor(files["manifest.cbor"])
    need(isinstance(manifest, dict), "the manifest is no map")
    need(files["keys.json"] == jcs({"keys": manifest.get("keys")}), "keys.json has other keys")
    return {
        "format": name, "manifest": manifest, "signature": files["signature.cose"],
        "disclosures": from_cbor(files["disclosures.cbor"]),
        "log": {member_of(one): content_of(one, files[one]) for one in log_files} if has_log else None,
    }


def member_of(name):
    return re.fullmatch(r"log/(\w+)\.\w+", name)[1]


def content_of(name, data):
    if not name.endswith(".txt"):
        return from_cbor(data)
    try:
        return data.decode()
    except UnicodeError as error:
        raise Refused("the checkpoint is not UTF-8") from error


class Item:
    def __init__(self, index, entry):
        self.index, self.type, self.record, self.fields = index, entry["type"], entry["record"], entry["fields"]
        self.shown, self.receipt = Tree(), None


# ---- steps ---------------------------------------------------------------------------------------------------------


class Export:
    def __init__(self, data, trusted, roots):
        self.data, self.trusted, self.roots = data, trusted, roots

    def read(self):
        self.file = read(self.data)
        self.manifest, self.log = self.file["manifest"], self.file["log"]
        self.items = [Item(n, entry) for n, entry in enumerate(self.manifest["items"])]

    def open_keys(self):
        statements = self.manifest.get("statements")
        opened = None if statements is None else [padded(one) for one in statements]
        self.keys = trust.open_keys(self.manifest["keys"], opened, self.trusted)

    def key(self, kid):
        need(kid in self.keys, f"key {kid} is not in the manifest")
        return self.keys[kid]

    def check_signature(self):
        message = records.own_message(self.file["signature"], MANIFEST)
        need(message.payload is None, "the signature is not detached")
        key = self.key(message.kid)
        need(message.is_signed_by(key, cbor(self.manifest)), "the signature does not hold")
        need(key.signs("exports"), "the key does not sign exports")

    def check_disclosures(self):
        places = {}
        lists = [(None, self.manifest["fields"]), *((one, one.fields) for one in self.items)]
        for item, fields in lists:
            for field in fields:
                need(field not in places, "a digest stands in the manifest twice")
                places[field] = len(places), item
        last, own = -1, Tree()
        for one in self.file["disclosures"]:
            path = one["path"]
            need(is_field(one["value"]), "a value is more than one field")
            place = places.get(digest(cbor([one["salt"], path, one["value"]])))
            need(place, "a digest is not in the manifest")
            order, item = place
            need(order > last, "a field is shown out of order")
            last = order
            is_item = path[:1] == ["items"]
            need(path and (item.index if item else None) == (path[1] if is_item and len(path) > 1 else None),
                 "a field belongs to another item")
            need(is_item == (item is not None), "a field belongs to another item")
            (item.shown if item else own).put(path[2:] if item else path, one["value"])

    def check_records(self):
        modes = self.manifest["auth_modes"]
        for item in self.items:
            is_record = item.type in ("receipt", "retrieval")
            need((item.record is not None) == is_record, "only receipts and retrievals are records")
            mode = item.shown.typed(str, "payload", "auth_mode") if is_record else None
            need(mode is None or mode in modes, "the manifest does not name the auth_mode of a record")
            if is_record:
                self.open_record(item)

    def open_record(self, item):
        member = "cose" if item.type == "receipt" else "cbor"
        data = item.shown.value(member)
        if data is MISSING:
            return
        need(isinstance(data, bytes) and "blake3:" + blake3(data).hex() == item.record, "the record is another")
        opened = records.Receipt(data) if item.type == "receipt" else records.Retrieval(data)
        need(opened.payload["tenant_id"] == self.manifest["tenant_id"], "a record is of another tenant")
        payload = item.shown.at("payload")
        need(payload is None or cbor_or_none(payload.whole()) == cbor(opened.payload), "the fields are not the record's")
        names = {"receipt_id": opened.receipt_id}
        if item.type == "receipt":
            names["payload_hash"] = opened.payload_hash
            item.receipt = opened
        for name, wanted in names.items():
            need(item.shown.value(name) in (MISSING, wanted), f"{name} is not the record's")

    def check_signatures(self):
        for item in self.items:
            if item.receipt:
                message = item.receipt.message
                key = self.key(message.kid)
                need(message.is_signed_by(key, message.payload), "a signature does not hold")
                steps.expect_valid(key, "receipts", records.seconds(item.receipt.payload["occurred_at"]), "a receipt")

    def check_chain(self):
        last = {}
        for item in self.items:
            stream, seq = item.shown.typed(str, "payload", "stream"), item.shown.typed(int, "payload", "seq")
            if item.type != "receipt" or stream is None or seq is None:
                continue
            before = last.get(stream)
            prev = item.shown.typed(str, "payload", "prev")
            if before:
                need(before[0] < seq, "a stream does not ascend")
                if before[0] == seq - 1 and before[1] is not None and prev is not None:
                    need(prev == before[1], "prev is not the receipt before it")
            last[stream] = seq, item.shown.typed(str, "payload_hash")

    def check_contents(self):
        texts = [item for item in self.items if item.type in ("citation", "answer")]
        events = [item for item in self.items if item.type == "event"]
        for item in self.items:
            check_types(item)
        for item in texts:
            check_texts(item.shown)
        for item in events:
            check_event(item.shown, self.manifest["tenant_id"])
        self.check_named(texts)
        check_appends(self.items, events)
        check_references(self.items)
        if self.manifest["v"] == 2:
            self.check_bindings(texts)
            check_facts(self.items, self.manifest["complete"])

    def check_bindings(self, texts):
        """Answers are those of their receipts, and cited texts lead to their ingest."""
        opened = [item.receipt for item in self.items if item.type == "receipt"]
        if not opened or None in opened:
            return
        receipts = {receipt.receipt_id: receipt for receipt in opened}
        recordings = [one for one in opened if one.payload["kind"] == "answer.recorded"]
        for item in texts:
            names = item.shown.value("answer_id"), item.shown.value("version")
            recording = next((one for one in recordings if
                              (one.payload["body"].get("answer_id"), one.payload["body"].get("version")) == names), None)
            recorded = recording.payload["body"] if recording else None
            if recording:
                check_recording(item, recording)
            if item.type == "answer" and item.shown.value("text_hash") is not MISSING:
                need(recorded and recorded.get("answer_hash") == item.shown.value("text_hash"), "no receipt has the text")
            if item.type == "citation" and isinstance(item.shown.value("content"), str):
                check_citation(item.shown, recorded, receipts)
        if self.manifest["complete"] and self.manifest["subject"] == "answer":
            expect_all_cited([item.shown for item in texts if item.type == "citation"], recordings)

    def check_named(self, texts):
        receipts = [item for item in self.items if item.type == "receipt"]
        if not receipts or not all(item.receipt for item in receipts):
            return
        said = set()
        for item in receipts:
            said.update(texts_in(item.receipt.payload["body"]))
        for item in texts:
            for name in ("text_hash", "content_hash"):
                value = item.shown.typed(str, name)
                need(value is None or value in said, f"no receipt names a {name}")

    def check_checkpoint(self):
        if self.log:
            self.checkpoint = self.signed(self.log["checkpoint"])
            trust.expect_log_name(self.checkpoint.origin, self.trusted)

    def signed(self, text):
        return steps.file_checkpoint(text, self.keys)

    def check_inclusion(self):
        if not self.log:
            return
        recorded = [item for item in self.items if item.record is not None]
        need(len(recorded) == len(self.log["proofs"]), "there is not one proof for each record")
        for item, proof in zip(recorded, self.log["proofs"]):
            kind = "execution" if item.type == "receipt" else "retrieval"
            leaf = leaf_hash(f"svc-log-entry-v1:{kind}:{item.record}".encode())
            expect_included(leaf, proof["leaf_index"], proof["path"], self.checkpoint)

    def check_epoch(self):
        self.epoch = epoch.open_epoch(self.log.get("epoch"), self.checkpoint, self.keys) if self.log else None

    def check_consistency(self):
        if self.log:
            epoch.expect_consistent(self.log["consistency"], self.checkpoint, self.epoch, self.signed)

    def check_modes(self):
        for mode in self.manifest["auth_modes"]:
            need(records.proves_something(mode), f"made under {mode}, which proves nothing")

    def check_stamps(self):
        need(self.log or self.roots is None, "the export carries no log, so no timestamp")
        if self.log:
            texts = [self.log["checkpoint"], *(one["checkpoint"] for one in self.log["consistency"])]
            check_timestamps(self.log.get("timestamps", []), texts, self.key, self.roots)


def check_recording(item, recording):
    """What an answer or a citation shows is what the receipt of the answer says, as far as it says it."""
    shown, body = item.shown, recording.payload["body"]
    if item.type == "answer":
        expect_same(shown, {"receipt_id": recording.receipt_id, "recorded_by": recording.payload["actor"],
                            **({"agent_id": body["agent_id"]} if "agent_id" in body else {})})
        recorded_at, occurred_at = shown.value("recorded_at"), recording.payload["occurred_at"]
        need(recorded_at is MISSING or abs(time_of(recorded_at) - time_of(occurred_at)) <= CLOCKS_APART,
             "the receipt of the answer is of another time")
    citations, ordinal = body.get("citations"), shown.value("ordinal")
    if item.type == "citation" and isinstance(citations, list) and ordinal is not MISSING:
        need(ordinal < len(citations) and isinstance(citations[ordinal], dict), "no receipt has the citation")
        entry = citations[ordinal]
        expect_same(shown, {of: entry[name] for name, of in ENTRY.items() if name in entry})


def expect_same(shown, said):
    for name, value in said.items():
        own = shown.value(name)
        need(own is MISSING or (type(own) is type(value) and own == value), f"the receipt of the answer has another {name}")


def expect_all_cited(cited, recordings):
    """One item for each citation of the receipts."""
    lists = [one.payload["body"].get("citations") for one in recordings]
    if not all(isinstance(one, list) for one in lists):
        return
    need(len(cited) == sum(map(len, lists)), "the receipts have another number of citations")
    places = [tuple(shown.value(name) for name in ("answer_id", "version", "ordinal")) for shown in cited]
    whole = [place for place in places if MISSING not in place]
    need(len(set(whole)) == len(whole), "a citation is there twice")


def time_of(instant):
    return datetime.strptime(instant, "%Y-%m-%dT%H:%M:%S.%fZ")


def check_citation(shown, recorded, receipts):
    names = ("answer_id", "version", "ordinal", "chunk_id", "content_hash")
    need(all(shown.value(name) is not MISSING for name in names), "a member of a citation is withheld")
    citations, ordinal = (recorded or {}).get("citations", []), shown.value("ordinal")
    need(isinstance(citations, list) and ordinal < len(citations), "no receipt has the citation")
    cited = citations[ordinal]
    for name in ("chunk_id", "content_hash"):
        need(cited.get(name) == shown.value(name), f"the receipt of the answer has another {name}")
    binding = shown.whole_at("binding")
    need(binding is not MISSING, "the binding of a text is withheld")
    if binding is None:
        need(cited.get("source") == "commons", "a text has no binding")
        return
    passage = {name: shown.value(name) for name in ("chunk_id", "content_hash", "corpus_id", "doc_id")}
    passage["version"] = shown.value("doc_version")
    need(isinstance(binding, dict), "the binding of a text is not whole")
    check(binding, BINDING, "binding")
    expect_bound(binding, passage, receipts)


def check_references(items):
    """chunk_ref stands for chunk_id: one for one."""
    pairs = [(item.shown.value("chunk_id"), item.shown.value("chunk_ref")) for item in items
             if item.type in ("citation", "finding")]
    whole = {pair for pair in pairs if MISSING not in pair}
    need(len({one for one, _ in whole}) == len(whole) == len({other for _, other in whole}), "references do not agree")


def cbor_or_none(value):
    return None if value is MISSING else cbor(value)


def check_texts(shown):
    for text, hashed in (("text", "text_hash"), ("content", "content_hash"), ("quote", "quote_hash"), ("note", "note_hash")):
        content, wanted = shown.value(text), shown.value(hashed)
        if content is MISSING or wanted is MISSING:
            continue
        made = digest(content) if isinstance(content, str) else None
        need((content is None or made) and made == wanted, f"{hashed} is not that of its {text}")


EVENT = ("stream_type", "stream_id", "seq", "event_id", "type", "occurred_at", "payload_digest")


def check_event(shown, tenant):
    salt, payload = shown.typed(bytes, "salt"), shown.at("payload")
    claimed = shown.typed(str, "payload_digest")
    whole = MISSING if payload is None else payload.whole()
    if salt is not None and whole is not MISSING and claimed is not None:
        need(digest(salt + cbor(whole)) == claimed, "payload_digest is not that of the payload")
    core = {name: shown.value(name) for name in EVENT}
    claimed = shown.typed(str, "digest")
    if claimed is not None and MISSING not in core.values():
        need(digest(cbor({"v": 1, "tenant_id": tenant, **core})) == claimed, "digest is not that of the event")


def check_appends(items, events):
    by_seq = {event.shown.typed(int, "seq"): event.shown.typed(str, "digest") for event in events}
    for item in items:
        body = [item.shown.typed(kind, "payload", "body", name) for kind, name in
                ((int, "first_seq"), (int, "count"), (str, "events_digest"))]
        if item.type != "receipt" or None in body or body[1] > len(events):
            continue
        digests = [by_seq.get(body[0] + n) for n in range(body[1])]
        if None not in digests:
            made = digest(b"".join(bytes.fromhex(one.removeprefix("blake3:")) for one in digests))
            need(made == body[2], "events_digest is not that of the events")


def texts_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts_in(one)


STEPS = [
    ("format", Export.read), ("keys", Export.open_keys), ("signature", Export.check_signature),
    ("disclosures", Export.check_disclosures), ("records", Export.check_records),
    ("signatures", Export.check_signatures), ("chain", Export.check_chain), ("contents", Export.check_contents),
    ("checkpoint", Export.check_checkpoint), ("inclusion", Export.check_inclusion),
    ("epoch", Export.check_epoch), ("consistency", Export.check_consistency), ("auth-mode", Export.check_modes),
    ("timestamps", Export.check_stamps),
]


def verify(data, trusted, roots=None):
    return steps.run(STEPS, Export(data, trusted, roots))
