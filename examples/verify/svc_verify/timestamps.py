"""Timestamps of checkpoints: docs/formats/timestamps.md. The tokens are left to the command openssl."""

import calendar
import functools
import os
import re
import subprocess
import tempfile
import time

from . import records
from .canonical import need
from .log import Checkpoint, padded
from .shape import BASE64, COUNT

TIMESTAMP = {"seal": BASE64, "size": COUNT, "token": BASE64}
SEAL = "application/vnd.svc.timestamp-token"


def check_timestamps(stamps, texts, key_of, roots):
    """The checkpoint of the file is the first of the texts; roots are PEM texts, or None."""
    need(stamps or roots is None, "the file carries no timestamp")
    origin = Checkpoint(texts[0]).origin
    for one in stamps:
        token = padded(one["token"])
        seal = records.own_message(padded(one["seal"]), SEAL)
        need(seal.payload is None, "the seal is not detached")
        key = key_of(seal.kid)
        need(key.signs("exports") and seal.is_signed_by(key, token), "the seal of a token does not hold")
        need(is_whole(token), "the token is not one value")
        over = [text for text in texts if names(Checkpoint(text)) == (origin, one["size"])]
        pinned = None if roots is None else "\n".join(roots)
        need(any(holds(token, stamped(text), pinned) for text in over), "a token is over no checkpoint of its size")


def names(checkpoint):
    return checkpoint.origin, checkpoint.size


def stamped(text):
    """The note as its log signed it, without lines of witnesses."""
    checkpoint = Checkpoint(text)
    lines = text[len(checkpoint.body) + 1 :].splitlines(keepends=True)
    return checkpoint.body + "\n" + "".join(line for line in lines if line.startswith(f"\u2014 {checkpoint.origin} "))


def is_whole(token):
    """One SEQUENCE with its length before it, and nothing after it."""
    if len(token) < 2 or token[0] != 0x30 or token[1] == 0x80:
        return False
    more = max(0, token[1] - 0x80)
    length = int.from_bytes(token[2 : 2 + more], "big") if more else token[1]
    return len(token) - 2 - more == length


@functools.lru_cache(maxsize=256)
def holds(token, text, roots):
    """By openssl: the token is over the text, and its signer is for time stamping and, with roots, led to by one."""
    with tempfile.TemporaryDirectory() as folder:
        put = functools.partial(written, folder)
        path = put("token", token)
        said = openssl("ts", "-reply", "-token_in", "-in", path, "-text")
        if said is None or not re.search(r"^Hash Algorithm: sha256$", said, re.M):
            return False
        own = openssl("pkcs7", "-inform", "DER", "-in", path, "-print_certs")
        if own is None:
            return False
        own = put("own.pem", own.encode())
        trusted = own if roots is None else put("roots.pem", roots.encode())
        return openssl(
            "ts", "-verify", "-token_in", "-in", path, "-data", put("text", text.encode()), "-CAfile", trusted,
            "-untrusted", own, "-partial_chain", "-attime", str(seconds_of(said)),
        ) is not None


def seconds_of(said):
    """`Time stamp: Nov 23 11:14:12.25 2026 GMT`"""
    when = re.search(r"^Time stamp: (\w{3} +\d+ [\d:]+)(?:\.\d+)? (\d{4}) GMT$", said, re.M)
    return calendar.timegm(time.strptime(f"{when[1]} {when[2]}", "%b %d %H:%M:%S %Y"))


def openssl(*words):
    """What it prints; None where it refuses."""
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(["openssl", *words], capture_output=True, env=environment, check=False)
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def written(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path
