"""Which keys of a file are trusted, what each signs and when: docs/formats/keys.md."""

from . import records
from .canonical import need
from .keys import PURPOSES, of_jwk

FOREVER = float("inf")
BODIES = {"key.rotated": "ends key purpose replaces", "key.adopted": "key"}


class FileKey:
    """A key of a file, and for each purpose the seconds from which and until which it signs."""

    def __init__(self, key, terms):
        self.key, self.kid, self.raw, self.algorithm, self.holds = key, key.kid, key.raw, key.algorithm, key.holds
        self.terms = terms

    def signs(self, purpose):
        return purpose in self.terms

    def signs_at(self, purpose, seconds):
        start, end = self.terms.get(purpose, (0, 0))
        return start <= seconds < end


class Statement:
    """A receipt of the server by which one key names another."""

    def __init__(self, data):
        self.receipt = records.Receipt(data)
        payload = self.receipt.payload
        self.kind, body = payload["kind"], payload["body"]
        need(payload["tenant_id"] == "svc/server" and payload["stream"] == "keys", "a statement is of another stream")
        need(self.kind in BODIES and " ".join(sorted(body)) == BODIES[self.kind], "a statement of another form")
        need(isinstance(body["key"], dict), "the key of a statement is no JWK")
        self.key = of_jwk(body["key"])
        need(self.key and self.key.kid == payload["subject"], "a statement is about another key")
        self.ends = records.seconds(body["ends"]) if self.kind == "key.rotated" else None
        need(self.ends is None or body["purpose"] in PURPOSES, "a statement has no purpose")
        need(self.ends is not None or self.key.exp is not None, "an adopted key has no end")
        self.purpose, self.replaces = body.get("purpose"), body.get("replaces")
        self.at = records.seconds(payload["occurred_at"])


def open_keys(jwks, statements, trusted):
    """The keys of a file by kid. Statements are None in files of version 1."""
    listed = {}
    for jwk in jwks:
        key = of_jwk(jwk)
        need(key.kid not in listed, "a key stands there twice")
        listed[key.kid] = key
    if statements is None:
        return {kid: first_version(key, trusted) for kid, key in listed.items()}
    opened = [Statement(data) for data in statements]
    named = {one.key.kid for one in opened}
    chain = Chain(trusted if trusted is not None else only_root(listed, named), listed)
    for one in opened:
        need(one.key.kid in listed, "a statement is about a key that is not in the file")
        chain.add(one)
    return {kid: chain.narrowed(key, kid in named) for kid, key in listed.items()}


def first_version(key, trusted):
    """Every key must be trusted, and signs for everything."""
    nbf, exp = key.nbf, key.exp
    if trusted is not None:
        pinned = next((one for one in trusted if one.kid == key.kid), None)
        need(pinned, f"key {key.kid} is not among the trusted keys")
        nbf, exp = (nbf if pinned.nbf is None else pinned.nbf), (exp if pinned.exp is None else pinned.exp)
        return FileKey(key, everything(nbf, exp, pinned.purposes))
    return FileKey(key, everything(nbf, exp))


def only_root(listed, named):
    roots = [key for kid, key in listed.items() if kid not in named]
    need(len(roots) < 2, "two keys of the file are named by no statement")
    return roots


def everything(nbf, exp, purposes=PURPOSES):
    term = -FOREVER if nbf is None else nbf, FOREVER if exp is None else exp
    return {purpose: term for purpose in purposes}


class Chain:
    """Keys that a chain of statements leads to from the roots."""

    def __init__(self, roots, listed):
        self.roots = {one.kid: one for one in roots}
        self.known, self.named, self.last = {}, set(), None
        for kid, one in self.roots.items():
            own = listed.get(kid, one)
            nbf, exp = (own.nbf if one.nbf is None else one.nbf), (own.exp if one.exp is None else one.exp)
            self.known[kid] = FileKey(one, everything(nbf, exp, one.purposes))

    def add(self, one):
        payload, message = one.receipt.payload, one.receipt.message
        need(one.key.kid not in self.named, "two statements are about one key")
        if self.last:
            before = self.last.payload
            need(before["seq"] < payload["seq"], "the statements do not ascend")
            if before["seq"] == payload["seq"] - 1:
                need(payload["prev"] == self.last.payload_hash, "prev is not the statement before it")
        signer = self.known.get(message.kid)
        need(signer and message.is_signed_by(signer, message.payload), "the signature of a statement does not hold")
        if one.kind == "key.rotated":
            self.rotate(one, signer)
        else:
            need(message.kid in self.roots and signer.signs_at("receipts", one.at), "another than the first key adopts")
            self.known[one.key.kid] = FileKey(one.key, everything(one.key.nbf, one.key.exp, self.trusted_for(one.key)))
        self.named.add(one.key.kid)
        self.last = one.receipt

    def rotate(self, one, signer):
        can = signer.signs_at(one.purpose, one.at) or signer.signs_at("receipts", one.at)
        need(can, "the signer of a statement did not sign then")
        root = self.roots.get(one.replaces)
        if not root or one.purpose in root.purposes:
            self.end(one)
        term = one.key.nbf, FOREVER if one.key.exp is None else one.key.exp
        is_for = one.purpose in self.trusted_for(one.key)
        self.known[one.key.kid] = FileKey(one.key, {one.purpose: term} if is_for else {})

    def end(self, one):
        replaced = self.known.get(one.replaces)
        need(replaced and replaced.signs(one.purpose), "the key that is replaced did not sign for that")
        start, end = replaced.terms.pop(one.purpose)
        if start < min(end, one.ends):
            replaced.terms[one.purpose] = start, min(end, one.ends)

    def trusted_for(self, key):
        root = self.roots.get(key.kid)
        return root.purposes if root else PURPOSES

    def narrowed(self, key, is_named):
        chained = self.known.get(key.kid)
        need(chained, f"key {key.kid} is not trusted, and no statement names it")
        if key.kid in self.roots and not is_named:
            return chained
        end = FOREVER if key.exp is None else key.exp
        terms = {name: (max(term[0], key.nbf), min(term[1], end)) for name, term in chained.terms.items()}
        return FileKey(key, {name: term for name, term in terms.items() if term[0] < term[1]})


def expect_log_name(origin, trusted):
    """Where keys of logs are trusted, the checkpoint is of one of them."""
    names = [key.name for key in trusted or [] if key.name]
    base, _, number = origin.rpartition("/")
    mine = {origin, base} if number.isascii() and number.isdigit() else {origin}
    need(not names or any(name in mine for name in names), "the checkpoint is of another log than the trusted key")
