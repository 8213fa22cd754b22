import { crc32, createInflate, createInflateRaw, type Inflate, type InflateRaw } from 'node:zlib';
import { type BundleLimits, BundleTooBig, BundleUnreadable, CompressionRatioLimit } from './bundle-limits.js';

export type Wrapper = 'gzip' | 'zlib';
/** A file as it was written, and the compression that it came in. */
export interface Unwrapped {
  readonly content: Uint8Array;
  readonly wrapper: Wrapper | null;
}

const GZIP_HEADER_BYTES = 10;
const GZIP_TRAILER_BYTES = 8;
/** RFC 1952 section 2.3.1: the only flag that is taken, a file name after the header. */
const FNAME = 0x08;

/**
 * Takes off one gzip member (RFC 1952) or one zlib stream (RFC 1950). They transport a file and are no part of it, so
 * what a header says is not looked at; but nothing may stand after the stream, where other readers see other things.
 * @throws BundleUnreadable, BundleTooBig
 */
export async function unwrap(bytes: Uint8Array, limits: BundleLimits): Promise<Unwrapped> {
  if (isGzip(bytes)) return { content: await gunzip(bytes, limits), wrapper: 'gzip' };
  if (isZlib(bytes)) return { content: await inflateZlib(bytes, limits), wrapper: 'zlib' };
  if (bytes.length > limits.bytes) throw new BundleTooBig(`it has more than ${limits.bytes} bytes`);
  return { content: bytes, wrapper: null };
}

async function gunzip(bytes: Uint8Array, limits: BundleLimits): Promise<Uint8Array> {
  const start = gzipDataStart(bytes);
  const { content, consumed } = await inflate(createInflateRaw(), bytes.subarray(start), limits);
  const trailer = Buffer.from(bytes.subarray(start + consumed));
  if (trailer.length !== GZIP_TRAILER_BYTES) throw new BundleUnreadable('the gzip does not end where its stream ends');
  if (trailer.readUInt32LE(0) !== crc32(content) || trailer.readUInt32LE(4) !== content.length % 2 ** 32)
    throw new BundleUnreadable('it cannot be decompressed: the checksum of the gzip does not fit');
  return content;
}

function gzipDataStart(bytes: Uint8Array): number {
  const flags = bytes[3];
  if (bytes[2] !== 8 || (flags !== 0 && flags !== FNAME))
    throw new BundleUnreadable('the gzip header has other members than a time and a file name');
  if (flags === 0) return GZIP_HEADER_BYTES;
  const end = bytes.indexOf(0, GZIP_HEADER_BYTES);
  if (end < 0) throw new BundleUnreadable('it cannot be decompressed: the file name of the gzip does not end');
  return end + 1;
}

async function inflateZlib(bytes: Uint8Array, limits: BundleLimits): Promise<Uint8Array> {
  const { content, consumed } = await inflate(createInflate(), bytes, limits);
  if (consumed !== bytes.length) throw new BundleUnreadable('bytes follow the zlib stream');
  return content;
}

async function inflate(
  stream: Inflate | InflateRaw,
  bytes: Uint8Array,
  limits: BundleLimits,
): Promise<{ content: Uint8Array; consumed: number }> {
  const ratioLimit = new CompressionRatioLimit(limits, bytes.length);
  const chunks: Buffer[] = [];
  stream.end(bytes);
  try {
    for await (const chunk of stream) {
      ratioLimit.count((chunk as Buffer).length);
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    if (error instanceof BundleTooBig) throw error;
    throw new BundleUnreadable(`it cannot be decompressed: ${(error as Error).message}`, { cause: error });
  }
  return { content: Buffer.concat(chunks), consumed: stream.bytesWritten };
}

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
/**
 * RFC 1950: method deflate, a window of at most 32 KiB, and a check of both bytes. No JSON text and no CBOR map begins
 * so.
 */
const isZlib = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && first >> 4 <= 7 && (first * 256 + second) % 31 === 0;
