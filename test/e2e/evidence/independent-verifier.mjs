/**
 * A verifier of proof packs written from docs/formats alone. It imports nothing of this product and no package: only SHA-256
 * and Ed25519 from the runtime. Usage: node independent-verifier.mjs FILE [kid to trust]; prints {"ok", "failed", "detail"}.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { blake3 } from './independent-blake3.mjs';
import { decodeCbor, encodeCborArray, encodeCborMap } from './independent-cbor.mjs';
import { readKeys } from './independent-keys.mjs';
import { checkTimestamps } from './independent-timestamps.mjs';
import { expectFresh, isInstant, isKeyText, openCheckpoint, unwrap } from './independent-strict.mjs';

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
const at = (step, work) => {
  try {
    return work();
  } catch (error) {
    throw new Refused(step, error.message);
  }
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
const WHOLE = new Set(['size', 'version', 'leaf_index', 'nbf', 'exp', 'index', 'passages', 'start', 'end']);
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
  const isFirst = pack?.format === 'svc-proofpack-v1';
  need(isFirst || ['svc-proofpack-v2', 'svc-proofpack-v3'].includes(pack?.format), 'format', 'unknown format');
  const { epoch, statements, timestamps, ...first } = pack;
  expectMembers(first, MEMBERS.pack, 'pack');
  need(isFirst === !('epoch' in pack) && isFirst === !('statements' in pack), 'format', 'members of the version');
  expectMembers(pack.subject, MEMBERS.subject, 'subject');
  for (const name of ['consistency', 'receipts', 'retrievals']) {
    for (const item of pack[name]) expectMembers(item, MEMBERS[name], name);
  }
  for (const { binding, ...chunk } of pack.chunks) {
    expectMembers(chunk, MEMBERS.chunks, 'chunks');
    need(isFirst === (binding === undefined), 'format', 'binding');
    if (!binding) continue;
    const { document, accepted, ...rest } = binding;
    expectMembers(rest, 'end index path receipt_id start', 'binding');
    need(pack.format === 'svc-proofpack-v3' || !(document || accepted), 'format', 'batches before version 3');
    if ('document' in binding)
      expectMembers(document, 'content_hash index ingest_id passages passages_root path', 'document');
    if ('accepted' in binding)
      expectMembers(accepted, 'content_hash index ingest_id path receipt_id shareability', 'accepted');
  }
  if (epoch) expectMembers(epoch, 'cose path', 'epoch');
  if (!isFirst) {
    need(Array.isArray(statements), 'format', 'statements');
    for (const cose of statements) expectMembers({ cose }, 'cose', 'statements');
  }
  need(!isFirst || !('timestamps' in pack), 'format', 'timestamps in version 1');
  need(!('timestamps' in pack) || Array.isArray(timestamps), 'format', 'timestamps');
  for (const { token, ...rest } of timestamps ?? []) {
    expectMembers(rest, 'seal size', 'timestamps');
    expectMembers({ cose: token }, 'cose', 'token');
  }
  for (const jwk of pack.keys) {
    expectMembers(jwk, `alg crv ${jwk?.exp === undefined ? '' : 'exp '}kid kty nbf use x`, 'key');
    need(`${jwk.alg} ${jwk.crv} ${jwk.kty} ${jwk.use}` === 'EdDSA Ed25519 OKP sig', 'format', 'key type');
    need(isKeyText(jwk.x), 'format', 'x');
  }
  need(isInstant(pack.made_at), 'format', 'made_at');
  need(same(utf8(jcs(pack)), file), 'format', 'not the canonical JSON of its value');
  return pack;
}

// --- keys and signatures -------------------------------------------------------------------------------------------

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

function expectSigned(cose, payload, keys, instant, step, purpose) {
  const key = keys.get(cose.kid);
  need(key !== undefined, step, 'unknown key');
  need(key.validAt(purpose, instant), step, `not valid for ${purpose} then`);
  const message = encodeCborArray(['Signature1', cose.head, new Uint8Array(0), payload]);
  need(key.holds(message, cose.signature), step, 'the signature does not hold');
}

// --- receipts ------------------------------------------------------------------------------------------------------

const RECEIPT = 'actor auth_mode body body_hash kind occurred_at prev seq stream subject tenant_id v';
const RETRIEVAL = 'actor auth_mode body kind nonce occurred_at tenant_id v';
const isText = (map, names) => names.split(' ').every((name) => typeof map.get(name) === 'string');

function uuid8(hash) {
  const b = Buffer.from(hash.subarray(0, 16));
  b[6] = (b[6] & 0x0f) | 0x80;
  b[8] = (b[8] & 0x3f) | 0x80;
  const h = hex(b);
  return [h.slice(0, 8), h.slice(8, 12), h.slice(12, 16), h.slice(16, 20), h.slice(20)].join('-');
}

/** The bytes of body inside the payload, found by decoding: the decoder gives the span of each top-level value. */
function openReceipt(base64, tenantId, step) {
  const cose = readCose(Buffer.from(base64, 'base64'), 'application/vnd.svc.receipt+cbor', step);
  need(cose.payload instanceof Uint8Array, step, 'no payload');
  const spans = new Map();
  const map = decodeCbor(cose.payload, spans);
  need(map instanceof Map && [...map.keys()].sort().join(' ') === RECEIPT, step, 'members');
  const body = cose.payload.subarray(...spans.get('body'));
  need(map.get('body') instanceof Map, step, 'body');
  need(map.get('body_hash') === `blake3:${hex(blake3(body))}`, step, 'body_hash');
  need(map.get('v') === 1 && map.get('seq') >= 1, step, 'v or seq');
  need((map.get('seq') === 1) === (map.get('prev') === null), step, 'prev');
  need(Number.isSafeInteger(map.get('seq')), step, 'seq');
  need(isText(map, 'actor auth_mode body_hash kind occurred_at stream subject tenant_id'), step, 'types');
  need(map.get('prev') === null || /^blake3:[0-9a-f]{64}$/.test(map.get('prev')), step, 'prev');
  need(isInstant(map.get('occurred_at')), step, 'occurred_at');
  need(map.get('tenant_id') === tenantId, step, 'tenant');
  return { cose, map, digest: blake3(cose.payload) };
}

function readReceipt(item, tenantId) {
  const { cose, map, digest } = openReceipt(item.cose, tenantId, 'receipts');
  need(item.receipt_id === uuid8(digest), 'receipts', 'receipt_id');
  return { id: item.receipt_id, cose, map, hash: `blake3:${hex(digest)}` };
}

function readRetrieval(item, tenantId) {
  const bytes = Buffer.from(item.cbor, 'base64');
  const map = decodeCbor(bytes);
  need(map instanceof Map && [...map.keys()].sort().join(' ') === RETRIEVAL, 'retrievals', 'members');
  need(map.get('v') === 1 && map.get('kind') === 'retrieval', 'retrievals', 'v or kind');
  need(map.get('nonce') instanceof Uint8Array && map.get('nonce').length === 16, 'retrievals', 'nonce');
  need(item.receipt_id === `blake3:${hex(blake3(bytes))}`, 'retrievals', 'receipt_id');
  need(isText(map, 'actor auth_mode') && map.get('body') instanceof Map, 'retrievals', 'types');
  need(map.get('tenant_id') === tenantId && isInstant(map.get('occurred_at')), 'retrievals', 'tenant or time');
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

/** Every map, at any depth, that names the chunk with its text and does not contradict it. */
function namesOf(value, chunk) {
  if (Array.isArray(value)) return value.flatMap((item) => namesOf(item, chunk));
  if (!(value instanceof Map)) return [];
  const agrees = ['corpus_id', 'doc_id', 'version'].every(
    (name) => !value.has(name) || value.get(name) === chunk[name],
  );
  const names = agrees && value.get('chunk_id') === chunk.chunk_id && value.get('content_hash') === chunk.content_hash;
  return [...(names ? [value] : []), ...[...value.values()].flatMap((member) => namesOf(member, chunk))];
}

// --- texts and the receipts of their ingest ---------------------------------------------------------------------------

/** The digest of the document's text, where the receipt is one of an ingest of this version. */
function documentHash({ map }, { corpus_id, doc_id, version }) {
  const body = map.get('body');
  const kind = map.get('kind');
  if (!['ingest.accepted', 'ingest.completed', 'local.ingested'].includes(kind)) return undefined;
  if (body.get('corpus_id') !== corpus_id) return undefined;
  const list = kind === 'local.ingested' ? body.get('documents') : [body];
  return list.find((one) => one.get('doc_id') === doc_id && one.get('version') === version)?.get('content_hash');
}

function expectBound(chunk, names, receipts) {
  const { binding } = chunk;
  if (binding === null) {
    need(
      names.every((name) => name.get('source') === 'commons'),
      'chunks',
      'no binding',
    );
    return;
  }
  const find = (wanted) => receipts.find(({ id }) => id === wanted);
  const ingest = find(binding.receipt_id);
  const kind = ingest?.map.get('kind');
  need(/^ingest\.(batch_)?completed$/.test(kind), 'chunks', 'the receipt of the ingest is not here');
  const { document, accepted } = binding;
  need((document !== undefined) === (kind === 'ingest.batch_completed'), 'chunks', 'the document of a batch');
  if (document) need(inBatch(ingest, chunk, document), 'chunks', 'a document that is not of the batch');
  const text = document ? document.content_hash : documentHash(ingest, chunk);
  need(text !== undefined, 'chunks', 'the receipt of another ingest');
  const entry = encodeCborArray([chunk.chunk_id, chunk.content_hash, binding.start, binding.end]);
  const [size, root] = ['passages', 'passages_root'].map(
    (name) => document?.[name] ?? ingest.map.get('body').get(name),
  );
  const leads = included(sha256(Buffer.of(0), entry), binding.index, size, hashes(binding.path), ...hashes([root]));
  need(leads, 'chunks', 'the path of a binding');
  for (const other of receipts)
    need((documentHash(other, chunk) ?? text) === text, 'chunks', 'two texts of a document');
  if (!accepted) return;
  const acceptance = find(accepted.receipt_id);
  need(acceptance?.map.get('kind') === 'ingest.batch_accepted', 'chunks', 'the receipt of the acceptance');
  need(inBatch(acceptance, chunk, accepted), 'chunks', 'a document that is not of the accepted batch');
  need(accepted.content_hash === text, 'chunks', 'another text was accepted');
}

/** Whether the document of a text has its leaf in the batch of a receipt: receipts.md, "Batches of documents". */
function inBatch({ map }, { corpus_id, doc_id, version }, { index, path, ...said }) {
  delete said.receipt_id;
  const leaf = sha256(Buffer.of(0), encodeCborMap({ ...said, corpus_id, doc_id, version }));
  const [count, root] = ['count', 'root'].map((name) => map.get('body').get(name));
  return included(leaf, index, count, hashes(path), ...hashes([root]));
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

/** The three lines, without a look at the signatures. */
function headOf(text, step) {
  const at = text.lastIndexOf('\n\n');
  need(at > 0 && text.endsWith('\n'), step, 'not a note');
  const body = text.slice(0, at + 1);
  const [origin, size, root, ...rest] = body.slice(0, -1).split('\n');
  need(/^(0|[1-9]\d*)$/.test(size) && rest.length === 0, step, 'not three lines');
  return { origin, size: Number(size), root: Buffer.from(root, 'base64'), body, at };
}

const readCheckpoint = (text, keys, step) =>
  at(step, () => {
    const signers = [...keys.values()].filter(({ signs }) => signs('log'));
    return openCheckpoint(text, signers);
  });

const entryLeaf = (type, record) =>
  sha256(Buffer.of(0), utf8(`svc-log-entry-v1:${type}:blake3:${hex(blake3(record))}`));
const EPOCH = 'epoch last_known_checkpoint origin previous_origin restored_checkpoint';

/** The receipt that is leaf 0: what it says of the log before. */
function readEpoch({ cose: base64, path }, head, keys) {
  const { cose, map } = openReceipt(base64, 'svc/server', 'epoch');
  const body = map.get('body');
  need(map.get('kind') === 'log.epoch' && map.get('stream') === 'log', 'epoch', 'kind or stream');
  need([...body.keys()].sort().join(' ') === EPOCH, 'epoch', 'members of the body');
  const [origin, number, previous] = ['origin', 'epoch', 'previous_origin'].map((name) => body.get(name));
  need(origin === map.get('subject') && origin === head.origin, 'epoch', 'origin');
  need(Number.isSafeInteger(number) && number >= 1 && origin.endsWith(`/${number}`), 'epoch', 'number');
  const [restored, known] = ['restored_checkpoint', 'last_known_checkpoint'].map((name) => body.get(name));
  need((previous === null) === (restored === null), 'epoch', 'previous_origin and restored_checkpoint');
  need(restored !== null || known === null, 'epoch', 'last_known_checkpoint');
  const named = [restored, known].filter((text) => text !== null).map((text) => headOf(text, 'epoch'));
  need(
    named.every((one) => one.origin === previous),
    'epoch',
    'a checkpoint of another origin',
  );
  need(named.length < 2 || named[0].size <= named[1].size, 'epoch', 'the last known is older than the restored');
  expectSigned(cose, cose.payload, keys, map.get('occurred_at'), 'epoch', 'receipts');
  const leaf = entryLeaf('execution', Buffer.from(base64, 'base64'));
  need(included(leaf, 0, head.size, hashes(path), head.root), 'epoch', 'not leaf 0');
  return { previous, named, last: known === null ? Infinity : named[1].size };
}

/** An earlier checkpoint of the epoch before: nothing is proved but that the record does not contradict it. */
function expectBefore(old, epoch, path) {
  need(epoch !== null && epoch.previous === old.origin, 'consistency', 'an epoch is missing');
  need(path.length === 0, 'consistency', 'a proof between two epochs');
  need(old.size <= epoch.last, 'consistency', 'newer than the last that the epoch knows');
  const others = epoch.named.filter(({ size, root }) => size === old.size && !same(root, old.root));
  need(others.length === 0, 'consistency', 'not the one that the epoch names');
}

// --- all of it -----------------------------------------------------------------------------------------------------

function verify(bytes, trustedKid, demand) {
  const pack = readFile(at('format', () => unwrap(bytes)));
  const keys = readKeys(pack.keys, pack.statements, trustedKid, (detail) => need(false, 'keys', detail));
  need(pack.receipts.length + pack.retrievals.length > 0, 'receipts', 'nothing in it');
  const receipts = pack.receipts.map((item) => readReceipt(item, pack.tenant_id));
  for (const { cose, map } of receipts)
    expectSigned(cose, cose.payload, keys, map.get('occurred_at'), 'signatures', 'receipts');
  expectChain(receipts);
  const retrievals = pack.retrievals.map((item) => readRetrieval(item, pack.tenant_id));
  const bodies = new Map([...receipts, ...retrievals].map(({ id, map }) => [id, map.get('body')]));
  for (const chunk of pack.chunks) {
    need(chunk.content_hash === `blake3:${hex(blake3(utf8(chunk.content)))}`, 'chunks', 'content_hash');
    const names = bodies.has(chunk.receipt_id) ? namesOf(bodies.get(chunk.receipt_id), chunk) : [];
    need(names.length > 0, 'chunks', 'not named');
    if (pack.format !== 'svc-proofpack-v1') expectBound(chunk, names, receipts);
  }
  const head = readCheckpoint(pack.checkpoint, keys, 'checkpoint');
  const records = [
    ...pack.receipts.map((item) => ['execution', item, item.cose]),
    ...pack.retrievals.map((item) => ['retrieval', item, item.cbor]),
  ];
  for (const [type, item, base64] of records) {
    const leaf = entryLeaf(type, Buffer.from(base64, 'base64'));
    need(included(leaf, item.leaf_index, head.size, hashes(item.path), head.root), 'inclusion', item.receipt_id);
  }
  const epoch = pack.epoch ? readEpoch(pack.epoch, head, keys) : null;
  for (const item of pack.consistency) {
    const old = readCheckpoint(item.checkpoint, keys, 'consistency');
    if (old.origin === head.origin) need(extended(old, head, hashes(item.path)), 'consistency', 'not extended');
    else expectBefore(old, epoch, item.path);
  }
  for (const { map } of [...receipts, ...retrievals]) {
    need(!/^(off$|dev)/.test(map.get('auth_mode')), 'auth-mode', map.get('auth_mode'));
  }
  const { seal, ...rest } = pack;
  const cose = readCose(Buffer.from(seal, 'base64'), 'application/vnd.svc.proofpack+json', 'seal');
  need(cose.payload === null, 'seal', 'not detached');
  expectSigned(cose, utf8(jcs(rest)), keys, pack.made_at, 'seal', 'exports');
  const earlier = pack.consistency.map((item) => item.checkpoint);
  at('timestamps', () => {
    const isSeal = (bytes, token) => {
      const stamp = readCose(bytes, 'application/vnd.svc.timestamp-token', 'timestamps');
      need(stamp.payload === null, 'timestamps', 'not detached');
      need(keys.get(stamp.kid)?.signs('exports'), 'timestamps', 'the key of the seal');
      const message = encodeCborArray(['Signature1', stamp.head, new Uint8Array(0), token]);
      return keys.get(stamp.kid).holds(message, stamp.signature);
    };
    checkTimestamps(pack.timestamps ?? [], [pack.checkpoint, ...earlier], isSeal, demand?.authorities);
  });
  if (demand) at('freshness', () => expectFresh(head, earlier, demand));
}

/** @returns {{ ok: boolean, failed: string | null, detail: string }} */
export function judge(file, trustedKid, demand) {
  try {
    verify(file, trustedKid, demand);
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
