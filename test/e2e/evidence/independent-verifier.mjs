/**
 * A verifier of proof packs written from docs/formats alone. It imports nothing of this product and no package: only SHA-256
 * and Ed25519 from the runtime. Usage: node independent-verifier.mjs FILE [kid to trust]; prints {"ok", "failed", "detail"}.
 */
import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { blake3 } from './independent-blake3.mjs';
import { decodeCbor, encodeCborArray } from './independent-cbor.mjs';

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
const hex = (bytes) => Buffer.from(bytes).toString('hex');
const same = (a, b) => Buffer.compare(a, b) === 0;
const utf8 = (text) => Buffer.from(text, 'utf8');

class Refused extends Error {
  constructor(step, detail) {
    super(detail);
    this.step = step;
  }
}
const need = (condition, step, detail) => {
  if (!condition) throw new Refused(step, detail);
};

// --- the file: canonical JSON of exactly these members -------------------------------------------------------------

const MEMBERS = {
  pack: 'checkpoint chunks consistency format keys made_at ok receipts retrievals seal subject tenant_id',
  chunks: 'chunk_id content content_hash corpus_id doc_id receipt_id version',
  consistency: 'checkpoint path',
  receipts: 'cose leaf_index path receipt_id',
  retrievals: 'cbor leaf_index path receipt_id',
  subject: 'id type',
};
const WHOLE = new Set(['version', 'leaf_index', 'nbf', 'exp']);
const LISTS = new Set(['chunks', 'consistency', 'keys', 'receipts', 'retrievals', 'path']);

function jcs(value) {
  if (Array.isArray(value)) return `[${value.map(jcs).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.keys(value).sort();
    return `{${members.map((name) => `${jcsText(name)}:${jcs(value[name])}`).join(',')}}`;
  }
  return typeof value === 'string' ? jcsText(value) : String(value);
}

const SHORT = { '"': '\\"', '\\': '\\\\', '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r' };
function jcsText(text) {
  let out = '"';
  for (const c of text) {
    if (SHORT[c] !== undefined) out += SHORT[c];
    else if (c < ' ') out += `\\u00${c.charCodeAt(0).toString(16).padStart(2, '0')}`;
    else out += c;
  }
  return `${out}"`;
}

function expectMembers(value, names, where) {
  need(typeof value === 'object' && value !== null && !Array.isArray(value), 'format', `${where} is not an object`);
  need(Object.keys(value).sort().join(' ') === names, 'format', `${where} has other members`);
  for (const [name, member] of Object.entries(value)) {
    if (LISTS.has(name)) need(Array.isArray(member), 'format', `${where}.${name} is not a list`);
    else if (WHOLE.has(name)) need(Number.isSafeInteger(member) && member >= 0, 'format', `${where}.${name}`);
    else if (name === 'ok') need(member === true, 'format', 'ok');
    else if (name !== 'subject') need(typeof member === 'string', 'format', `${where}.${name} is not text`);
    if (name === 'path') for (const hash of member) need(/^sha256:[0-9a-f]{64}$/.test(hash), 'format', `${where}.path`);
    if (['cose', 'cbor', 'seal'].includes(name)) {
      need(Buffer.from(member, 'base64').toString('base64') === member, 'format', `${where}.${name} is not base64`);
    }
  }
}

function readFile(file) {
  let pack;
  try {
    pack = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(file));
  } catch {
    throw new Refused('format', 'not JSON in UTF-8');
  }
  expectMembers(pack, MEMBERS.pack, 'pack');
  expectMembers(pack.subject, MEMBERS.subject, 'subject');
  for (const name of ['chunks', 'consistency', 'receipts', 'retrievals']) {
    for (const item of pack[name]) expectMembers(item, MEMBERS[name], name);
  }
  for (const jwk of pack.keys) {
    expectMembers(jwk, `alg crv ${jwk?.exp === undefined ? '' : 'exp '}kid kty nbf use x`, 'key');
    need(`${jwk.alg} ${jwk.crv} ${jwk.kty} ${jwk.use}` === 'EdDSA Ed25519 OKP sig', 'format', 'key type');
  }
  need(pack.format === 'svc-proofpack-v1', 'format', 'unknown format');
  need(same(utf8(jcs(pack)), file), 'format', 'not the canonical JSON of its value');
  return pack;
}

// --- keys and signatures -------------------------------------------------------------------------------------------

function readKeys(pack, trustedKid) {
  const keys = new Map();
  for (const jwk of pack.keys) {
    const thumbprint = sha256(utf8(`{"crv":"Ed25519","kty":"OKP","x":"${jwk.x}"}`)).toString('base64url');
    need(jwk.kid === thumbprint && !keys.has(jwk.kid), 'keys', 'kid is not the thumbprint');
    need(trustedKid === undefined || trustedKid === jwk.kid, 'keys', 'not the trusted key');
    const raw = Buffer.from(jwk.x, 'base64url');
    const handle = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: jwk.x }, format: 'jwk' });
    keys.set(jwk.kid, { jwk, raw, holds: (message, signature) => verifySignature(null, message, handle, signature) });
  }
  return keys;
}

function readCose(bytes, contentType, step) {
  need(bytes[0] === 0xd2, step, 'not tagged COSE_Sign1');
  const parts = decodeCbor(bytes.subarray(1));
  need(Array.isArray(parts) && parts.length === 4, step, 'not an array of four');
  const [head, unprotected, payload, signature] = parts;
  need(head instanceof Uint8Array && unprotected instanceof Map && unprotected.size === 0, step, 'headers');
  const header = decodeCbor(head);
  need(header instanceof Map && header.size === 3 && header.get(1) === -8, step, 'protected header');
  need(header.get(3) === contentType && header.get(4) instanceof Uint8Array, step, 'content type or kid');
  need(signature instanceof Uint8Array && signature.length === 64, step, 'signature');
  return { head, kid: Buffer.from(header.get(4)).toString('latin1'), payload, signature };
}

function expectSigned(cose, payload, keys, instant, step) {
  const key = keys.get(cose.kid);
  need(key !== undefined, step, 'unknown key');
  const seconds = Date.parse(instant) / 1000;
  need(seconds >= key.jwk.nbf && seconds < (key.jwk.exp ?? Infinity), step, 'outside the validity of the key');
  const message = encodeCborArray(['Signature1', cose.head, new Uint8Array(0), payload]);
  need(key.holds(message, cose.signature), step, 'the signature does not hold');
}

// --- receipts ------------------------------------------------------------------------------------------------------

const RECEIPT = 'actor auth_mode body body_hash kind occurred_at prev seq stream subject tenant_id v';
const RETRIEVAL = 'actor auth_mode body kind nonce occurred_at tenant_id v';
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function uuid8(hash) {
  const b = Buffer.from(hash.subarray(0, 16));
  b[6] = (b[6] & 0x0f) | 0x80;
  b[8] = (b[8] & 0x3f) | 0x80;
  const h = hex(b);
  return [h.slice(0, 8), h.slice(8, 12), h.slice(12, 16), h.slice(16, 20), h.slice(20)].join('-');
}

/** The bytes of body inside the payload, found by decoding: the decoder gives the span of each top-level value. */
function readReceipt(item, tenantId) {
  const cose = readCose(Buffer.from(item.cose, 'base64'), 'application/vnd.svc.receipt+cbor', 'receipts');
  need(cose.payload instanceof Uint8Array, 'receipts', 'no payload');
  const spans = new Map();
  const map = decodeCbor(cose.payload, spans);
  need(map instanceof Map && [...map.keys()].sort().join(' ') === RECEIPT, 'receipts', 'members');
  const body = cose.payload.subarray(...spans.get('body'));
  need(map.get('body') instanceof Map, 'receipts', 'body');
  need(map.get('body_hash') === `blake3:${hex(blake3(body))}`, 'receipts', 'body_hash');
  need(map.get('v') === 1 && map.get('seq') >= 1, 'receipts', 'v or seq');
  need((map.get('seq') === 1) === (map.get('prev') === null), 'receipts', 'prev');
  need(INSTANT.test(map.get('occurred_at')), 'receipts', 'occurred_at');
  const hash = blake3(cose.payload);
  need(item.receipt_id === uuid8(hash), 'receipts', 'receipt_id');
  need(map.get('tenant_id') === tenantId, 'receipts', 'tenant');
  return { id: item.receipt_id, cose, map, hash: `blake3:${hex(hash)}` };
}

function readRetrieval(item, tenantId) {
  const bytes = Buffer.from(item.cbor, 'base64');
  const map = decodeCbor(bytes);
  need(map instanceof Map && [...map.keys()].sort().join(' ') === RETRIEVAL, 'retrievals', 'members');
  need(map.get('v') === 1 && map.get('kind') === 'retrieval', 'retrievals', 'v or kind');
  need(map.get('nonce') instanceof Uint8Array && map.get('nonce').length === 16, 'retrievals', 'nonce');
  need(item.receipt_id === `blake3:${hex(blake3(bytes))}`, 'retrievals', 'receipt_id');
  need(map.get('tenant_id') === tenantId && INSTANT.test(map.get('occurred_at')), 'retrievals', 'tenant or time');
  return { id: item.receipt_id, map };
}

function expectChain(receipts) {
  const last = new Map();
  for (const { map, hash } of receipts) {
    const before = last.get(map.get('stream'));
    need(before === undefined || before.seq < map.get('seq'), 'chain', 'order');
    if (before?.seq === map.get('seq') - 1) need(map.get('prev') === before.hash, 'chain', 'prev');
    last.set(map.get('stream'), { seq: map.get('seq'), hash });
  }
}

function mentions(value, chunk) {
  if (Array.isArray(value)) return value.some((item) => mentions(item, chunk));
  if (!(value instanceof Map)) return false;
  const agrees = ['corpus_id', 'doc_id', 'version'].every(
    (name) => !value.has(name) || value.get(name) === chunk[name],
  );
  if (agrees && value.get('chunk_id') === chunk.chunk_id && value.get('content_hash') === chunk.content_hash)
    return true;
  return [...value.values()].some((member) => mentions(member, chunk));
}

// --- the log -------------------------------------------------------------------------------------------------------

const node = (left, right) => sha256(Buffer.of(1), left, right);
const hashes = (path) => path.map((text) => Buffer.from(text.slice('sha256:'.length), 'hex'));
const halve = (n) => Math.floor(n / 2);

function included(leaf, m, n, path, root) {
  if (m >= n) return false;
  let [fn, sn, r] = [m, n - 1, leaf];
  for (const p of path) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      r = node(p, r);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [halve(fn), halve(sn)];
    } else r = node(r, p);
    [fn, sn] = [halve(fn), halve(sn)];
  }
  return sn === 0 && same(r, root);
}

function extended(old, now, path) {
  if (old.size > now.size) return false;
  if (old.size === now.size) return path.length === 0 && same(old.root, now.root);
  if (old.size === 0) return path.length === 0;
  const list = Number.isInteger(Math.log2(old.size)) ? [old.root, ...path] : path;
  if (list.length === 0) return false;
  let [fn, sn] = [old.size - 1, now.size - 1];
  while (fn % 2 === 1) [fn, sn] = [halve(fn), halve(sn)];
  let [fr, sr] = [list[0], list[0]];
  for (const c of list.slice(1)) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      [fr, sr] = [node(c, fr), node(c, sr)];
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [halve(fn), halve(sn)];
    } else sr = node(sr, c);
    [fn, sn] = [halve(fn), halve(sn)];
  }
  return sn === 0 && same(fr, old.root) && same(sr, now.root);
}

function readCheckpoint(text, keys, step) {
  const at = text.lastIndexOf('\n\n');
  need(at > 0 && text.endsWith('\n'), step, 'not a note');
  const body = text.slice(0, at + 1);
  const [origin, size, root, ...rest] = body.slice(0, -1).split('\n');
  need(/^(0|[1-9]\d*)$/.test(size) && rest.length === 0, step, 'not three lines');
  const signatures = text
    .slice(at + 2, -1)
    .split('\n')
    .map((line) => /^\u2014 (\S+) (\S+)$/u.exec(line));
  const holds = [...keys.values()].some(({ raw, holds: check }) => {
    const keyId = sha256(utf8(`${origin}\n`), Buffer.of(1), raw).subarray(0, 4);
    return signatures.some((line) => {
      const bytes = Buffer.from(line?.[2] ?? '', 'base64');
      return line?.[1] === origin && same(bytes.subarray(0, 4), keyId) && check(utf8(body), bytes.subarray(4));
    });
  });
  need(holds, step, 'no signature holds');
  return { origin, size: Number(size), root: Buffer.from(root, 'base64') };
}

// --- all of it -----------------------------------------------------------------------------------------------------

function verify(file, trustedKid) {
  const pack = readFile(file);
  const keys = readKeys(pack, trustedKid);
  need(pack.receipts.length + pack.retrievals.length > 0, 'receipts', 'nothing in it');
  const receipts = pack.receipts.map((item) => readReceipt(item, pack.tenant_id));
  for (const { cose, map } of receipts) expectSigned(cose, cose.payload, keys, map.get('occurred_at'), 'signatures');
  expectChain(receipts);
  const retrievals = pack.retrievals.map((item) => readRetrieval(item, pack.tenant_id));
  const bodies = new Map([...receipts, ...retrievals].map(({ id, map }) => [id, map.get('body')]));
  for (const chunk of pack.chunks) {
    need(chunk.content_hash === `blake3:${hex(blake3(utf8(chunk.content)))}`, 'chunks', 'content_hash');
    need(bodies.has(chunk.receipt_id) && mentions(bodies.get(chunk.receipt_id), chunk), 'chunks', 'not named');
  }
  const head = readCheckpoint(pack.checkpoint, keys, 'checkpoint');
  const records = [
    ...pack.receipts.map((item) => ['execution', item, item.cose]),
    ...pack.retrievals.map((item) => ['retrieval', item, item.cbor]),
  ];
  for (const [type, item, base64] of records) {
    const entry = utf8(`svc-log-entry-v1:${type}:blake3:${hex(blake3(Buffer.from(base64, 'base64')))}`);
    const leaf = sha256(Buffer.of(0), entry);
    need(included(leaf, item.leaf_index, head.size, hashes(item.path), head.root), 'inclusion', item.receipt_id);
  }
  for (const item of pack.consistency) {
    const old = readCheckpoint(item.checkpoint, keys, 'consistency');
    need(old.origin === head.origin && extended(old, head, hashes(item.path)), 'consistency', 'not extended');
  }
  for (const { map } of [...receipts, ...retrievals]) {
    need(!/^(off$|dev)/.test(map.get('auth_mode')), 'auth-mode', map.get('auth_mode'));
  }
  const { seal, ...rest } = pack;
  const cose = readCose(Buffer.from(seal, 'base64'), 'application/vnd.svc.proofpack+json', 'seal');
  need(cose.payload === null, 'seal', 'not detached');
  expectSigned(cose, utf8(jcs(rest)), keys, pack.made_at, 'seal');
}

/** @returns {{ ok: boolean, failed: string | null, detail: string }} */
export function judge(file, trustedKid) {
  try {
    verify(file, trustedKid);
    return { ok: true, failed: null, detail: '' };
  } catch (error) {
    return { ok: false, failed: error.step ?? 'receipts', detail: error.message };
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const verdict = judge(readFileSync(process.argv[2]), process.argv[3]);
  process.stdout.write(`${JSON.stringify(verdict)}\n`);
  process.exitCode = verdict.ok ? 0 : 1;
}
