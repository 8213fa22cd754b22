"""Texts and the receipts of their ingest: docs/formats/receipts.md, "Passages"."""

from .canonical import cbor, need
from .log import hashes, leaf_hash, root_of

INGESTS = ("ingest.accepted", "ingest.completed", "local.ingested")


def document_hash(payload, corpus_id, doc_id, version):
    """The digest of a document's text, where the receipt says one of this version."""
    body = payload["body"]
    if payload["kind"] not in INGESTS or body.get("corpus_id") != corpus_id:
        return None
    documents = body.get("documents", []) if payload["kind"] == "local.ingested" else [body]
    for one in documents:
        if isinstance(one, dict) and (one.get("doc_id"), one.get("version")) == (doc_id, version):
            return one.get("content_hash")
    return None


def expect_bound(binding, passage, receipts):
    """That the binding leads from the passage to its receipt. Receipts by id; passage: chunk_id, content_hash and ids."""
    receipt = receipts.get(binding["receipt_id"])
    need(receipt and receipt.payload["kind"] == "ingest.completed", "the receipt of the ingest is not there")
    ids = passage["corpus_id"], passage["doc_id"], passage["version"]
    said = document_hash(receipt.payload, *ids)
    need(said is not None, "the receipt is of another document")
    body = receipt.payload["body"]
    count, root = body.get("passages"), body.get("passages_root")
    need(type(count) is int and binding["index"] < count, "the place is beyond the passages")
    leaf = leaf_hash(cbor([passage["chunk_id"], passage["content_hash"], binding["start"], binding["end"]]))
    made = root_of(leaf, binding["index"], count, hashes(binding["path"]))
    need(f"sha256:{made.hex()}" == root, "the path does not lead to the root of the passages")
    for one in receipts.values():
        other = document_hash(one.payload, *ids)
        need(other is None or other == said, "two receipts say different texts of one document")
