"""The record by which an epoch of the log begins: docs/formats/transparency-log.md."""

from . import records
from .canonical import need
from .log import Checkpoint, entry_of, expect_extended, expect_included, leaf_hash, padded

MEMBERS = "epoch last_known_checkpoint origin previous_origin restored_checkpoint"


class Epoch:
    def __init__(self, record, checkpoint, keys):
        data = padded(record["cose"])
        receipt = records.Receipt(data)
        payload, body = receipt.payload, receipt.payload["body"]
        place = payload["tenant_id"], payload["stream"], payload["kind"]
        need(place == ("svc/server", "log", "log.epoch"), "not the record of an epoch")
        need(" ".join(sorted(body)) == MEMBERS, "the record of the epoch has other members")
        origin, number = body["origin"], body["epoch"]
        need(origin == payload["subject"] == checkpoint.origin, "the record is of another log")
        need(type(number) is int and number > 0 and origin.endswith(f"/{number}"), "the number is not that of the origin")
        self.previous = body["previous_origin"]
        self.restored, self.known = (body[name] and Checkpoint(body[name]) for name in
                                     ("restored_checkpoint", "last_known_checkpoint"))
        need((self.previous is None) == (self.restored is None), "what the epoch follows is not clear")
        need(self.restored or not self.known, "what the epoch follows is not clear")
        for one in (self.restored, self.known):
            need(one is None or one.origin == self.previous, "a checkpoint of another origin")
        need(not self.known or self.known.size >= self.restored.size, "more was restored than was known")
        key = keys.get(receipt.kid)
        need(key and receipt.message.is_signed_by(key, receipt.message.payload), "the signature of the epoch does not hold")
        need(key.signs_at("receipts", records.seconds(payload["occurred_at"])), "the key did not sign then")
        expect_included(leaf_hash(entry_of("execution", data).encode()), 0, record["path"], checkpoint)

    def expect_before(self, earlier, path):
        """An earlier checkpoint of the epoch before contradicts nothing of the record."""
        need(not path, "no proof leads from one epoch to the next")
        need(not self.known or earlier.size <= self.known.size, "it is larger than the last that was known")
        for one in (self.restored, self.known):
            need(one is None or one.size != earlier.size or one.root == earlier.root, "it has another root")


def open_epoch(record, checkpoint, keys):
    return Epoch(record, checkpoint, keys) if record else None


def expect_consistent(items, checkpoint, epoch, read):
    for one in items:
        earlier = read(one["checkpoint"])
        if earlier.origin == checkpoint.origin:
            expect_extended(earlier, checkpoint, one["path"])
            continue
        need(epoch and epoch.previous == earlier.origin, f"an epoch is missing after {earlier.origin}")
        epoch.expect_before(earlier, one["path"])
