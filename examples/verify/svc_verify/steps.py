"""What packs and exports have in common."""

from .canonical import Refused, need
from .keys import ED25519, note_key_id
from .log import Checkpoint

COSIGNATURE_BYTES = 76
LAST_SECOND = 253402300799


def run(steps, opened):
    """Runs steps in their order. Returns the name of the first that fails with the reason, or None."""
    for name, step in steps:
        try:
            step(opened)
        except Refused as error:
            return name, str(error)
    return None


def expect_valid(key, purpose, seconds, what):
    need(key.signs_at(purpose, seconds), f"{what}: its key did not sign {purpose} then")


def file_checkpoint(text, keys):
    """A checkpoint of a file: each line is of the log, by a key of the file, and holds; or is a cosignature."""
    checkpoint = Checkpoint(text)
    signers = {note_key_id(checkpoint.origin, bytes([ED25519]) + key.raw): key for key in keys.values() if key.signs("log")}
    need(len({line[:2] for line in checkpoint.lines}) == len(checkpoint.lines), "a key has two lines")
    own = [line for line in checkpoint.lines if line[0] == checkpoint.origin]
    need(own, "no line is of the log")
    for _, key_id, signature in own:
        key = signers.get(key_id)
        need(key and key.holds(checkpoint.body.encode(), signature), "a line of the log does not hold")
    for name, _, signature in checkpoint.lines:
        if name != checkpoint.origin:
            is_cosignature = len(signature) == COSIGNATURE_BYTES - 4
            need(is_cosignature and int.from_bytes(signature[:8], "big") <= LAST_SECOND, "a line is no cosignature")
    return checkpoint
