/**
 * A second program from docs/formats alone: it verifies exports (export.md). It imports nothing of this product and no
 * package; SHA-256, Ed25519 and inflate are the runtime's, BLAKE3 and the CBOR decoder are files next to it. It first
 * reads a file into maps, whatever the encoding, then checks one property after another.
 * Usage: node independent-export.mjs FILE [kid to trust]; prints {"ok", "failed", "detail", "withheld"}.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { crc32, inflateRawSync } from 'node:zlib';
import { blake3 } from './independent-blake3.mjs';
import { decodeCbor } from './independent-cbor.mjs';
import { readKeys } from './independent-keys.mjs';
import { checkTimestamps } from './independent-timestamps.mjs';
import { expectFresh, isInstant, isKeyText, openCheckpoint, unwrap } from './independent-strict.mjs';

let step = 'format';
const stop = (detail) => {
  throw Object.assign(new Error(detail), { step });
};
const must = (holds, detail) => (holds ? undefined : stop(detail));
const equal = (a, b) => Buffer.compare(a, b) === 0;
const named = (name, bytes) => `${name}:${Buffer.from(bytes).toString('hex')}`;
const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
const ascii = (text) => Buffer.from(text, 'latin1');
const strictText = (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);

// ---- canonical CBOR, written ------------------------------------------------------------------------------------------------------------

function head(major, n) {
  const sizes = [
    [24, 0],
    [2 ** 8, 1],
    [2 ** 16, 2],
    [2 ** 32, 4],
    [Infinity, 8],
  ];
  const [, size] = sizes.find(([limit]) => n < limit);
  if (size === 0) return Buffer.of((major << 5) | n);
  const out = Buffer.alloc(1 + size);
  out[0] = (major << 5) | (24 + Math.log2(size));
  if (size === 8) out.writeBigUInt64BE(BigInt(n), 1);
  else out.writeUIntBE(n, 1, size);
  return out;
}

/** The 16 bits of a half-precision number that is exactly n, where there is one (RFC 8949 appendix D, turned round). */
function halfOf(n) {
  for (const sign of [0, 0x8000]) {
    const size = sign === 0 ? n : -n;
    if (!(size >= 0)) continue;
    for (let exponent = 0; exponent < 31; exponent++) {
      const fraction = exponent === 0 ? size * 2 ** 24 : size * 2 ** (25 - exponent) - 1024;
      if (Number.isInteger(fraction) && fraction >= 0 && fraction < 1024) return sign | (exponent << 10) | fraction;
    }
  }
  return undefined;
}

function number(n) {
  if (Number.isSafeInteger(n)) return n >= 0 ? head(0, n) : head(1, -1 - n);
  const half = halfOf(n);
  if (half !== undefined) return Buffer.of(0xf9, half >> 8, half & 0xff);
  const out = Buffer.alloc(Math.fround(n) === n ? 5 : 9);
  out[0] = out.length === 5 ? 0xfa : 0xfb;
  if (out.length === 5) out.writeFloatBE(n, 1);
  else out.writeDoubleBE(n, 1);
  return out;
}

function encode(value) {
  if (value === null) return Buffer.of(0xf6);
  if (typeof value === 'boolean') return Buffer.of(value ? 0xf5 : 0xf4);
  if (typeof value === 'number') return number(value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encode)]);
  const entries = [...value].map(([name, member]) => [encode(name), encode(member)]);
  entries.sort(([a], [b]) => Buffer.compare(a, b));
  return Buffer.concat([head(5, entries.length), ...entries.flat()]);
}

// ---- the three encodings, each into { manifest, signature, disclosures, log } of Maps ------------------------------------------------------

const toMaps = (value) => {
  if (Array.isArray(value)) return value.map(toMaps);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([name, member]) => [name, toMaps(member)]));
};

const ESCAPES = new Map([...'"\\\b\t\n\f\r'].map((c, n) => [c, '\\' + '"\\btnfr'[n]]));
const jcsText = (text) =>
  `"${[...text].map((c) => ESCAPES.get(c) ?? (c < ' ' ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c)).join('')}"`;
function jcs(value) {
  if (typeof value === 'string') return jcsText(value);
  if (Array.isArray(value)) return `[${value.map(jcs).join(',')}]`;
  if (!(value instanceof Map)) return Object.is(value, -0) ? '0' : String(value);
  const names = [...value.keys()].sort((a, b) => (a < b ? -1 : 1));
  return `{${names.map((name) => `${jcsText(name)}:${jcs(value.get(name))}`).join(',')}}`;
}

const base64 = (text) => {
  must(typeof text === 'string' && Buffer.from(text, 'base64').toString('base64') === text, 'not base64');
  return Buffer.from(text, 'base64');
};

function fromJson(file) {
  const whole = toMaps(JSON.parse(strictText(file)));
  must(equal(Buffer.from(jcs(whole)), file), 'not the canonical JSON of its value');
  must(Array.isArray(whole.get('disclosures')), 'disclosures');
  const disclosures = whole.get('disclosures').map((one) => {
    const isCbor = one.has('cbor');
    must(members(one, `${isCbor ? 'cbor ' : ''}path salt${isCbor ? '' : ' value'}`), 'members of a disclosure');
    const value = isCbor ? decodeCbor(base64(one.get('cbor'))) : one.get('value');
    must(isCbor === hasBytes(value), 'cbor is for byte strings, and for nothing else');
    return new Map([
      ['path', one.get('path')],
      ['salt', base64(one.get('salt'))],
      ['value', value],
    ]);
  });
  return new Map([...whole, ['signature', base64(whole.get('signature'))], ['disclosures', disclosures]]);
}

const hasBytes = (value) =>
  value instanceof Uint8Array ||
  (Array.isArray(value) && value.some(hasBytes)) ||
  (value instanceof Map && [...value.values()].some(hasBytes));

const readme = (format) => `${format}

Evidence out of a svc database. manifest.cbor has a salted digest of every field, signature.cose signs it,
disclosures.cbor shows fields with their salts, log/ leads to a signed checkpoint of the transparency log,
and keys.json has the public keys. A field that is not shown was withheld; the signature holds all the same.

Check it with: svc verify FILE
The format is described in docs/formats/export.md; this file is no evidence.
`;
const ENTRIES = ['README.txt', 'manifest.cbor', 'signature.cose', 'disclosures.cbor', 'keys.json'];
const LOG_V1 = ['log/checkpoint.txt', 'log/consistency.cbor', 'log/proofs.cbor'];
const LOG_V2 = [...LOG_V1, 'log/epoch.cbor', 'log/timestamps.cbor'];

/** Walks the archive from its first byte to its last: whatever is not where it must be ends the walk. */
function fromZip(file) {
  const body = file.subarray(0, file.length - 71);
  must(equal(file.subarray(body.length), ascii(named('sha256', sha256(body)))), 'the digest in the comment');
  let at = 0;
  const take = (count) => body.subarray(at, (at += count));
  const [files, directory] = [new Map(), []];
  while (body.readUInt32LE(at) === 0x04034b50) {
    const offset = at;
    const fixed = take(30);
    const [crc, packed, size, length] = [14, 18, 22].map((n) => fixed.readUInt32LE(n)).concat(fixed.readUInt16LE(26));
    const common = Buffer.concat([fixed.subarray(4, 28), Buffer.alloc(2)]);
    must(equal(common.subarray(0, 10), Buffer.of(20, 0, 0, 8, 8, 0, 0, 0, 0x21, 0)), 'constants of a header');
    must(fixed.readUInt16LE(28) === 0, 'extra field');
    const name = take(length);
    const content = inflateRawSync(take(packed), { maxOutputLength: 2 ** 28 });
    must(content.length === size && crc32(content) === crc, `size or checksum of ${name}`);
    must(!files.has(String(name)), 'a name twice');
    files.set(String(name), content);
    // Made by, what the local header says, no comment, disk 0, no internal attributes, external ones, the place, and the name.
    const parts = ['504b01023f03', common, '000000000000', '0000a481', '00000000', name];
    const entry = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'hex') : part)));
    entry.writeUInt32LE(offset, 42);
    directory.push(entry);
  }
  const start = at;
  for (const entry of directory) must(equal(take(entry.length), entry), 'the directory');
  const end = take(22);
  must(at === body.length && end.readUInt32LE(0) === 0x06054b50 && end.readUInt32LE(4) === 0, 'the end record');
  must(end.readUInt16LE(8) === files.size && end.readUInt16LE(10) === files.size, 'the count of files');
  must(end.readUInt32LE(12) === body.length - 22 - start, 'the size of the directory');
  must(end.readUInt32LE(16) === start && end.readUInt16LE(20) === 71, 'the place of the directory');
  const format = ['svc-export-v1', 'svc-export-v2'].find((name) =>
    equal(files.get('README.txt') ?? Buffer.alloc(0), Buffer.from(readme(name))),
  );
  must(format !== undefined, 'README.txt');
  const logEntries = format === 'svc-export-v1' ? LOG_V1 : LOG_V2;
  const names = files.size > ENTRIES.length ? [...ENTRIES, ...logEntries] : ENTRIES;
  must([...files.keys()].join() === names.join(), 'the files');
  const manifest = decodeCbor(files.get('manifest.cbor'));
  must(equal(files.get('keys.json'), Buffer.from(jcs(new Map([['keys', manifest.get('keys')]])))), 'keys.json');
  const logMember = (name) => [
    name.slice('log/'.length, name.lastIndexOf('.')),
    name.endsWith('.txt') ? strictText(files.get(name)) : decodeCbor(files.get(name)),
  ];
  const log = names === ENTRIES ? null : new Map(logEntries.map(logMember));
  const disclosures = decodeCbor(files.get('disclosures.cbor'));
  return new Map([
    ['format', format],
    ['manifest', manifest],
    ['signature', files.get('signature.cose')],
    ['disclosures', disclosures],
    ['log', log],
  ]);
}

function read(bytes) {
  if (bytes[0] === 0x50) return fromZip(Buffer.from(bytes));
  const file = unwrap(Buffer.from(bytes));
  must(file === bytes || file[0] !== 0x50, 'an archive inside');
  return file[0] === 0x7b ? fromJson(file) : decodeCbor(file);
}

// ---- shapes ------------------------------------------------------------------------------------------------------------------------------

const members = (map, names) => map instanceof Map && [...map.keys()].sort().join(' ') === names;
const isText = (value) => typeof value === 'string' && value.isWellFormed();
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const isDigest = (name) => (value) => new RegExp(`^${name}:[0-9a-f]{64}$`).test(value);
const isList = (value, test) => Array.isArray(value) && value.every(test);
const isHashes = (value) => isList(value, isDigest('sha256'));
const isDigests = (value) => isList(value, isDigest('blake3'));
const isBytes = (value, length) => value instanceof Uint8Array && (length === undefined || value.length === length);

const isKey = (jwk) =>
  members(jwk, `alg crv ${jwk instanceof Map && jwk.has('exp') ? 'exp ' : ''}kid kty nbf use x`) &&
  ['alg', 'crv', 'kty', 'use'].map((name) => jwk.get(name)).join() === 'EdDSA,Ed25519,OKP,sig' &&
  isCount(jwk.get('nbf')) &&
  isCount(jwk.get('exp') ?? 0) &&
  isText(jwk.get('kid')) &&
  isKeyText(jwk.get('x'));
const isItem = (item) =>
  members(item, 'fields record type') &&
  isText(item.get('type')) &&
  isDigests(item.get('fields')) &&
  (item.get('record') === null || isDigest('blake3')(item.get('record')));
const isDisclosure = (one) =>
  members(one, 'path salt value') &&
  isBytes(one.get('salt'), 16) &&
  isList(one.get('path'), (part) => isText(part) || isCount(part));
const isProof = (proof) =>
  members(proof, 'leaf_index path') && isCount(proof.get('leaf_index')) && isHashes(proof.get('path'));
const isEarlier = (one) =>
  members(one, 'checkpoint path') && isText(one.get('checkpoint')) && isHashes(one.get('path'));
const isEpoch = (one) =>
  one === null || (members(one, 'cose path') && isBase64(one.get('cose')) && isHashes(one.get('path')));
const isBase64 = (text) => isText(text) && Buffer.from(text, 'base64').toString('base64') === text;
const isStamp = (one) =>
  members(one, 'seal size token') &&
  isBase64(one.get('seal')) &&
  isCount(one.get('size')) &&
  isBase64(one.get('token'));
const isLog = (log, isFirst) =>
  log === null ||
  (members(log, isFirst ? 'checkpoint consistency proofs' : 'checkpoint consistency epoch proofs timestamps') &&
    isText(log.get('checkpoint')) &&
    isList(log.get('consistency'), isEarlier) &&
    isList(log.get('proofs'), isProof) &&
    (isFirst || (isEpoch(log.get('epoch')) && isList(log.get('timestamps'), isStamp))));

function checkShape(whole) {
  must(members(whole, 'disclosures format log manifest signature'), 'members');
  const isFirst = whole.get('format') === 'svc-export-v1';
  must((isFirst || whole.get('format') === 'svc-export-v2') && isBytes(whole.get('signature')), 'format or signature');
  must(isList(whole.get('disclosures'), isDisclosure) && isLog(whole.get('log'), isFirst), 'disclosures or log');
  const manifest = whole.get('manifest');
  must(
    members(manifest, `auth_modes complete fields items keys mode${isFirst ? '' : ' statements'} subject tenant_id v`),
    'manifest',
  );
  must(isFirst || isList(manifest.get('statements'), isBase64), 'statements');
  must(manifest.get('v') === (isFirst ? 1 : 2) && typeof manifest.get('complete') === 'boolean', 'v or complete');
  must(['latest', 'verified', 'audit'].includes(manifest.get('mode')), 'mode');
  const subjects = ['receipt', 'answer', 'action', 'stream', ...(isFirst ? [] : ['entity'])];
  must(subjects.includes(manifest.get('subject')), 'subject');
  const isLatest = ['receipt', 'stream', 'entity'].includes(manifest.get('subject'));
  must(!isLatest || manifest.get('mode') === 'latest', 'mode of the subject');
  must(isText(manifest.get('tenant_id')) && isList(manifest.get('auth_modes'), isText), 'tenant or modes');
  must(isDigests(manifest.get('fields')) && isList(manifest.get('items'), isItem), 'fields or items');
  must(isList(manifest.get('keys'), isKey), 'keys');
}

// ---- the steps ---------------------------------------------------------------------------------------------------------------------------

const openKeys = (manifest, trusted) =>
  readKeys(
    manifest.get('keys').map((jwk) => Object.fromEntries(jwk)),
    manifest.get('statements'),
    trusted,
    stop,
  );

function openCose(bytes, contentType) {
  must(bytes[0] === 0xd2, 'tag');
  const [head, unprotected, payload, signature, ...more] = decodeCbor(bytes.subarray(1));
  must(more.length === 0 && isBytes(head) && unprotected instanceof Map && unprotected.size === 0, 'COSE_Sign1');
  const header = decodeCbor(head);
  must(header instanceof Map && header.size === 3 && header.get(1) === -8, 'protected header');
  must(header.get(3) === contentType && isBytes(header.get(4)) && isBytes(signature, 64), 'content type or kid');
  return { head, payload, signature, kid: Buffer.from(header.get(4)).toString('latin1') };
}

const holds = ({ head, kid, signature }, payload, keys) =>
  keys.has(kid) && keys.get(kid).holds(encode(['Signature1', head, new Uint8Array(0), payload]), signature);

/** What is shown of an item: its fields by their paths, written as JSON text, which no two paths share. */
class Shown {
  fields = new Map();
  get(...path) {
    return this.fields.get(JSON.stringify(path));
  }
  /** Everything below a path, put together; undefined when nothing is. */
  below(...path) {
    const exact = this.get(...path);
    if (exact !== undefined) return exact;
    const parts = [...this.fields.keys()]
      .map((text) => JSON.parse(text))
      .filter((one) => one.length > path.length && path.every((p, n) => one[n] === p));
    const names = [...new Set(parts.map((one) => one[path.length]))];
    if (names.length === 0) return undefined;
    if (names.every((name) => typeof name === 'number'))
      return names.sort((a, b) => a - b).map((n) => this.below(...path, n));
    return new Map(names.map((name) => [String(name), this.below(...path, name)]));
  }
}

const isOneField = (value) => {
  const length = Array.isArray(value) ? value.length : value instanceof Map ? value.size : 0;
  return length === 0 || length > 1000;
};

function place(manifest, disclosures) {
  const items = manifest
    .get('items')
    .map((item) => ({ type: item.get('type'), record: item.get('record'), shown: new Shown() }));
  const whole = new Shown();
  const digests = manifest.get('fields').map((digest) => [digest, null]);
  manifest.get('items').forEach((item, n) => digests.push(...item.get('fields').map((digest) => [digest, n])));
  const order = new Map(digests.map(([digest], n) => [digest, n]));
  must(order.size === digests.length, 'a digest twice');
  let before = -1;
  for (const one of disclosures) {
    const [path, salt, value] = ['path', 'salt', 'value'].map((name) => one.get(name));
    const at = order.get(named('blake3', blake3(encode([salt, path, value])))) ?? -1;
    must(at > before && path.length > 0, `${path.join('.')} is not in the manifest, or out of order`);
    before = at;
    must(isOneField(value), `${path.join('.')} has members of its own`);
    const owner = digests[at][1];
    must(owner === (path[0] === 'items' ? path[1] : null), `${path.join('.')} is another item's`);
    const target = owner === null ? whole : items[owner].shown;
    target.fields.set(JSON.stringify(owner === null ? path : path.slice(2)), value);
  }
  return { items, withheld: digests.length - disclosures.length };
}

const TEXTS = ['actor', 'auth_mode', 'kind', 'stream', 'subject'];
const FORMS = {
  receipt: ['actor auth_mode body body_hash kind occurred_at prev seq stream subject tenant_id v', 'cose'],
  retrieval: ['actor auth_mode body kind nonce occurred_at tenant_id v', 'cbor'],
};

function receiptId(hash) {
  const b = Buffer.from(hash.subarray(0, 16));
  b[6] = (b[6] & 0x0f) | 0x80;
  b[8] = (b[8] & 0x3f) | 0x80;
  return b.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Holds a record that is shown whole against the manifest, its own digests, and the fields next to it. */
function openRecord(item, manifest) {
  const [memberNames, whole] = FORMS[item.type];
  const bytes = item.shown.get(whole);
  if (bytes === undefined) return;
  must(named('blake3', blake3(bytes)) === item.record, 'not the record');
  if (item.type === 'receipt') item.cose = openCose(bytes, 'application/vnd.svc.receipt+cbor');
  const payload = item.cose ? item.cose.payload : bytes;
  must(isBytes(payload), 'no payload');
  const map = decodeCbor(payload);
  must(members(map, memberNames) && map.get('v') === 1 && map.get('body') instanceof Map, 'members of the payload');
  must(map.get('tenant_id') === manifest.get('tenant_id') && isInstant(map.get('occurred_at')), 'tenant or time');
  const shown = item.shown.below('payload');
  must(shown !== undefined && equal(encode(shown), payload), 'the fields are not those of the payload');
  const hash = blake3(payload);
  let id = named('blake3', hash);
  if (item.type === 'receipt') {
    must(TEXTS.every((name) => isText(map.get(name))) && isCount(map.get('seq')), 'types of the payload');
    must(map.get('prev') === null || isDigest('blake3')(map.get('prev')), 'prev');
    must(map.get('body_hash') === named('blake3', blake3(encode(map.get('body')))), 'body_hash');
    must(map.get('seq') >= 1 && (map.get('seq') === 1) === (map.get('prev') === null), 'seq or prev');
    must((item.shown.get('payload_hash') ?? id) === id, 'payload_hash');
    id = receiptId(hash);
  } else must(map.get('kind') === 'retrieval' && isBytes(map.get('nonce'), 16), 'kind or nonce');
  must((item.shown.get('receipt_id') ?? id) === id, 'receipt_id');
}

function checkChain(items) {
  const last = new Map();
  for (const { type, shown } of items) {
    const [stream, seq, prev] = ['stream', 'seq', 'prev'].map((name) => shown.get('payload', name));
    if (type !== 'receipt' || stream === undefined || seq === undefined) continue;
    const before = last.get(stream);
    must(before === undefined || before.seq < seq, 'order');
    if (before?.seq === seq - 1 && before.hash !== undefined && prev !== undefined) must(prev === before.hash, 'prev');
    last.set(stream, { seq, hash: shown.get('payload_hash') });
  }
}

const PAIRS = [
  ['text', 'text_hash'],
  ['content', 'content_hash'],
  ['quote', 'quote_hash'],
  ['note', 'note_hash'],
];
const CORE = ['stream_type', 'stream_id', 'seq', 'event_id', 'type', 'occurred_at', 'payload_digest'];
const texts = (value) => {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(texts);
  return value instanceof Map ? [...value.values()].flatMap(texts) : [];
};

const orNull = (test) => (value) => value === null || test(value);
const isHash = isDigest('blake3');
const isMap = (value) => value instanceof Map;
/** "Items" of export.md, member by member. */
const RECORD = [
  [isText, 'payload.kind payload.tenant_id payload.actor payload.auth_mode'],
  [isInstant, 'ingested_at payload.occurred_at'],
  [(value) => value === 1, 'payload.v'],
  [isMap, 'payload.body'],
];
const OUTBOX_EVENT = 'happening';
const MEMBERS = {
  receipt: [
    ...RECORD,
    [isBytes, 'cose'],
    [isText, 'receipt_id payload.stream payload.subject'],
    [isHash, 'payload_hash payload.body_hash'],
    [orNull(isHash), 'payload.prev'],
    [isCount, 'payload.seq'],
  ],
  retrieval: [...RECORD, [isBytes, 'cbor'], [isHash, 'receipt_id'], [(value) => isBytes(value, 16), 'payload.nonce']],
  answer: [
    [isText, 'answer_id agent_id recorded_by receipt_id'],
    [isCount, 'version'],
    [isInstant, 'recorded_at'],
    [orNull(isText), 'text'],
    [orNull(isHash), 'text_hash'],
  ],
  citation: [
    [isText, 'answer_id chunk_id corpus_id doc_id'],
    [isCount, 'version ordinal doc_version'],
    [orNull(isText), 'title url content quote note'],
    [orNull(isHash), 'content_hash quote_hash note_hash'],
    [orNull(isCount), 'start end'],
  ],
  event: [
    [isText, 'stream_type stream_id type receipt_id'],
    [orNull(isText), 'event_id occurred_at'],
    [isCount, 'seq'],
    [isInstant, 'recorded_at'],
    [(value) => isBytes(value, 16), 'salt'],
    [isHash, 'payload_digest digest'],
  ],
  [OUTBOX_EVENT]: [
    [isText, 'event_id kind subject'],
    [isInstant, 'occurred_at'],
  ],
  finding: [
    [isText, 'receipt_id answer_id chunk_id text source answer'],
    [isCount, 'version ordinal'],
    [orNull(isText), 'record signature chain log'],
    [(value) => isList(value, isText), 'drift'],
  ],
};

const APPEND = [
  [isHash, 'payload.body.events_digest'],
  [isCount, 'payload.body.first_seq payload.body.count'],
];

function checkTypes({ type, shown }) {
  const isAppend = type === 'receipt' && shown.below('payload', 'body', 'events_digest') !== undefined;
  for (const [test, names] of [...(MEMBERS[type] ?? []), ...(isAppend ? APPEND : [])]) {
    for (const name of names.split(' ')) {
      const value = shown.below(...name.split('.'));
      must(value === undefined || test(value), `${name} is of another type`);
    }
  }
}

function checkContents(items, manifest) {
  items.forEach(checkTypes);
  const receipts = items.filter(({ type }) => type === 'receipt');
  const allWhole = receipts.length > 0 && receipts.every(({ cose }) => cose !== undefined);
  const said = new Set(allWhole ? receipts.flatMap(({ shown }) => texts(shown.below('payload', 'body'))) : []);
  const events = new Map();
  const chunks = new Map();
  for (const { type, shown } of items) {
    const [id, ref] = [shown.get('chunk_id'), shown.get('chunk_ref')];
    if ((type === 'citation' || type === 'finding') && id !== undefined && ref !== undefined) {
      const others = [...chunks].filter(([other, its]) => (other === id) !== (its === ref));
      must(others.length === 0, 'chunk_ref');
      chunks.set(id, ref);
    }
    if (type === 'answer' || type === 'citation') {
      for (const [text, hash] of PAIRS) {
        const [content, digest] = [shown.get(text), shown.get(hash)];
        const made = typeof content === 'string' ? named('blake3', blake3(Buffer.from(content))) : content;
        must(content === undefined || digest === undefined || made === digest, hash);
        const isNamed = (hash === 'text_hash' || hash === 'content_hash') && typeof digest === 'string';
        if (allWhole && isNamed) must(said.has(digest), `no receipt names a ${hash}`);
      }
    }
    if (type !== 'event') continue;
    events.set(shown.get('seq'), shown.get('digest'));
    const [salt, payload, digest] = [shown.get('salt'), shown.below('payload'), shown.get('payload_digest')];
    if (salt !== undefined && payload !== undefined && digest !== undefined)
      must(named('blake3', blake3(Buffer.concat([salt, encode(payload)]))) === digest, 'payload_digest');
    const core = CORE.map((name) => [name, shown.get(name)]);
    if (shown.get('digest') === undefined || core.some(([, value]) => value === undefined)) continue;
    const map = new Map([['v', 1], ['tenant_id', manifest.get('tenant_id')], ...core]);
    must(named('blake3', blake3(encode(map))) === shown.get('digest'), 'digest of an event');
  }
  for (const { shown } of receipts) {
    const [digest, first, count] = ['events_digest', 'first_seq', 'count'].map((name) =>
      shown.get('payload', 'body', name),
    );
    if ([digest, first, count].includes(undefined) || count > events.size) continue;
    const own = Array.from({ length: count }, (_, n) => events.get(first + n));
    if (own.includes(undefined)) continue;
    const bytes = Buffer.concat(own.map((one) => Buffer.from(one.slice(7), 'hex')));
    must(named('blake3', blake3(bytes)) === digest, 'events_digest');
  }
}

const INGESTS = {
  'ingest.accepted': (body) => [body],
  'ingest.completed': (body) => [body],
  'local.ingested': (body) => body.get('documents'),
};

const DAY = 24 * 3_600_000;
const ENTRY = 'chunk_id content_hash corpus_id doc_id start end quote_hash note_hash'.split(' ');

/** Of version 2, and only where every receipt is shown whole: answers are those of their receipts, texts lead to their ingest. */
function checkBindings(items, manifest) {
  const receipts = items.filter(({ type }) => type === 'receipt');
  if (receipts.length === 0 || receipts.some(({ cose }) => cose === undefined)) return;
  const opened = receipts.map(({ shown }) => ({
    ...{ id: shown.get('receipt_id'), kind: shown.get('payload', 'kind'), body: shown.below('payload', 'body') },
    ...{ actor: shown.get('payload', 'actor'), at: shown.get('payload', 'occurred_at') },
  }));
  for (const { type, shown } of items) {
    const recorded = opened.find(
      ({ kind, body }) =>
        kind === 'answer.recorded' &&
        body.get('answer_id') === shown.get('answer_id') &&
        body.get('version') === shown.get('version'),
    );
    const body = recorded?.body;
    if (type === 'answer' && recorded) expectRecorded(shown, recorded);
    if (type === 'citation' && recorded) expectCited(shown, body.get('citations'));
    if (type === 'answer' && shown.get('text_hash') !== undefined)
      must(body?.get('answer_hash') === shown.get('text_hash'), 'text_hash');
    if (type === 'citation' && typeof shown.get('content') === 'string')
      expectBound(shown, body?.get('citations')?.[shown.get('ordinal')], opened);
  }
  if (manifest.get('complete') && manifest.get('subject') === 'answer') expectAllCited(items, opened);
}

/** What is shown, as far as the receipt has it. */
function expectSame(shown, said) {
  for (const [name, value] of Object.entries(said))
    must([undefined, shown.get(name)].includes(value) || shown.get(name) === undefined, `another ${name}`);
}

function expectRecorded(shown, { id, actor, at, body }) {
  expectSame(shown, { receipt_id: id, recorded_by: actor, agent_id: body.get('agent_id') });
  const recorded = shown.get('recorded_at');
  must(recorded === undefined || Math.abs(Date.parse(recorded) - Date.parse(at)) <= DAY, 'another recorded_at');
}

function expectCited(shown, citations) {
  if (!Array.isArray(citations) || shown.get('ordinal') === undefined) return;
  const entry = citations[shown.get('ordinal')];
  must(entry instanceof Map, 'a citation that the receipt does not have');
  expectSame(shown, Object.fromEntries(ENTRY.map((name) => [name, entry.get(name)])));
  expectSame(shown, { doc_version: entry.get('version') });
}

/** One item for each citation of the receipts. */
function expectAllCited(items, receipts) {
  const lists = receipts.filter(({ kind }) => kind === 'answer.recorded').map(({ body }) => body.get('citations'));
  if (!lists.every(Array.isArray)) return;
  const cited = items.filter(({ type }) => type === 'citation');
  must(cited.length === lists.flat().length, 'a citation is missing');
  const places = cited.map(({ shown }) => ['answer_id', 'version', 'ordinal'].map((name) => shown.get(name)));
  const whole = places.filter((place) => !place.includes(undefined)).map((place) => JSON.stringify(place));
  must(new Set(whole).size === whole.length, 'a citation twice');
}

function expectBound(shown, cited, receipts) {
  must(cited !== undefined, 'the receipt of the answer');
  for (const name of ['chunk_id', 'content_hash'])
    must(typeof shown.get(name) === 'string' && cited.get(name) === shown.get(name), name);
  if (shown.get('binding') === null) return must(cited.get('source') === 'commons', 'no binding');
  const textIn = ({ kind, body }) =>
    Object.hasOwn(INGESTS, kind) && body.get('corpus_id') === shown.get('corpus_id')
      ? INGESTS[kind](body)
          .find((one) => one.get('doc_id') === shown.get('doc_id') && one.get('version') === shown.get('doc_version'))
          ?.get('content_hash')
      : undefined;
  const [id, index, start, end] = ['receipt_id', 'index', 'start', 'end'].map((name) => shown.get('binding', name));
  const path = shown.below('binding', 'path');
  must(isHashes(path) && [index, start, end].every(isCount), 'binding');
  const ingest = receipts.find((one) => one.id === id && /^ingest\.(batch_)?completed$/.test(one.kind));
  must(ingest !== undefined, 'the receipt of the ingest');
  const [document, accepted] = ['document', 'accepted'].map((name) => shown.below('binding', name));
  must((document !== undefined) === (ingest.kind === 'ingest.batch_completed'), 'the document of a batch');
  if (document) must(inBatch(ingest, shown, document), 'the batch of the ingest');
  const text = document ? document.get('content_hash') : textIn(ingest);
  must(text !== undefined, 'the receipt of another document');
  const [size, passagesRoot] = ['passages', 'passages_root'].map((name) => (document ?? ingest.body).get(name));
  must(index < size, 'a place beyond the passages');
  const leaf = sha256(Buffer.of(0), encode([shown.get('chunk_id'), shown.get('content_hash'), start, end]));
  const root = rootFrom(leaf, index, size, hashesOf(path));
  must(named('sha256', root) === passagesRoot, 'not the root of the passages');
  for (const other of receipts) must((textIn(other) ?? text) === text, 'two texts of a document');
  if (!accepted) return;
  const acceptance = receipts.find((one) => one.id === accepted.get('receipt_id'));
  must(acceptance?.kind === 'ingest.batch_accepted', 'the receipt of the acceptance');
  must(inBatch(acceptance, shown, accepted) && accepted.get('content_hash') === text, 'the batch of the acceptance');
}

/** Whether the document of a text has its leaf in the batch of a receipt: receipts.md, "Batches of documents". */
function inBatch({ body }, shown, said) {
  const [index, path] = ['index', 'path'].map((name) => said.get(name));
  if (!isCount(index) || !isHashes(path) || index >= body.get('count')) return false;
  const document = new Map([...said].filter(([name]) => !['index', 'path', 'receipt_id'].includes(name)));
  for (const [name, member] of Object.entries({ corpus_id: 'corpus_id', doc_id: 'doc_id', version: 'doc_version' }))
    document.set(name, shown.get(member));
  const leaf = sha256(Buffer.of(0), encode(document));
  return named('sha256', rootFrom(leaf, index, body.get('count'), hashesOf(path))) === body.get('root');
}

const BOUND =
  'fact_id owner entity key version value tombstone actor actor_claimed written_by confidence horizon_class tenant_hash source_receipt valid_from valid_to'.split(
    ' ',
  );

/** Facts lead to the roots of their batches, or say that nothing does; and no version is left out between two. */
function checkFacts(items, manifest) {
  const facts = items.filter(({ type }) => type === 'fact');
  const receipts = items.filter(({ type }) => type === 'receipt');
  for (const { shown } of facts) {
    const [binding, unproven] = [shown.below('binding'), shown.get('unproven')];
    must(unproven === undefined || unproven === true, 'unproven');
    if (binding === null) must(unproven === true, 'a fact without a receipt that does not say so');
    if (!(binding instanceof Map)) continue;
    must(unproven === undefined, 'unproven, with a receipt');
    const leaf = BOUND.map((name) => shown.get(name));
    // Of a fact that names sources.
    if (shown.get('sources_digest') !== undefined) leaf.push(shown.get('sources_digest'));
    const [id, index, path] = ['receipt_id', 'index', 'path'].map((name) => binding.get(name));
    if ([id, index, path, ...leaf].includes(undefined)) continue;
    const whole = receipts.filter(({ cose }) => cose !== undefined);
    const receipt = whole.find(({ cose }) => receiptId(blake3(cose.payload)) === id);
    if (!receipt && whole.length < receipts.length) continue;
    must(receipt, 'no receipt of the binding');
    const payload = decodeCbor(receipt.cose.payload);
    const [count, root] = ['count', 'root'].map((name) => payload.get('body').get(name));
    must(payload.get('kind') === 'fact.batch' && isCount(count) && isCount(index) && index < count, 'not in the batch');
    must(isDigest('sha256')(root) && isHashes(path), 'digests of the binding');
    const made = rootFrom(sha256(Buffer.of(0), encode(leaf)), index, count, hashesOf(path));
    must(named('sha256', made) === root, 'not the fact that the receipt binds');
    must([undefined, payload.get('occurred_at')].includes(shown.get('stored_at')), 'stored_at');
  }
  const names = facts.map(({ shown }) => ['owner', 'entity', 'key', 'version'].map((name) => shown.get(name)));
  if (names.some((name) => name.includes(undefined))) return;
  const last = new Map();
  for (const [owner, entity, key, version] of names) {
    const chain = JSON.stringify([owner, entity, key]);
    const before = last.get(chain) ?? (manifest.get('complete') ? 0 : version - 1);
    must(version === before + 1, 'a version is missing');
    last.set(chain, version);
  }
}

// ---- the log -----------------------------------------------------------------------------------------------------------------------------

/** The three lines of a checkpoint, and where the signature lines begin. */
function openLines(text) {
  must(!/[\u0000-\u0009\u000b-\u001f]/.test(text) && text.endsWith('\n'), 'control characters');
  const gap = text.lastIndexOf('\n\n');
  must(gap > 0, 'no blank line');
  const signed = text.slice(0, gap + 1);
  const [origin, size, root, ...more] = signed.slice(0, -1).split('\n');
  must(origin && /^(0|[1-9]\d*)$/.test(size) && isCount(Number(size)) && more.length === 0, 'three lines');
  must(base64(root).length === 32, 'root');
  return { origin, size: Number(size), root: base64(root), signed, gap };
}

/** The receipt by which the log begins: which log it follows, and up to where that one was known. */
function openEpoch(record, now, keys) {
  const bytes = base64(record.get('cose'));
  const cose = openCose(bytes, 'application/vnd.svc.receipt+cbor');
  must(isBytes(cose.payload) && holds(cose, cose.payload, keys), 'the signature of the epoch');
  const payload = decodeCbor(cose.payload);
  must(members(payload, FORMS.receipt[0]) && payload.get('v') === 1, 'not a receipt');
  must(isInstant(payload.get('occurred_at')), 'occurred_at');
  must(keys.get(cose.kid).validAt('receipts', payload.get('occurred_at')), 'outside the validity of its key');
  must(isCount(payload.get('seq')) && (payload.get('seq') === 1) === (payload.get('prev') === null), 'seq and prev');
  const is = ['tenant_id', 'kind', 'stream', 'subject'].map((name) => payload.get(name)).join(' ');
  must(is === `svc/server log.epoch log ${now.origin}`, 'the record of another log');
  const body = payload.get('body');
  must(members(body, 'epoch last_known_checkpoint origin previous_origin restored_checkpoint'), 'body');
  must(payload.get('body_hash') === named('blake3', blake3(encode(body))), 'body_hash');
  const [number, follows] = [body.get('epoch'), body.get('previous_origin')];
  must(isCount(number) && number > 0 && now.origin.endsWith(`/${number}`), 'the number of the epoch');
  must(body.get('origin') === now.origin, 'origin');
  const heads = ['restored_checkpoint', 'last_known_checkpoint'].map((name) => body.get(name));
  const [restored, known] = heads.map((text) => (text === null ? null : openLines(text)));
  must((restored === null) === (follows === null) && (restored !== null || known === null), 'what it follows');
  for (const one of [restored, known]) must(one === null || one.origin === follows, 'of another origin');
  must(known === null || known.size >= restored.size, 'known less far than restored');
  const leaf = sha256(Buffer.of(0), ascii(`svc-log-entry-v1:execution:${named('blake3', blake3(bytes))}`));
  must(now.size > 0 && equal(rootFrom(leaf, 0, now.size, hashesOf(record.get('path'))), now.root), 'not leaf 0');
  return { follows, heads: [restored, known].filter((one) => one !== null), end: known?.size ?? Infinity };
}

function follow(old, epoch, path) {
  must(epoch?.follows === old.origin, 'an epoch is missing');
  must(path.length === 0 && old.size <= epoch.end, 'what the record of the epoch does not know');
  for (const { size, root } of epoch.heads) must(size !== old.size || equal(root, old.root), 'two roots');
}

const node = (left, right) => sha256(Buffer.of(1), left, right);
const hashesOf = (list) => list.map((text) => Buffer.from(text.slice(7), 'hex'));

/** RFC 6962 section 2.1.1 read from the root: which side of each split the leaf is on, and then back up with the path. */
function rootFrom(leaf, index, size, path) {
  if (size === 1) return path.length === 0 ? leaf : stop('a path too long');
  let k = 1;
  while (k * 2 < size) k *= 2;
  const sibling = path.at(-1) ?? stop('a path too short');
  const rest = path.slice(0, -1);
  return index < k
    ? node(rootFrom(leaf, index, k, rest), sibling)
    : node(sibling, rootFrom(leaf, index - k, size - k, rest));
}

/** RFC 6962 section 2.1.2 from the root: the roots of the old tree and the new one that the proof leads to. */
function rootsFrom(m, n, path, isComplete, oldRoot) {
  if (m === n) {
    if (isComplete) return path.length === 0 ? [oldRoot, oldRoot] : stop('a proof too long');
    return path.length === 1 ? [path[0], path[0]] : stop('a proof of the wrong length');
  }
  let k = 1;
  while (k * 2 < n) k *= 2;
  const last = path.at(-1) ?? stop('a proof too short');
  const rest = path.slice(0, -1);
  if (m <= k) {
    const [older, newer] = rootsFrom(m, k, rest, isComplete, oldRoot);
    return [older, node(newer, last)];
  }
  const [older, newer] = rootsFrom(m - k, n - k, rest, false, oldRoot);
  return [node(last, older), node(last, newer)];
}

const logKeys = (keys) => [...keys.values()].filter(({ signs }) => signs('log'));

function checkLog(log, items, keys) {
  step = 'checkpoint';
  const now = openCheckpoint(log.get('checkpoint'), logKeys(keys));
  step = 'inclusion';
  const records = items.filter(({ record }) => record !== null);
  must(records.length === log.get('proofs').length, 'as many proofs as records');
  records.forEach(({ type, record }, n) => {
    const proof = log.get('proofs')[n];
    must(proof.get('leaf_index') < now.size, 'a leaf beyond the size');
    const leaf = sha256(Buffer.of(0), ascii(`svc-log-entry-v1:${type === 'receipt' ? 'execution' : type}:${record}`));
    const root = rootFrom(leaf, proof.get('leaf_index'), now.size, hashesOf(proof.get('path')));
    must(equal(root, now.root), 'not the root');
  });
  step = 'epoch';
  const epoch = log.get('epoch') ? openEpoch(log.get('epoch'), now, keys) : undefined;
  step = 'consistency';
  for (const one of log.get('consistency')) {
    const old = openCheckpoint(one.get('checkpoint'), logKeys(keys));
    const path = hashesOf(one.get('path'));
    if (old.origin !== now.origin) {
      follow(old, epoch, path);
      continue;
    }
    must(old.size <= now.size, 'a smaller log');
    if (old.size === 0 || old.size === now.size) must(path.length === 0, 'a proof of nothing');
    if (old.size === now.size) must(equal(old.root, now.root), 'two roots');
    if (old.size === 0 || old.size === now.size) continue;
    const [older, newer] = rootsFrom(old.size, now.size, path, true, old.root);
    must(equal(older, old.root) && equal(newer, now.root), 'not extended');
  }
}

function isSealOf(bytes, token, keys) {
  const cose = openCose(bytes, 'application/vnd.svc.timestamp-token');
  return cose.payload === null && holds(cose, token, keys) && keys.get(cose.kid).signs('exports');
}

// ---- all of it ---------------------------------------------------------------------------------------------------------------------------

function verifyAll(file, trusted, demand) {
  step = 'format';
  const whole = read(file);
  checkShape(whole);
  const [manifest, log] = [whole.get('manifest'), whole.get('log')];
  step = 'keys';
  const keys = openKeys(manifest, trusted);
  step = 'signature';
  const seal = openCose(whole.get('signature'), 'application/vnd.svc.export-manifest+cbor');
  must(seal.payload === null && holds(seal, encode(manifest), keys), 'the manifest was changed');
  must(keys.get(seal.kid).signs('exports'), 'a key that does not sign exports');
  step = 'disclosures';
  const { items, withheld } = place(manifest, whole.get('disclosures'));
  step = 'records';
  for (const item of items) {
    must(Object.hasOwn(FORMS, item.type) === (item.record !== null), 'a record that is none');
    const mode = item.shown.get('payload', 'auth_mode');
    must(item.record === null || mode === undefined || manifest.get('auth_modes').includes(mode), 'auth_mode');
    if (item.record !== null) openRecord(item, manifest);
  }
  step = 'signatures';
  for (const { cose } of items) {
    if (!cose) continue;
    must(holds(cose, cose.payload, keys), 'a receipt was changed');
    const at = decodeCbor(cose.payload).get('occurred_at');
    must(keys.get(cose.kid).validAt('receipts', at), 'outside the validity of its key');
  }
  step = 'chain';
  checkChain(items);
  step = 'contents';
  checkContents(items, manifest);
  if (manifest.get('v') === 2) checkBindings(items, manifest);
  checkFacts(items, manifest);
  if (log !== null) checkLog(log, items, keys);
  step = 'auth-mode';
  for (const mode of manifest.get('auth_modes')) must(!/^(off$|dev)/.test(mode), mode);
  step = 'timestamps';
  const roots = demand?.authorities;
  must(roots === undefined || log !== null, 'no log, so no timestamp');
  if (log !== null) {
    const texts = [log.get('checkpoint'), ...log.get('consistency').map((one) => one.get('checkpoint'))];
    const stamps = (log.get('timestamps') ?? []).map((one) => Object.fromEntries(one));
    checkTimestamps(stamps, texts, (bytes, token) => isSealOf(bytes, token, keys), roots);
  }
  step = 'freshness';
  must(!demand || log !== null, 'no checkpoint');
  if (demand) {
    const earlier = log.get('consistency').map((one) => one.get('checkpoint'));
    expectFresh(openCheckpoint(log.get('checkpoint'), logKeys(keys)), earlier, demand);
  }
  return withheld;
}

/** @returns {{ ok: boolean, failed: string | null, detail: string, withheld: number | null }} */
export function judge(file, trusted, demand) {
  try {
    return { ok: true, failed: null, detail: '', withheld: verifyAll(file, trusted, demand) };
  } catch (error) {
    return { ok: false, failed: error.step ?? step, detail: error.message, withheld: null };
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const verdict = judge(readFileSync(process.argv[2]), process.argv[3]);
  process.stdout.write(`${JSON.stringify(verdict)}\n`);
  process.exitCode = verdict.ok ? 0 : 1;
}
