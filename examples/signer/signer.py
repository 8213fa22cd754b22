"""A signer for svc: keys that never leave this program. docs/formats/signer.md is its protocol.

    python3 signer.py --keys FOLDER --socket /run/svc/signer.sock [--token-file FILE]

FOLDER holds one PKCS#8 PEM a key, `<purpose>-<name>.pem` with the purpose receipts, log, exports, peers or es256; of each
purpose the last name comes first. openssl signs. For a PKCS#11 token or a KMS replace `sign` and `list_keys`.
"""

import argparse
import base64
import hashlib
import hmac
import json
import os
import socketserver
import subprocess
import tempfile
from http.server import BaseHTTPRequestHandler
from pathlib import Path

PURPOSES = ("receipts", "log", "exports", "peers", "es256")


def b64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def openssl(*words, data=b""):
    return subprocess.run(["openssl", *words], input=data, capture_output=True, check=True).stdout


def public_jwk(pem, purpose):
    """The public half as a JWK; its kid is the RFC 7638 thumbprint."""
    der = openssl("pkey", "-in", str(pem), "-pubout", "-outform", "DER")
    if purpose == "es256":
        members = {"crv": "P-256", "kty": "EC", "x": b64url(der[-64:-32]), "y": b64url(der[-32:])}
    else:
        members = {"crv": "Ed25519", "kty": "OKP", "x": b64url(der[-32:])}
    canonical = json.dumps(members, separators=(",", ":"), sort_keys=True)
    kid = b64url(hashlib.sha256(canonical.encode()).digest())
    return {**members, "kid": kid, "svc_purposes": ["log" if purpose == "es256" else purpose]}


def list_keys(folder):
    """Each key with its file, newest first."""
    files = sorted(Path(folder).glob("*.pem"), reverse=True)
    named = [(purpose, file) for purpose in PURPOSES for file in files if file.name.startswith(purpose + "-")]
    return [(public_jwk(file, purpose), file) for purpose, file in named]


def integers(der):
    """r and s of an ECDSA signature in DER, 32 bytes each."""
    length, at, found = der[1], 2, b""
    assert length < 128
    for _ in range(2):
        size = der[at + 1]
        found += int.from_bytes(der[at + 2 : at + 2 + size], "big").to_bytes(32, "big")
        at += 2 + size
    return found


def sign(jwk, file, message):
    """64 bytes."""
    if jwk["kty"] == "EC":
        return integers(openssl("dgst", "-sha256", "-sign", str(file), data=message))
    with tempfile.NamedTemporaryFile() as held:  # openssl wants a file for Ed25519
        held.write(message)
        held.flush()
        return openssl("pkeyutl", "-sign", "-rawin", "-inkey", str(file), "-in", held.name)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder, token = None, None

    def do_GET(self):
        if self.path == "/keys" and self.allowed():
            self.answer(200, {"keys": [jwk for jwk, _ in list_keys(self.folder)]})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path != "/sign" or not self.allowed():
            return
        asked = json.loads(body)
        for jwk, file in list_keys(self.folder):
            if jwk["kid"] == asked["kid"] and asked["purpose"] in jwk["svc_purposes"]:
                messages = [base64.b64decode(message) for message in asked["messages"]]
                signed = [base64.b64encode(sign(jwk, file, message)).decode() for message in messages]
                return self.answer(200, {"signatures": signed})
        self.answer(404, {"error": f"no key {asked['kid']} for {asked['purpose']}"})

    def allowed(self):
        given = self.headers.get("authorization", "")
        if self.token is None or hmac.compare_digest(given.encode(), f"Bearer {self.token}".encode()):
            return True
        self.answer(401, {"error": "the token is wrong"})
        return False

    def answer(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def address_string(self):
        return "socket"


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--keys", required=True)
    options.add_argument("--socket", required=True)
    options.add_argument("--token-file")
    given = options.parse_args()
    Handler.folder = given.keys
    Handler.token = Path(given.token_file).read_text().strip() if given.token_file else None
    os.umask(0o077)
    Path(given.socket).unlink(missing_ok=True)
    with Server(given.socket, Handler) as server:
        print(f"listening on {given.socket}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
