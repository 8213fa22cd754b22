#!/usr/bin/env python3
"""Pulls what a tenant has from a memory daemon, as one of its peers: every version of every record, verified.

Written from docs/formats/sync.md and docs/formats/peer-requests.md alone. Standard library, one library for Ed25519
(cryptography), and the canonical JSON of ../verify.

    pull.py https://memory.example acme peer.pem --kid KID > versions.ndjson

peer.pem: the private key (PKCS#8) of a peer that the daemon knows. KID: the thumbprint of the daemon's key of exports
that you trust; without it any key that the manifest names is taken. Ends with 1 and a reason when something does not hold.
"""

import argparse
import base64
import hashlib
import json
import pathlib
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "verify"))
from svc_verify.canonical import jcs  # noqa: E402

ORDER = ["holds", "tombstones", "entities", "edges", "facts", "relations", "cases"]


class Refused(Exception):
    """What was answered does not hold."""


def need(condition, why):
    if not condition:
        raise Refused(why)


def unpadded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def padded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def thumbprint(public):
    return unpadded(hashlib.sha256(b'{"crv":"Ed25519","kty":"OKP","x":"' + unpadded(public).encode() + b'"}').digest())


def hashed(domain, value):
    return hashlib.sha256(domain.encode() + b"\n" + jcs(value)).digest()


def named(digest):
    return "sha256:" + digest.hex()


class Peer:
    """Signed requests (RFC 9421). Each answer brings the nonce of the next request."""

    def __init__(self, origin, key):
        self.origin = origin.rstrip("/")
        self.key = key
        raw = key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        self.keyid = thumbprint(raw)
        self.nonce = None

    def get(self, path):
        nonce = self.nonce or self.send("POST", "/v1/sync/handshake/nonce", {})["nonce"]
        digest = "sha-256=:" + base64.b64encode(hashlib.sha256(b"").digest()).decode() + ":"
        covered = [
            ("@method", "GET"),
            ("@target-uri", self.origin + path),
            ("content-digest", digest),
            ("x-svc-sync-nonce", nonce),
        ]
        names = " ".join(f'"{name}"' for name, _ in covered)
        params = f'({names});created={int(time.time())};keyid="{self.keyid}";alg="ed25519"'
        base = "\n".join([f'"{name}": {value}' for name, value in covered] + [f'"@signature-params": {params}'])
        signature = base64.b64encode(self.key.sign(base.encode())).decode()
        headers = {"content-digest": digest, "x-svc-sync-nonce": nonce}
        return self.send("GET", path, headers | {"signature-input": f"svc={params}", "signature": f"svc=:{signature}:"})

    def send(self, method, path, headers):
        request = urllib.request.Request(self.origin + path, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                self.nonce = answer.headers.get("x-svc-sync-nonce")
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            raise Refused(f"{method} {path}: {refusal.code} {refusal.read(2000).decode()}") from None


def check_manifest(manifest, tenant, kid):
    signature = manifest["signature"]
    public = padded(signature["public_key"])
    need(signature["algorithm"] == "Ed25519" and thumbprint(public) == signature["kid"], "the key of the manifest is named wrongly")
    need(kid in (None, signature["kid"]), f"the manifest is signed by {signature['kid']}, not by {kid}")
    signed = {name: value for name, value in manifest.items() if name not in ("signature", "differs")}
    try:
        key = Ed25519PublicKey.from_public_bytes(public)
        key.verify(padded(signature["value"]), b"svc.sync.manifest/1\n" + jcs(signed))
    except InvalidSignature:
        raise Refused("the signature of the manifest does not hold") from None
    need(manifest["tenant_id"] == tenant, "the manifest is of another tenant")


def key_of(item):
    """Names the record, and orders records."""
    is_gone = item["collection"] == "tombstones"
    return hashed("svc.sync.key/1", item["id"] if is_gone else [item["collection"], *item["id"]])


def digest_of(item):
    """Checked against what the item says, with its content where there is one."""
    origin = item["origin"]
    need(item["vector"].get(origin["writer"]) == origin["seq"], f"{item['id']}: the vector does not have its origin")
    need(item["deleted"] == (item["collection"] == "tombstones"), f"{item['id']}: in the wrong collection")
    need((origin["hash"] is None) == item["deleted"], f"{item['id']}: a deletion has no content, all else has")
    if item["content"] is not None:
        need(named(hashed("svc.sync.content/1", item["content"])) == origin["hash"], f"{item['id']}: another content")
    version = {name: item[name] for name in ("collection", "deleted", "id", "origin", "vector")}
    digest = hashed("svc.sync.version/1", version)
    need(named(digest) == item["digest"], f"{item['id']}: another version than its digest")
    return digest


def is_before(one, other):
    return one != other and all(other.get(origin, 0) >= seq for origin, seq in one.items())


class Tree:
    """RFC 6962, 2.1, grown one leaf at a time: the peaks of whole trees, the largest first."""

    def __init__(self):
        self.peaks = []

    def add(self, data):
        size, node = 1, hashlib.sha256(b"\0" + data).digest()
        while self.peaks and self.peaks[-1][0] == size:
            left_size, left = self.peaks.pop()
            size, node = size + left_size, hashlib.sha256(b"\1" + left + node).digest()
        self.peaks.append((size, node))

    def root(self):
        if not self.peaks:
            return hashlib.sha256(b"").digest()
        node = self.peaks[-1][1]
        for _, left in reversed(self.peaks[:-1]):
            node = hashlib.sha256(b"\1" + left + node).digest()
        return node


def pages(peer, tenant, collection):
    path = f"/v1/sync/tenants/{urllib.parse.quote(tenant, safe='')}/collections/{collection}?limit=1000&include_content=true"
    cursor = ""
    while True:
        page = peer.get(path + cursor)
        yield page
        if not page["has_more"]:
            return
        cursor = "&cursor=" + urllib.parse.quote(page["next_cursor"], safe="")


def pull(peer, tenant, kid):
    """Every version of the tenant that this peer reaches, by the key of its record."""
    manifest = peer.get(f"/v1/sync/tenants/{urllib.parse.quote(tenant, safe='')}/manifest")
    check_manifest(manifest, tenant, kid)
    shown = {one["name"]: one for one in manifest["collections"]}
    records = {}
    for collection in (name for name in ORDER if name in shown):
        tree, last, count = Tree(), b"", 0
        for page in pages(peer, tenant, collection):
            digests = []
            for item in page["items"]:
                need(item["collection"] == collection, f"{item['id']} is of another collection")
                digest, key = digest_of(item), key_of(item)
                need(key + digest > last, f"{item['id']} is out of order")
                last = key + digest
                tree.add(digest)
                digests.append(digest)
                records.setdefault(key, []).append(item)
            head = b"svc.sync.page/1\n" + jcs([tenant, collection])
            need(named(hashlib.sha256(head + b"".join(digests)).digest()) == page["page_digest"], "a page has another digest")
            need(named(tree.root()) == page["root_so_far"], f"the root of {collection} differs after a page")
            count += len(digests)
        expected = shown[collection]
        need((count, named(tree.root())) == (expected["count"], expected["root"]), f"{collection} is not what the manifest says; it may have changed meanwhile")
    for versions in records.values():
        for one in versions:
            need(not any(is_before(one["vector"], other["vector"]) for other in versions), f"{one['id']} is gone beyond")
    return records


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("url")
    parser.add_argument("tenant")
    parser.add_argument("key", type=pathlib.Path)
    parser.add_argument("--kid")
    given = parser.parse_args()
    key = serialization.load_pem_private_key(given.key.read_bytes(), password=None)
    try:
        records = pull(Peer(given.url, key), given.tenant, given.kid)
    except Refused as refused:
        sys.exit(str(refused))
    for versions in records.values():
        for version in versions:
            print(json.dumps(version, ensure_ascii=False, sort_keys=True))


if __name__ == "__main__":
    main()
