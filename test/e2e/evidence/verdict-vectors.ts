import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { canonicalJson } from '../../../src/evidence/canonical-json.js';
import { type CborValue, encodeCanonical } from '../../../src/evidence/cbor.js';
import { parseCose } from '../../../src/evidence/cose.js';
import { blake3, blake3Digest, digestBytes, namedDigest } from '../../../src/evidence/digest.js';
import { fieldDigest } from '../../../src/evidence/export/export-fields.js';
import {
  encodeExportCbor,
  encodeExportJson,
  type ExportFile,
  MANIFEST_CONTENT_TYPE,
  manifestBytes,
} from '../../../src/evidence/export/export-format.js';
import { PACK_CONTENT_TYPE } from '../../../src/evidence/pack-format.js';
import type { FileTimestamp } from '../../../src/evidence/file-timestamps.js';
import { answerVerdicts } from './answer-verdicts.js';
import { readTimestampVectors, sealTimestamp } from './timestamp-vectors.js';
import { RECEIPT_CONTENT_TYPE } from '../../../src/evidence/receipt.js';
import { sha256 } from '../../../src/evidence/sha256.js';
import { SigningKey, thumbprint } from '../../../src/evidence/signing-key.js';
import { cosign, witnessKeyOf } from '../../kit/cosign.js';
import { signCheckpoint, signCose, signNote } from '../../kit/signed-forms.js';

/** One file and what every verifier must say of it. */
export interface VerdictCase {
  readonly name: string;
  readonly kind: 'pack' | 'export';
  readonly ok: boolean;
  /** The first step that fails. */
  readonly failed: string | null;
  /** What is asked of the log; nothing unless given. */
  readonly demand?: Demand;
  readonly file: Uint8Array;
}
/** Texts, as `svc verify` takes them: a kept checkpoint, the log's name, verifier keys of witnesses. */
export interface Demand {
  readonly checkpoint?: string;
  readonly origin?: string;
  readonly witnesses?: readonly string[];
  /** PEM, of time-stamping authorities. */
  readonly authorities?: readonly string[];
}

type Edit = (value: any) => void;
type Fields = Readonly<Record<string, CborValue>>;

const VECTORS = join(import.meta.dirname, '../../../docs/formats/vectors');
const read = (name: string): any => JSON.parse(readFileSync(join(VECTORS, name), 'utf8'));
const KEYS = read('keys.json');
const LOG = read('log.json');
const key = SigningKey.fromPem(KEYS.pkcs8_pem);
/** The key of RFC 8032 section 7.1 TEST 2, for the witness; PKCS #8 (RFC 8410) is a constant and the 32 bytes. */
const WITNESS_SEED = '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb';
const witnessDer = Buffer.from(`302e020100300506032b657004220420${WITNESS_SEED}`, 'hex');
const WITNESS_NAME = 'witness.example/w1';
const witness = SigningKey.fromPem(
  `-----BEGIN PRIVATE KEY-----\n${witnessDer.toString('base64')}\n-----END PRIVATE KEY-----\n`,
);
const WITNESSED_AT = 1_795_000_000;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const CHECKPOINT: string = read('sound.svcpack').checkpoint;
const [BODY] = CHECKPOINT.split('\n\n');
const TEXT = `${BODY}\n`;
const OWN_LINE = CHECKPOINT.slice(TEXT.length + 1);
const COSIGNED = CHECKPOINT + cosign(TEXT, WITNESS_NAME, witness, WITNESSED_AT);
const line = (name: string, blob: Uint8Array): string => `\u2014 ${name} ${base64(blob)}\n`;
const blob = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, n) => n));
/** Of nobody, at a time. */
const COSIGNATURE_BLOB = Buffer.concat([blob(4), Buffer.from('000000006afb5f00', 'hex'), blob(64)]);

/** A key of the given 32 bytes as a JWK. */
const jwkOf = (bytes: Uint8Array): object => {
  const x = Buffer.from(bytes).toString('base64url');
  return { ...KEYS.jwk, kid: thumbprint(x), x };
};
const littleEndian = (n: bigint): Buffer => Buffer.from(n.toString(16).padStart(64, '0'), 'hex').reverse();
const P = 2n ** 255n - 19n;
const WEAK_KEYS: readonly (readonly [string, Uint8Array])[] = [
  ['of order 1', littleEndian(1n)],
  ['of order 2', littleEndian(P - 1n)],
  ['of order 4', littleEndian(0n)],
  ['of order 4, with the sign bit', littleEndian(2n ** 255n)],
  ['of order 8', Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex')],
  ['of order 8, the other', Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex')],
  ['of order 1, not canonical', littleEndian(P + 1n)],
  ['of order 4, not canonical', littleEndian(P)],
  ['with a y that is not below 2^255 - 19', littleEndian(P + 3n)],
];
/** Its last character has spare bits that are not zero. */
const SPARE = `${String(KEYS.jwk.x).slice(0, -1)}${String.fromCharCode(String(KEYS.jwk.x).charCodeAt(42) + 1)}`;

/** sound.svcpack with a change, signed again as who has the key would. */
function pack(edit: Edit = () => undefined): Uint8Array {
  const contents = read('sound.svcpack');
  delete contents.seal;
  edit(contents);
  const seal = signCose(key, PACK_CONTENT_TYPE, canonicalJson(contents), true);
  return canonicalJson({ ...contents, seal: base64(seal) });
}

const EVENT_SALT = blob(16);
const PAYLOAD = { amount: 12.5 };
const PAYLOAD_DIGEST = blake3Digest(Buffer.concat([EVENT_SALT, encodeCanonical(PAYLOAD)]));
const CITATION: Fields = {
  ...{ chunk_id: 'chk_1', content: 'It is so.', content_hash: blake3Digest('It is so.'), ordinal: 0, title: null },
};
const EVENT: Fields = { seq: 0, 'payload.amount': 12.5, salt: EVENT_SALT, payload_digest: PAYLOAD_DIGEST };
const ITEMS: Readonly<Record<string, Fields>> = { citation: CITATION, event: EVENT };

/** An item by its type and its fields, by their paths. */
type Item = readonly [type: string, fields: ReadonlyMap<readonly (string | number)[], CborValue>];

/** An export of the given items, field by field: also such as the product would not make. */
const exported = (items: Readonly<Record<string, Fields>> = ITEMS, edit?: Edit): ExportFile =>
  exportedItems(
    Object.entries(items).map(([type, fields]) => [
      type,
      new Map(Object.entries(fields).map(([path, value]) => [path.split('.'), value])),
    ]),
    edit,
  );

function exportedItems(items: readonly Item[], edit: Edit = () => undefined): ExportFile {
  const disclosures = items.flatMap(([, fields], index) =>
    [...fields].map(([path, value]) => ({
      path: ['items', index, ...path],
      salt: sha256(Buffer.from(`${index} ${path.join('.')}`)).subarray(0, 16),
      value,
    })),
  );
  const digestsOf = (index: number) => disclosures.filter(({ path }) => path[1] === index).map(fieldDigest);
  const manifest = {
    ...{ v: 2, tenant_id: 'acme', subject: 'answer', mode: 'audit', complete: true, auth_modes: [], fields: [] },
    ...{ keys: [KEYS.jwk], statements: [] },
    items: items.map(([type, fields], index) => ({ type, record: recordOf(type, fields), fields: digestsOf(index) })),
  };
  const log = { checkpoint: CHECKPOINT, consistency: [], epoch: null, proofs: [], timestamps: [] };
  const file: any = { format: 'svc-export-v2', manifest, disclosures, log };
  if (manifest.items[0]?.record) file.log = null;
  edit(file);
  return { ...file, signature: signCose(key, MANIFEST_CONTENT_TYPE, manifestBytes(file.manifest), true) };
}

/** The digest of a receipt that is shown; of any other, one that fits nothing. */
function recordOf(type: string, fields: Item[1]): string | null {
  if (!['receipt', 'retrieval'].includes(type)) return null;
  const cose = [...fields].find(([path]) => path.join('.') === 'cose')?.[1];
  return cose instanceof Uint8Array ? namedDigest('blake3', blake3(cose)) : blake3Digest(type);
}
const json = (items?: Readonly<Record<string, Fields>>, edit?: Edit): Uint8Array =>
  encodeExportJson(exported(items, edit));

/** zlib and gzip write a header by version and platform: here it is fixed. */
function gzip(content: Uint8Array, { flags = 0, extra = '' } = {}): Buffer {
  const made = gzipSync(content, { level: 0 });
  const header = Buffer.from([0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 3]);
  return Buffer.concat([header, Buffer.from(extra), made.subarray(10)]);
}
const zlib = (content: Uint8Array): Buffer => deflateSync(content, { level: 0 });
const changedAt = (bytes: Buffer, at: number): Buffer => {
  const changed = Buffer.from(bytes);
  changed[changed.length + at]! ^= 1;
  return changed;
};

/** A receipt whose protected header has other bytes for the kid, with a signature that fits them. */
function withKid(cose: string, kid: Uint8Array): string {
  const { payload } = parseCose(Buffer.from(cose, 'base64'));
  const header = encodeCanonical(
    new Map<number, CborValue>([
      [1, -8],
      [3, RECEIPT_CONTENT_TYPE],
      [4, kid],
    ]),
  );
  const signature = key.sign(encodeCanonical(['Signature1', header, new Uint8Array(0), payload!]));
  const message = encodeCanonical([header, {}, payload!, signature]);
  return base64(Buffer.concat([Buffer.of(0xd2), message]));
}

const FOREIGN = signNote(TEXT, 'other.example', witness).slice(TEXT.length + 1);
const COSIGNATURE = COSIGNED.slice(CHECKPOINT.length);
const CHECKPOINTS: readonly (readonly [string, string, boolean])[] = [
  ['cosigned by a witness', COSIGNED, true],
  ['cosigned with a signature that nobody can check', CHECKPOINT + line('w.example', COSIGNATURE_BLOB), true],
  ['with the line of a witness before its own', `${TEXT}\n${COSIGNATURE}${OWN_LINE}`, true],
  ['with its signature line twice', CHECKPOINT + OWN_LINE, false],
  ['with a cosignature twice', COSIGNED + COSIGNATURE, false],
  ['with a foreign line that is no cosignature', CHECKPOINT + FOREIGN, false],
  ['with a line of its own name by an unknown key', CHECKPOINT + line(LOG.origin, blob(68)), false],
  ['with a cosignature by its own name', CHECKPOINT + line(LOG.origin, COSIGNATURE_BLOB), false],
  [
    'with a cosignature of the year 10000',
    CHECKPOINT + line('w.example', Buffer.concat([blob(4), Buffer.from('0000003afff44180', 'hex'), blob(64)])),
    false,
  ],
  ['with the line of a witness alone', `${TEXT}\n${COSIGNATURE}`, false],
  ['with a plus in a foreign name', CHECKPOINT + line('w+1', COSIGNATURE_BLOB), false],
  ['with a no-break space in a foreign name', CHECKPOINT + line('w\u00a01', COSIGNATURE_BLOB), false],
  ['with U+FEFF in a foreign name', CHECKPOINT + line('w\ufeff1', COSIGNATURE_BLOB), false],
  ['with U+FEFF in its origin', renamed('log.example/\ufeffsvc'), false],
  ['with a plus in its origin', renamed('log.example/s+vc'), false],
  [
    'with spare bits in the base64 of a line',
    CHECKPOINT + line('w.example', COSIGNATURE_BLOB).replace('=\n', '\n'),
    false,
  ],
];

/** As the origin would sign it, which signCheckpoint refuses to write. */
function renamed(origin: string): string {
  const head = { size: LOG.entries.length, root: digestBytes('sha256', LOG.roots.at(-1).root) };
  const text = signCheckpoint(LOG.origin, head, key).split('\n\n')[0]!.replace(LOG.origin, origin) + '\n';
  const id = sha256(Buffer.from(`${origin}\n`), Buffer.of(1), key.publicKey.bytes).subarray(0, 4);
  return `${text}\n${line(origin, Buffer.concat([id, key.sign(Buffer.from(text))]))}`;
}

type Draft = readonly [name: string, failed: string | null, file: Uint8Array, demand?: Demand];

const setKey =
  (x: string): Edit =>
  (contents) =>
    (contents.keys = [{ ...contents.keys[0], x }]);
const addKey =
  (bytes: Uint8Array): Edit =>
  (contents) =>
    contents.keys.push(jwkOf(bytes));
const inManifest =
  (edit: Edit): Edit =>
  ({ manifest }) =>
    edit(manifest);

function packs(): Draft[] {
  return [
    ['as it was made', null, pack()],
    ['in a gzip with a time', null, gzip(pack())],
    ['in a gzip with a file name', null, gzip(pack(), { flags: 8, extra: 'p.svcpack\0' })],
    ['in a zlib stream', null, zlib(pack())],
    ['in a gzip and a byte after it', 'format', Buffer.concat([gzip(pack()), Buffer.of(0)])],
    ['in a gzip and an empty member after it', 'format', Buffer.concat([gzip(pack()), gzip(Buffer.alloc(0))])],
    ['in a gzip with a comment', 'format', gzip(pack(), { flags: 16, extra: 'hello\0' })],
    ['in a gzip with an extra field', 'format', gzip(pack(), { flags: 4, extra: '\x01\0x' })],
    ['in a gzip with another checksum', 'format', changedAt(gzip(pack()), -8)],
    ['in a gzip with another length', 'format', changedAt(gzip(pack()), -1)],
    ['in a zlib stream and a byte after it', 'format', Buffer.concat([zlib(pack()), Buffer.of(0)])],
    ['in a zlib stream with another checksum', 'format', changedAt(zlib(pack()), -1)],
    ['in a gzip in a gzip', 'format', gzip(gzip(pack()))],
    ['with spare bits in the x of a key', 'format', pack(setKey(SPARE))],
    ['made in month 13', 'format', pack((one) => (one.made_at = '2026-13-01T00:00:00.000Z'))],
    ['made on 30 February', 'format', pack((one) => (one.made_at = '2026-02-30T00:00:00.000Z'))],
    ...WEAK_KEYS.map(([name, bytes]): Draft => [`with a key ${name}`, 'keys', pack(addKey(bytes))]),
    ['without keys', 'signatures', pack((one) => (one.keys = []))],
    ['with a receipt_id that is no UUID', 'receipts', pack((one) => (one.receipts[0].receipt_id = 'x'))],
    [
      'with a kid that is not ASCII',
      'signatures',
      pack((one) => (one.receipts[0].cose = withKid(one.receipts[0].cose, Buffer.from('schl\u00fcssel')))),
    ],
    [
      'whose key ended before its receipts',
      'signatures',
      pack((one) => (one.keys[0].exp = Date.parse('2026-11-20T00:00:00Z') / 1000)),
    ],
    ...CHECKPOINTS.map(([name, text, ok]): Draft => {
      const file = pack((one) => (one.checkpoint = text));
      return [`under a checkpoint ${name}`, ok ? null : 'checkpoint', file];
    }),
    [
      'with an earlier checkpoint with its signature line twice',
      'consistency',
      pack((one) => (one.consistency[0].checkpoint += one.consistency[0].checkpoint.split('\n\n')[1])),
    ],
  ];
}

/** A value in place of one of another type. */
const wrong = (type: string, name: string, value: CborValue): Draft => [
  `with ${name} of ${type === 'event' ? 'an' : 'a'} ${type} that is ${JSON.stringify(value)}`,
  'contents',
  json({ [type]: { ...ITEMS[type], [name]: value } }),
];

function fieldTypes(): Draft[] {
  return [
    wrong('event', 'salt', 'text'),
    wrong('event', 'seq', '0'),
    wrong('event', 'payload_digest', 5),
    wrong('event', 'digest', true),
    wrong('event', 'recorded_at', '2026-02-30T00:00:00.000Z'),
    wrong('finding', 'drift', 'source_changed'),
    [
      'with a count of a receipt of an append that is "1"',
      'contents',
      json({ receipt: { 'payload.body.events_digest': PAYLOAD_DIGEST, 'payload.body.count': '1' } }),
    ],
    ['with a count of another receipt that is "1"', null, json({ receipt: { 'payload.body.count': '1' } })],
    ['with 15 bytes of salt in an event', 'contents', json({ event: { ...EVENT, salt: blob(15) } })],
    wrong('citation', 'content', 5),
    wrong('citation', 'content_hash', false),
    wrong('citation', 'chunk_id', null),
    wrong('citation', 'start', -1),
    wrong('answer', 'version', 1.5),
    wrong('happening', 'kind', 1),
    wrong('finding', 'source', []),
    wrong('receipt', 'payload.seq', '1'),
    wrong('retrieval', 'payload.nonce', 'text'),
    [
      'with a title of a citation that is a map, field by field',
      'contents',
      json({ citation: { chunk_id: 'c', 'title.en': 'x' } }),
    ],
    ['with an item of a type that nobody knows', null, json({ later: { salt: 'text' } })],
    ['with a member that nobody knows', null, json({ citation: { ...CITATION, later: 'text' } })],
    [
      'with a map of one member as a field',
      'disclosures',
      json({ event: { ...EVENT, 'payload.amount': { is: 12.5 } } }),
    ],
  ];
}

function exports(): Draft[] {
  return [
    ['as JSON', null, json()],
    ['as CBOR', null, encodeExportCbor(exported())],
    ['as CBOR in a zlib stream', null, zlib(encodeExportCbor(exported()))],
    ['as JSON in a gzip with a file name', null, gzip(json(), { flags: 8, extra: 'e.json\0' })],
    ['as JSON in a gzip and bytes after it', 'format', Buffer.concat([gzip(json()), Buffer.from('more')])],
    ['as an archive in a gzip', 'format', gzip(Buffer.from(`504b0506${'00'.repeat(18)}`, 'hex'))],
    ['with spare bits in the x of a key', 'format', json(ITEMS, inManifest(setKey(SPARE)))],
    ...WEAK_KEYS.map(([name, bytes]): Draft => {
      return [`with a key ${name}`, 'keys', json(ITEMS, inManifest(addKey(bytes)))];
    }),
    [
      'without keys',
      'signature',
      json(
        ITEMS,
        inManifest((one) => (one.keys = [])),
      ),
    ],
    ...(['receipt', 'stream', 'entity'] as const).map((subject): Draft => {
      return [
        `of ${subject === 'entity' ? 'an' : 'a'} ${subject} in the mode audit`,
        'format',
        json(
          ITEMS,
          inManifest((one) => (one.subject = subject)),
        ),
      ];
    }),
    ['with a text as a timestamp', 'format', json(ITEMS, ({ log }) => (log.timestamps = ['AAAA']))],
    ...fieldTypes(),
    ...answerVerdicts(key, (items, { complete }) =>
      encodeExportJson(
        exportedItems(
          items,
          inManifest((one) => Object.assign(one, { complete, auth_modes: ['api_key'] })),
        ),
      ),
    ),
    ...CHECKPOINTS.map(([name, text, ok]): Draft => {
      const file = json(ITEMS, ({ log }) => (log.checkpoint = text));
      return [`under a checkpoint ${name}`, ok ? null : 'checkpoint', file];
    }),
  ];
}

const rootOf = (size: number): Uint8Array =>
  digestBytes('sha256', LOG.roots.find((one: { size: number }) => one.size === size).root);
const checkpointOf = (size: number, root = rootOf(size), origin = LOG.origin): string =>
  signCheckpoint(origin, { size, root }, key);
const WITNESSES = [witnessKeyOf(WITNESS_NAME, witness)];
const UNRELATED = [witnessKeyOf('unrelated.example', witness)];

function freshness(name: string, plain: Uint8Array, cosigned: Uint8Array): Draft[] {
  const earlier: string = read('sound.svcpack').consistency[0].checkpoint;
  const between = [2, 3, 4, 5, 6, 7].find((size) => !earlier.includes(`\n${size}\n`))!;
  const size = LOG.entries.length;
  const demands: [string, Demand, boolean][] = [
    ['kept the same checkpoint', { checkpoint: CHECKPOINT }, true],
    ['kept one that it shows to be extended', { checkpoint: earlier }, true],
    ['kept one of which it shows nothing', { checkpoint: checkpointOf(between) }, false],
    ['kept one of the same size with another root', { checkpoint: checkpointOf(size, rootOf(1)) }, false],
    ['kept a later one', { checkpoint: checkpointOf(size + 1, rootOf(1)) }, false],
    ['kept one of another log', { checkpoint: checkpointOf(size, rootOf(size), 'other.example') }, false],
    ['knows the log by its name', { origin: LOG.origin }, true],
    ['knows the log by its name without the epoch', { origin: 'log.example' }, true],
    ['knows another log', { origin: 'log.example/other' }, false],
    ['knows a witness that did not sign', { witnesses: WITNESSES }, false],
  ];
  const witnessed: [string, Demand, boolean][] = [
    ['knows its witness', { witnesses: WITNESSES }, true],
    ['knows another witness as well', { witnesses: [...WITNESSES, ...UNRELATED] }, false],
  ];
  const of = (file: Uint8Array, list: [string, Demand, boolean][]) =>
    list.map(([what, demand, ok]): Draft => [`${name}, for who ${what}`, ok ? null : 'freshness', file, demand]);
  return [...of(plain, demands), ...of(cosigned, witnessed)];
}

const cosignedWith = (text: string, seconds: number): string =>
  CHECKPOINT + cosign(text, WITNESS_NAME, witness, seconds);
/** As the witness would sign, and with one second more than it signed. */
const BACKDATED = ((): string => {
  const good = COSIGNATURE.slice(`\u2014 ${WITNESS_NAME} `.length, -1);
  const bytes = Buffer.from(good, 'base64');
  bytes[11]! ^= 1;
  return CHECKPOINT + line(WITNESS_NAME, bytes);
})();

function freshPacks(): Draft[] {
  const under = (text: string) => pack((one) => (one.checkpoint = text));
  const other = cosignedWith(TEXT.replace(LOG.origin, 'other.example'), WITNESSED_AT);
  return [
    ...freshness('as it was made', pack(), under(COSIGNED)),
    ['with the time of a cosignature changed', null, under(BACKDATED)],
    [
      'with the time of a cosignature changed, for its witness',
      'freshness',
      under(BACKDATED),
      { witnesses: WITNESSES },
    ],
    ['with the cosignature of another checkpoint', 'freshness', under(other), { witnesses: WITNESSES }],
  ];
}

function freshExports(): Draft[] {
  const under = (checkpoint: string, consistency: unknown[] = []) =>
    json({ citation: CITATION }, ({ log }) => Object.assign(log, { checkpoint, consistency }));
  const { consistency } = read('sound.svcpack');
  return [
    ...freshness('as it was made', under(CHECKPOINT, consistency), under(COSIGNED)),
    [
      'without its log, for who knows the log',
      'freshness',
      json(ITEMS, (one) => (one.log = null)),
      { origin: LOG.origin },
    ],
  ];
}

/** A file with these timestamps, and the checkpoints of sound.svcpack. */
type Stamper = (timestamps: unknown[], edit?: Edit) => Uint8Array;

function stampings(file: Stamper): Draft[] {
  const { tokens, root, other_root } = readTimestampVectors();
  const size = LOG.entries.length;
  const stamp = (name: keyof typeof tokens, of = size): FileTimestamp =>
    sealTimestamp(key, of, Buffer.from(tokens[name], 'base64'));
  const good = stamp('checkpoint');
  const resealed = { ...stamp('rsa'), token: good.token };
  const attached = signCose(key, 'application/vnd.svc.timestamp-token', Buffer.from(good.token, 'base64'));
  const cases: [string, unknown[], string | null][] = [
    ['no timestamp', [], null],
    ['a timestamp of its checkpoint', [good], null],
    ['a timestamp of an earlier checkpoint', [stamp('earlier', 3)], null],
    ['a timestamp that is signed by RSA', [stamp('rsa')], null],
    ['two timestamps', [stamp('other_authority', 3), good], null],
    ['a timestamp of another text', [stamp('another_text')], 'timestamps'],
    ['a timestamp of another size', [stamp('checkpoint', 3)], 'timestamps'],
    ['a timestamp of a size that no checkpoint has', [stamp('checkpoint', 4)], 'timestamps'],
    ['a timestamp over SHA-512', [stamp('sha512')], 'timestamps'],
    ['a timestamp by a certificate for something else', [stamp('not_for_stamping')], 'timestamps'],
    ['a good timestamp and one of another text', [good, stamp('another_text')], 'timestamps'],
    ['a timestamp with the seal of another', [resealed], 'timestamps'],
    ['a timestamp whose seal holds the token', [{ ...good, seal: base64(attached) }], 'timestamps'],
    [
      'a timestamp with a byte after it',
      [sealTimestamp(key, size, Buffer.from(`${Buffer.from(good.token, 'base64').toString('hex')}00`, 'hex'))],
      'timestamps',
    ],
    ['a timestamp that is no token', [sealTimestamp(key, size, Buffer.from('token'))], 'timestamps'],
    ['a timestamp of a size in words', [{ ...good, size: '8' }], 'format'],
    ['a timestamp with a member more', [{ ...good, at: 1 }], 'format'],
    ['a timestamp without a seal', [{ size: good.size, token: good.token }], 'format'],
  ];
  const known: [string, unknown[], string[], boolean][] = [
    ['knows its authority', [good], [root], true],
    ['knows its authority and another', [stamp('rsa'), good], [root, other_root], true],
    ['knows the authority of one of two', [stamp('rsa'), good], [root], false],
    ['knows another authority', [good], [other_root], false],
    ['knows an authority, and there is no timestamp', [], [root], false],
  ];
  const cosigned = (one: any): void => {
    (one.log ?? one).checkpoint = COSIGNED;
  };
  return [
    ...cases.map(([name, list, failed]): Draft => [`with ${name}`, failed, file(list)]),
    ['with a timestamp of its checkpoint, which a witness has signed too', null, file([good], cosigned)],
    ...known.map(([who, list, authorities, ok]): Draft => {
      return [`with timestamps, for who ${who}`, ok ? null : 'timestamps', file(list), { authorities }];
    }),
  ];
}

const stampedPacks = (): Draft[] =>
  stampings((timestamps, edit = () => undefined) =>
    pack((one) => {
      one.timestamps = timestamps;
      edit(one);
    }),
  );
const stampedExports = (): Draft[] =>
  stampings((timestamps, edit = () => undefined) =>
    json({ citation: CITATION }, (one) => {
      Object.assign(one.log, { timestamps, consistency: read('sound.svcpack').consistency });
      edit(one);
    }),
  );

/** All cases of docs/formats/vectors/verdicts.json. */
export function verdictCases(): VerdictCase[] {
  const of =
    (kind: VerdictCase['kind']) =>
    ([name, failed, file, demand]: Draft): VerdictCase => {
      return { name, kind, ok: failed === null, failed, ...(demand && { demand }), file };
    };
  return [
    ...[...packs(), ...freshPacks(), ...stampedPacks()].map(of('pack')),
    ...[...exports(), ...freshExports(), ...stampedExports()].map(of('export')),
  ];
}
