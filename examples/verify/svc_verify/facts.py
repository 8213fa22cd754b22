"""Facts and the receipts of their batches: docs/formats/receipts.md, "Batches of facts"."""

from .canonical import cbor, need
from .log import hashes, leaf_hash, root_of
from .shape import COUNT, SHA256
from .tree import MISSING

MEMBERS = (
    "fact_id owner entity key version value tombstone actor actor_claimed written_by confidence horizon_class "
    "tenant_hash source_receipt valid_from valid_to"
).split()


def check_facts(items, is_complete):
    facts = [item.shown for item in items if item.type == "fact"]
    receipts = [item.receipt for item in items if item.type == "receipt"]
    for shown in facts:
        check_fact(shown, receipts)
    check_versions(facts, is_complete)


def check_fact(shown, receipts):
    binding, unproven = shown.whole_at("binding"), shown.value("unproven")
    need(unproven is MISSING or unproven is True, "unproven is true where it stands")
    if binding is None:
        need(unproven is True, "a fact without a receipt does not say so")
    if not isinstance(binding, dict):
        return
    need(unproven is MISSING, "a fact with a receipt says that it has none")
    leaf = [shown.value(name) for name in MEMBERS]
    if MISSING in leaf or set(binding) != {"receipt_id", "index", "path"}:
        return
    receipt = next((one for one in receipts if one and one.receipt_id == binding["receipt_id"]), None)
    if receipt is None and None in receipts:
        return
    need(receipt and receipt.payload["kind"] == "fact.batch", "the receipt of a fact is not there")
    body, index = receipt.payload["body"], binding["index"]
    need(COUNT(index) and COUNT(body.get("count")) and index < body["count"], "the place is beyond the batch")
    path = binding["path"]
    need(isinstance(path, list) and all(SHA256(one) for one in path), "the path is malformed")
    made = root_of(leaf_hash(cbor(leaf)), index, body["count"], hashes(path))
    need(f"sha256:{made.hex()}" == body.get("root"), "the fact is not the one that the receipt binds")
    need(shown.value("stored_at") in (MISSING, receipt.payload["occurred_at"]), "stored_at is not that of the receipt")


def check_versions(facts, is_complete):
    """No version is left out between two."""
    names = [[shown.value(name) for name in ("owner", "entity", "key", "version")] for shown in facts]
    if any(MISSING in name for name in names):
        return
    last = {}
    for *name, version in names:
        before = last.get(tuple(name), 0 if is_complete else version - 1)
        need(version == before + 1, "a version of a fact is missing")
        last[tuple(name)] = version
