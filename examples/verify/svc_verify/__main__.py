"""python3 -m svc_verify FILE [--key KEYS] [--tsa-ca FILE] [--json] [--changes LIST]"""

import argparse
import base64
import json
import sys

from . import export, forms, keys, pack, transport
from .canonical import Refused


def verify(data, trusted, roots=None):
    """None where everything holds, else the step that fails and why."""
    try:
        data = transport.unwrap(data)
    except Refused as error:
        return "format", str(error)
    kind = forms.kind_of(data)
    if kind:
        failed = forms.verify(kind, data, trusted)
        return failed or (roots and ("timestamps", "a standard form carries no timestamp"))
    if data[:1] == b"{" and b'"svc-proofpack-v' in data:
        return pack.verify(data, trusted, roots)
    return export.verify(data, trusted, roots)


def changes(data, trusted, listed):
    """The step that fails for each change of one byte: pairs of offset and value."""
    for at, value in listed:
        failed = verify(data[:at] + bytes([value]) + data[at + 1 :], trusted)
        yield failed[0] if failed else None


def main():
    parser = argparse.ArgumentParser(prog="svc_verify", description="Verifies evidence of svc offline.")
    parser.add_argument("file", nargs="?")
    parser.add_argument("--key", help="trust only these keys: a JWK Set, JWK, PEM or note verifier keys")
    parser.add_argument("--tsa-ca", help="PEM certificates of time-stamping authorities: one must lead to each timestamp")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--changes", help="a JSON list of [offset, byte]: print the step that refuses each change")
    parser.add_argument("--files", help="a JSON list of [file in base64, list of PEM texts or null]: print the step that refuses each")
    options = parser.parse_args()
    if options.files:
        with open(options.files, "rb") as file:
            verdicts = [verify(base64.b64decode(one), None, roots) for one, roots in json.load(file)]
        print(json.dumps([failed and failed[0] for failed in verdicts]))
        return 0
    if not options.file:
        parser.error("name a file")
    with open(options.file, "rb") as file:
        data = file.read()
    trusted = None
    if options.key:
        with open(options.key, "rb") as file:
            trusted = keys.trusted(file.read())
    roots = None
    if options.tsa_ca:
        with open(options.tsa_ca, "r", encoding="ascii") as file:
            roots = [file.read()]
    if options.changes:
        with open(options.changes, "rb") as file:
            print(json.dumps(list(changes(data, trusted, json.load(file)))))
        return 0
    failed = verify(data, trusted, roots)
    if options.json:
        print(json.dumps({"ok": failed is None, "failed": failed and failed[0], "detail": failed and failed[1]}))
    else:
        print(f"NOT verified: {failed[0]}: {failed[1]}" if failed else "verified")
        if trusted is None and not failed:
            print("by keys that the file itself brings: give --key to know who made it")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Refused, OSError) as error:
        sys.exit(f"svc_verify: {error}")
