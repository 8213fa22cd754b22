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
    kind = receipt and receipt.payload["kind"]
    need(kind in ("ingest.completed", "ingest.batch_completed"), "the receipt of the ingest is not there")
    ids = passage["corpus_id"], passage["doc_id"], passage["version"]
    body = binding.get("document")
    need((body is not None) == (kind == "ingest.batch_completed"), "the document of a batch is not there")
    if body is None:
        body, said = receipt.payload["body"], document_hash(receipt.payload, *ids)
    else:
        expect_in_batch(body, ids, receipt.payload["body"])
        said = body["content_hash"]
    need(said is not None, "the receipt is of another document")
    count, root = body.get("passages"), body.get("passages_root")
    need(type(count) is int and binding["index"] < count, "the place is beyond the passages")
    leaf = leaf_hash(cbor([passage["chunk_id"], passage["content_hash"], binding["start"], binding["end"]]))
    made = root_of(leaf, binding["index"], count, hashes(binding["path"]))
    need(f"sha256:{made.hex()}" == root, "the path does not lead to the root of the passages")
    for one in receipts.values():
        other = document_hash(one.payload, *ids)
        need(other is None or other == said, "two receipts say different texts of one document")
    accepted = binding.get("accepted")
    if accepted is not None:
        acceptance = receipts.get(accepted["receipt_id"])
        is_there = acceptance and acceptance.payload["kind"] == "ingest.batch_accepted"
        need(is_there, "the receipt of the acceptance is not there")
        expect_in_batch(accepted, ids, acceptance.payload["body"])
        need(accepted["content_hash"] == said, "another text was accepted")


def expect_in_batch(place, ids, body):
    """That a document has its leaf in the batch of a receipt with that body: receipts.md, "Batches of documents"."""
    said = {name: member for name, member in place.items() if name not in ("index", "path", "receipt_id")}
    leaf = leaf_hash(cbor({**said, **dict(zip(("corpus_id", "doc_id", "version"), ids))}))
    count = body.get("count")
    need(type(count) is int and place["index"] < count, "the place is beyond the documents")
    made = root_of(leaf, place["index"], count, hashes(place["path"]))
    need(f"sha256:{made.hex()}" == body.get("root"), "the document is not of the batch")
