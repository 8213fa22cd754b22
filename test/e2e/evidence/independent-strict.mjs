/**
 * Rules that packs and exports share, from docs/formats alone: compressed transport, public keys, instants, signature
 * lines. Each throws an Error that says what is wrong, or returns.
 */
import { createHash, createPublicKey, verify as ed25519 } from 'node:crypto';
import { crc32, inflateRawSync } from 'node:zlib';

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
const need = (holds, detail) => {
  if (!holds) throw new Error(detail);
};

// ---- transport: one gzip member (RFC 1952) or one zlib stream (RFC 1950) ---------------------------------------------------

/** Inflates, and says where the stream ended: the shortest beginning that inflates whole, found by the trailer's place. */
function inflated(bytes, trailer) {
  need(bytes.length > trailer, 'no stream');
  const { buffer, engine } = inflateRawSync(bytes, { info: true, maxOutputLength: 2 ** 28 });
  need(engine.bytesWritten === bytes.length - trailer, 'bytes after the stream');
  return [buffer, Buffer.from(bytes.subarray(bytes.length - trailer))];
}

function adler32(bytes) {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return b * 65536 + a;
}

export function unwrap(file) {
  if (file[0] === 0x1f && file[1] === 0x8b) {
    need(file[2] === 8 && (file[3] === 0 || file[3] === 8), 'flags of the gzip');
    const start = file[3] === 0 ? 10 : file.indexOf(0, 10) + 1;
    need(start >= 10, 'a file name without an end');
    const [content, end] = inflated(file.subarray(start), 8);
    need(end.readUInt32LE(0) === crc32(content) && end.readUInt32LE(4) === content.length, 'checksum of the gzip');
    return content;
  }
  if ((file[0] & 0x0f) === 8 && file[0] >> 4 <= 7 && (file[0] * 256 + file[1]) % 31 === 0) {
    need((file[1] & 0x20) === 0, 'a preset dictionary');
    const [content, end] = inflated(file.subarray(2), 4);
    need(end.readUInt32BE(0) === adler32(content), 'checksum of the zlib stream');
    return content;
  }
  return file;
}

// ---- public keys ---------------------------------------------------------------------------------------------------------------

const P = 2n ** 255n - 19n;
const mod = (n) => ((n % P) + P) % P;
function power(base, exponent) {
  let result = 1n;
  for (let b = mod(base), e = exponent; e > 0n; e >>= 1n, b = mod(b * b)) if (e & 1n) result = mod(result * b);
  return result;
}
const inverse = (n) => power(n, P - 2n);
const D = mod(-121665n * inverse(121666n));

/** RFC 8032 section 5.1.3, the x that goes with y; undefined when there is none. */
function xOf(y) {
  const square = mod((y * y - 1n) * inverse(D * y * y + 1n));
  const root = power(square, (P + 3n) / 8n);
  const roots = [root, mod(root * power(2n, (P - 1n) / 4n))];
  return roots.find((x) => mod(x * x) === square);
}

function double([x, y]) {
  const t = mod(D * x * x * y * y);
  return [mod(2n * x * y * inverse(1n + t)), mod((y * y + x * x) * inverse(1n - t))];
}

/** The 32 bytes of a key: y in canonical form, and, if it is that of a point, eight times the point is not the neutral one. */
function expectStrong(raw) {
  const y = BigInt(`0x${Buffer.from(raw).reverse().toString('hex')}`) % 2n ** 255n;
  need(y < P, 'not canonical');
  const x = xOf(y);
  if (x === undefined) return;
  const [eightX, eightY] = double(double(double([x, y])));
  need(eightX !== 0n || eightY !== 1n, 'of small order');
}

/** A JWK's x as { raw, holds(message, signature) }. */
export function openKey(x) {
  const raw = Buffer.from(x, 'base64url');
  expectStrong(raw);
  const handle = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return { raw, holds: (message, signature) => ed25519(null, message, handle, signature) };
}

export const isKeyText = (x) => /^[\w-]{43}$/.test(x) && Buffer.from(x, 'base64url').toString('base64url') === x;

/** A time that the calendar has. */
export const isInstant = (text) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString() === text;

// ---- checkpoints -----------------------------------------------------------------------------------------------------------------

/** @param keys list of what openKey returns. @returns {{ origin, size, root, body, lines }} */
export function openCheckpoint(text, keys) {
  need(!/[\u0000-\u0009\u000b-\u001f]/.test(text) && text.endsWith('\n'), 'control characters');
  const gap = text.lastIndexOf('\n\n');
  need(gap > 0, 'no blank line');
  const body = text.slice(0, gap + 1);
  const [origin, size, root, ...more] = body.slice(0, -1).split('\n');
  need(origin && /^(0|[1-9]\d*)$/.test(size) && Number.isSafeInteger(Number(size)), 'origin or size');
  need(more.length === 0 && Buffer.from(root, 'base64').length === 32, 'three lines');
  need(Buffer.from(root, 'base64').toString('base64') === root, 'root');
  const lines = text
    .slice(gap + 2, -1)
    .split('\n')
    .map(readLine);
  need(lines.length <= 64, 'more than 64 lines');
  need(new Set(lines.map(({ name, id }) => `${id} ${name}`)).size === lines.length, 'a key signs twice');
  need(
    lines.some(({ name }) => name === origin),
    'no line of the log',
  );
  for (const { name, id, signature } of lines) {
    if (name !== origin) {
      need(
        signature.length === 72 && signature.readBigUInt64BE() <= 253402300799n,
        'neither of the log nor a cosignature',
      );
      continue;
    }
    const key = keys.find(({ raw }) => id === keyId(origin, 1, raw));
    need(key?.holds(Buffer.from(body), signature), 'a signature of the log does not hold under a key of the file');
  }
  return { origin, size: Number(size), root: Buffer.from(root, 'base64'), body, lines };
}

const keyId = (name, type, raw) =>
  sha256(Buffer.from(`${name}\n`), Buffer.of(type), raw)
    .subarray(0, 4)
    .toString('hex');

function readLine(line) {
  const [, name, encoded] = /^\u2014 ([^\p{White_Space}\uFEFF+]+) ([A-Za-z0-9+/]+={0,2})$/u.exec(line) ?? [];
  need(name !== undefined, 'a signature line');
  const bytes = Buffer.from(encoded, 'base64');
  need(bytes.length > 4 && bytes.toString('base64') === encoded, 'base64 of a signature line');
  return { name, id: bytes.subarray(0, 4).toString('hex'), signature: bytes.subarray(4) };
}

// ---- freshness: what the verifier knows of the log from elsewhere ---------------------------------------------------------------

/** @param head what openCheckpoint returned. @param earlier texts of the file's earlier checkpoints */
export function expectFresh(head, earlier, { checkpoint, origin, witnesses = [] }) {
  const bodyOf = (text) => text.slice(0, text.lastIndexOf('\n\n') + 1);
  const isNamed = head.origin === origin || head.origin.slice(0, head.origin.lastIndexOf('/')) === origin;
  need(origin === undefined || isNamed, 'another log');
  const isKept = (text) => bodyOf(text) === bodyOf(checkpoint);
  need(
    checkpoint === undefined || head.body === bodyOf(checkpoint) || earlier.some(isKept),
    'not the kept one, nor extended from it',
  );
  for (const witness of witnesses) {
    const [, name, id, encoded] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(witness) ?? [];
    const bytes = Buffer.from(encoded ?? '', 'base64');
    need(bytes.length === 33 && bytes[0] === 4 && keyId(name, 4, bytes.subarray(1)) === id, 'verifier key');
    const key = openKey(bytes.subarray(1).toString('base64url'));
    const line = head.lines.find((one) => one.name === name && one.id === id);
    need(line, 'no cosignature');
    const signed = `cosignature/v1\ntime ${line.signature.readBigUInt64BE()}\n${head.body}`;
    need(key.holds(Buffer.from(signed), line.signature.subarray(8)), 'the cosignature does not hold');
  }
}
