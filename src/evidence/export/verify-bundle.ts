import { createGunzip, createInflate } from 'node:zlib';
import { isRecord } from '../canonical-json.js';
import { PACK_FORMAT, type ProofPack } from '../pack-format.js';
import { type Check, type TrustedKey, verifyPack } from '../verify-pack.js';
import { type BundleLimits, BundleTooBig, BundleUnreadable, CompressionRatioLimit } from './bundle-limits.js';
import { decodeExportCbor, decodeExportJson, EXPORT_FORMAT, type ExportFile } from './export-format.js';
import { expectStrictZip, exportOfFiles, isZip, readZip } from './export-zip.js';
import type { Acceptance } from './open-export.js';
import { verifyExport } from './verify-export.js';

/** What was found of a bundle, and what it says of itself. */
export interface BundleVerdict {
  readonly ok: boolean;
  readonly checks: readonly Check[];
  readonly format: string;
  /** What the bundle claims; null where it could not be read so far. */
  readonly tenantId: string | null;
  readonly subject: { readonly type: string; readonly id: string | null } | null;
  /** Ids of the keys inside. */
  readonly kids: readonly string[];
}

/**
 * Verifies what an export route or the route of proof packs has handed out: an archive, JSON or CBOR, the latter two
 * also compressed by gzip or zlib. Archives inside are not opened.
 * @throws BundleUnreadable, BundleTooBig
 */
export async function verifyBundle(
  bytes: Uint8Array,
  limits: BundleLimits,
  acceptance: Acceptance = {},
): Promise<BundleVerdict> {
  if (isZip(bytes)) {
    const files = await readZip(bytes, limits);
    if (!files.has('manifest.cbor')) throw new BundleUnreadable('the archive holds no manifest.cbor: it is no export');
    return judgeExport(bytes.length, acceptance, async () => {
      await expectStrictZip(bytes);
      return exportOfFiles(files);
    });
  }
  const content = await decompress(bytes, limits);
  if (content[0] === 0x7b) return judgeJson(content, acceptance);
  if (content[0] !== undefined && content[0] >> 5 === 5)
    return judgeExport(content.length, acceptance, async () => decodeExportCbor(content));
  throw new BundleUnreadable(
    isZip(content) || isGzip(content)
      ? 'an archive inside an archive is not opened'
      : 'this is no zip archive, JSON object or CBOR map, plain or compressed by gzip or zlib',
  );
}

async function judgeJson(content: Uint8Array, acceptance: Acceptance): Promise<BundleVerdict> {
  const parsed = parse(content);
  const format = isRecord(parsed) ? parsed.format : undefined;
  if (format === PACK_FORMAT) return judgePack(content, parsed as ProofPack, acceptance.trusted);
  if (format !== EXPORT_FORMAT) throw new BundleUnreadable(`its format is neither ${EXPORT_FORMAT} nor ${PACK_FORMAT}`);
  return judgeExport(content.length, acceptance, async () => decodeExportJson(content, parsed));
}

function judgePack(content: Uint8Array, parsed: ProofPack, trusted?: readonly TrustedKey[]): BundleVerdict {
  const verdict = verifyPack(content, trusted);
  const readable = verdict.checks[0]?.ok === true;
  return {
    ...verdict,
    format: PACK_FORMAT,
    tenantId: readable ? parsed.tenant_id : null,
    subject: readable ? parsed.subject : null,
    kids: readable ? parsed.keys.map(({ kid }) => kid) : [],
  };
}

async function judgeExport(
  size: number,
  acceptance: Acceptance,
  read: () => Promise<ExportFile>,
): Promise<BundleVerdict> {
  let file: ExportFile;
  try {
    file = await read();
  } catch (error) {
    const checks = [{ name: 'format', ok: false, detail: (error as Error).message }];
    return { ok: false, checks, format: EXPORT_FORMAT, tenantId: null, subject: null, kids: [] };
  }
  const { checks, subjectId } = verifyExport(file, acceptance);
  const all = [{ name: 'format', ok: true, detail: `${file.format}, ${size} bytes, canonical` }, ...checks];
  return {
    ok: all.every(({ ok }) => ok),
    checks: all,
    format: EXPORT_FORMAT,
    tenantId: file.manifest.tenant_id,
    subject: { type: file.manifest.subject, id: subjectId },
    kids: file.manifest.keys.map(({ kid }) => kid),
  };
}

async function decompress(bytes: Uint8Array, limits: BundleLimits): Promise<Uint8Array> {
  const stream = isGzip(bytes) ? createGunzip() : isZlib(bytes) ? createInflate() : undefined;
  if (!stream) {
    if (bytes.length > limits.bytes) throw new BundleTooBig(`it has more than ${limits.bytes} bytes`);
    return bytes;
  }
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
  return Buffer.concat(chunks);
}

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
/**
 * RFC 1950: method deflate, a window of at most 32 KiB, and a check of both bytes. No JSON text and no CBOR map begins
 * so.
 */
const isZlib = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && first >> 4 <= 7 && (first * 256 + second) % 31 === 0;

function parse(content: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content));
  } catch (error) {
    throw new BundleUnreadable(`it is not JSON in UTF-8: ${(error as Error).message.slice(0, 200)}`, { cause: error });
  }
}
