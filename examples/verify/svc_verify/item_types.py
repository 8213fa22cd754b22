"""The types that members of items have where they are shown: docs/formats/export.md, "Items"."""

from .canonical import need
from .shape import BLAKE3, COUNT, INSTANT, TEXT
from .tree import MISSING

BYTES = lambda value: isinstance(value, bytes)
SALT = lambda value: isinstance(value, bytes) and len(value) == 16
MAP = lambda value: isinstance(value, dict)
TEXTS = lambda value: isinstance(value, list) and all(TEXT(one) for one in value)


def maybe(test):
    return lambda value: value is None or test(value)


RECORD = {
    "receipt_id": TEXT, "ingested_at": INSTANT, "payload.v": lambda value: value == 1, "payload.kind": TEXT,
    "payload.tenant_id": TEXT, "payload.occurred_at": INSTANT, "payload.actor": TEXT, "payload.auth_mode": TEXT,
    "payload.body": MAP,
}
TYPES = {
    "receipt": {
        **RECORD, "cose": BYTES, "payload_hash": BLAKE3, "payload.stream": TEXT, "payload.seq": COUNT,
        "payload.prev": maybe(BLAKE3), "payload.subject": TEXT, "payload.body_hash": BLAKE3,
    },
    "retrieval": {**RECORD, "cbor": BYTES, "receipt_id": BLAKE3, "payload.nonce": SALT},
    "answer": {
        **{name: TEXT for name in ("answer_id", "agent_id", "recorded_by", "receipt_id")}, "version": COUNT,
        "recorded_at": INSTANT, "text": maybe(TEXT), "text_hash": maybe(BLAKE3),
    },
    "citation": {
        **{name: TEXT for name in ("answer_id", "chunk_id", "chunk_ref", "corpus_id", "doc_id")},
        **{name: COUNT for name in ("version", "ordinal", "doc_version")},
        **{name: maybe(TEXT) for name in ("title", "url", "content", "quote", "note")},
        **{name: maybe(BLAKE3) for name in ("content_hash", "quote_hash", "note_hash")},
        "start": maybe(COUNT), "end": maybe(COUNT),
    },
    "event": {
        **{name: TEXT for name in ("stream_type", "stream_id", "type", "receipt_id")}, "seq": COUNT,
        "event_id": maybe(TEXT), "occurred_at": maybe(TEXT), "recorded_at": INSTANT, "salt": SALT,
        "payload_digest": BLAKE3, "digest": BLAKE3,
    },
    "happening": {"event_id": TEXT, "kind": TEXT, "subject": TEXT, "occurred_at": INSTANT},
    "finding": {
        **{name: TEXT for name in ("receipt_id", "answer_id", "chunk_id", "chunk_ref", "text", "source", "answer")},
        **{name: maybe(TEXT) for name in ("record", "signature", "chain", "log")},
        "version": COUNT, "ordinal": COUNT, "drift": TEXTS,
    },
}
APPEND = {"events_digest": BLAKE3, "first_seq": COUNT, "count": COUNT}


def check_types(item):
    for name, test in TYPES.get(item.type, {}).items():
        value = item.shown.whole_at(*name.split("."))
        need(value is MISSING or test(value), f"item {item.index}: {name} is of another type")
    body = item.shown.whole_at("payload", "body") if item.type == "receipt" else None
    if isinstance(body, dict) and "events_digest" in body:
        for name, test in APPEND.items():
            need(name not in body or test(body[name]), f"item {item.index}: {name} is of another type")
