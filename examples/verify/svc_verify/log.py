"""The transparency log: entries, Merkle proofs (RFC 9162, 2.1), checkpoints (C2SP tlog-checkpoint)."""

import base64
import hashlib
import re

from .blake3 import digest
from .canonical import need
from .keys import ED25519, note_key_id

SPACE = re.compile(r"[\s\u0085\u200b\ufeff+]")


def leaf_hash(entry):
    return hashlib.sha256(b"\0" + entry).digest()


def node_hash(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def entry_of(kind, record):
    return f"svc-log-entry-v1:{kind}:{digest(record)}"


def hashes(path):
    return [bytes.fromhex(text.removeprefix("sha256:")) for text in path]


def root_of(leaf, index, size, path):
    """RFC 9162, 2.1.3.2: the root that the path leads to."""
    need(index < size, "the leaf is beyond the end of the log")
    position, last, node = index, size - 1, leaf
    for sibling in path:
        need(last, "the path is too long")
        if position % 2 or position == last:
            node = node_hash(sibling, node)
            while position % 2 == 0 and position:
                position, last = position >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        position, last = position >> 1, last >> 1
    need(last == 0, "the path is too short")
    return node


def expect_included(leaf, index, path, checkpoint):
    made = root_of(leaf, index, checkpoint.size, hashes(path))
    need(made == checkpoint.root, "the inclusion proof does not lead to the checkpoint")


def expect_extended(first, second, path):
    """RFC 9162, 2.1.4.2: that the second tree has all leaves of the first, unchanged."""
    need(first.size <= second.size, "the earlier checkpoint is of a larger log")
    empty = hashlib.sha256(b"").digest()
    if first.size in (0, second.size):
        need(not path and first.root == (second.root if first.size else empty), "the roots differ")
        return
    nodes = hashes(path)
    if first.size & first.size - 1 == 0:
        nodes.insert(0, first.root)
    need(nodes, "the proof is empty")
    position, last = first.size - 1, second.size - 1
    while position % 2:
        position, last = position >> 1, last >> 1
    old = new = nodes[0]
    for sibling in nodes[1:]:
        need(last, "the proof is too long")
        if position % 2 or position == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while position % 2 == 0 and position:
                position, last = position >> 1, last >> 1
        else:
            new = node_hash(new, sibling)
        position, last = position >> 1, last >> 1
    need(last == 0 and old == first.root and new == second.root, "the proof does not lead from one to the other")


class Checkpoint:
    """A signed note of three lines: origin, size, root."""

    def __init__(self, text):
        need(not re.search(r"[\0-\t\v-\x1f]", text), "a note has no control characters")
        body, blank, lines = text.rpartition("\n\n")
        need(blank and lines.endswith("\n"), "a note is text, a blank line and signature lines")
        self.body = body + "\n"
        origin, size, root = (self.body.split("\n") + [""] * 3)[:3]
        need(self.body.count("\n") == 3 and origin, "a checkpoint has the lines origin, size and root")
        need(re.fullmatch(r"0|[1-9]\d*", size, re.ASCII) and int(size) < 2**53, "the size is malformed")
        self.origin, self.size, self.root = origin, int(size), padded(root)
        need(len(self.root) == 32, "the root is malformed")
        self.lines = [signature_line(line) for line in lines[:-1].split("\n")]
        need(len(self.lines) <= 64, "too many signatures")

    def is_signed_by(self, key):
        """By the key under the origin's name; no line that names the key may be wrong."""
        key_id = note_key_id(self.origin, bytes([ED25519]) + key.raw) if key.algorithm == "EdDSA" else None
        own = [signature for name, found, signature in self.lines if (name, found) == (self.origin, key_id)]
        return bool(own) and all(key.holds(self.body.encode(), signature) for signature in own)


def signature_line(line):
    parts = re.fullmatch(r"\u2014 (\S+) ([A-Za-z0-9+/]+={0,2})", line)
    need(parts and not SPACE.search(parts[1]), "a signature line is malformed")
    data = padded(parts[2])
    need(len(data) >= 5, "a signature is too short")
    return parts[1], data[:4], data[4:]


def padded(text):
    """base64 with padding, in the one canonical form."""
    need(isinstance(text, str) and re.fullmatch(r"[A-Za-z0-9+/]*={0,2}", text, re.ASCII), "not base64")
    need(len(text) % 4 == 0, "base64 without its padding")
    data = base64.b64decode(text)
    need(base64.b64encode(data).decode() == text, "base64 with spare bits that are not zero")
    return data
