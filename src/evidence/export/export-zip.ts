import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type LocalFileHeader, type ZipFile as ZipReader } from 'yauzl';
import { canonicalJson } from '../canonical-json.js';
import { type CborValue, decodeCanonical, encodeCanonical } from '../cbor.js';
import { namedDigest } from '../digest.js';
import { sha256 } from '../sha256.js';
import { type BundleLimits, BundleTooBig, BundleUnreadable, CompressionRatioLimit } from './bundle-limits.js';
import { zipOf } from './deterministic-zip.js';
import { asExport, EXPORT_FORMAT, EXPORT_FORMAT_V1, type ExportFile, manifestBytes } from './export-format.js';

/** The first file of an archive, for people: these bytes and no others. */
const readme = (format: string): Uint8Array =>
  Buffer.from(`${format}

Evidence out of a svc database. manifest.cbor has a salted digest of every field, signature.cose signs it,
disclosures.cbor shows fields with their salts, log/ leads to a signed checkpoint of the transparency log,
and keys.json has the public keys. A field that is not shown was withheld; the signature holds all the same.

Check it with: svc verify FILE
The format is described in docs/formats/export.md; this file is no evidence.
`);

type Files = ReadonlyMap<string, Uint8Array>;

const FILES = ['README.txt', 'manifest.cbor', 'signature.cose', 'disclosures.cbor', 'keys.json'];
const LOG_FILES_V1 = ['log/checkpoint.txt', 'log/consistency.cbor', 'log/proofs.cbor'];
const LOG_FILES = [...LOG_FILES_V1, 'log/epoch.cbor', 'log/timestamps.cbor'];
/** The archive's comment: `sha256:<hex>` of every byte before it. */
const COMMENT_BYTES = 'sha256:'.length + 64;
const END_RECORD_BYTES = 22;
/** Where a header of the directory names the disk that its file is on. */
const DISK_OF_ENTRY = 34;

/**
 * The archive of an export: the same bytes whenever it is made.
 * @param disclosures the canonical CBOR of the file's disclosures
 */
export async function archiveOf(file: ExportFile, disclosures: Uint8Array): Promise<Uint8Array> {
  const archive = await zipOf(filesOf(file, disclosures), '0'.repeat(COMMENT_BYTES));
  const body = archive.subarray(0, archive.length - COMMENT_BYTES);
  return Buffer.concat([body, Buffer.from(namedDigest('sha256', sha256(body)))]);
}

function filesOf({ format, manifest, signature, log }: ExportFile, disclosures: Uint8Array): Files {
  const contents = [readme(format), manifestBytes(manifest), signature, disclosures, keysFile(manifest.keys)];
  const files = new Map<string, Uint8Array>(FILES.map((name, n) => [name, contents[n]!]));
  if (log === null) return files;
  const logs = [Buffer.from(log.checkpoint), cbor(log.consistency), cbor(log.proofs)];
  if (format === EXPORT_FORMAT) logs.push(cbor(log.epoch), cbor(log.timestamps));
  logs.forEach((content, n) => files.set(LOG_FILES[n]!, content));
  return files;
}

const cbor = (value: unknown): Uint8Array => encodeCanonical(value as CborValue);
const keysFile = (keys: unknown): Uint8Array => canonicalJson({ keys });

/** @throws Error when the files are not those that {@link archiveOf} makes of an export */
export function exportOfFiles(files: Files): ExportFile {
  const read = (name: string) => files.get(name) ?? new Uint8Array();
  const format = [EXPORT_FORMAT, EXPORT_FORMAT_V1].find((name) => isEqual(read('README.txt'), readme(name)));
  if (format === undefined) throw new Error('README.txt was changed');
  const logFiles = format === EXPORT_FORMAT ? LOG_FILES : LOG_FILES_V1;
  const expected = files.size > FILES.length ? [...FILES, ...logFiles] : FILES;
  if ([...files.keys()].join() !== expected.join()) throw new Error(`the archive must hold ${expected.join(', ')}`);
  const file = asExport({
    format,
    manifest: decodeCanonical(read('manifest.cbor')),
    signature: read('signature.cose'),
    disclosures: decodeCanonical(read('disclosures.cbor')),
    log: expected === FILES ? null : logOf(logFiles, read),
  });
  if (!isEqual(read('keys.json'), keysFile(file.manifest.keys)))
    throw new Error('keys.json has other keys than the manifest');
  return file;
}

/** The member of the log that each file has is named as the file. */
function logOf(names: readonly string[], read: (name: string) => Uint8Array): object {
  const members = names.map((name) => {
    const member = name.slice('log/'.length, name.lastIndexOf('.'));
    const bytes = read(name);
    const isText = name.endsWith('.txt');
    const value = isText
      ? new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
      : decodeCanonical(bytes);
    return [member, value] as const;
  });
  return Object.fromEntries(members);
}

const isEqual = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** By its first bytes alone; an empty archive too. */
export const isZip = (bytes: Uint8Array): boolean =>
  bytes.length >= END_RECORD_BYTES && bytes[0] === 0x50 && bytes[1] === 0x4b && [0x03, 0x05].includes(bytes[2]!);

/**
 * The files of any archive, within the limits, each decompressed once and none opened further.
 * @throws BundleTooBig, BundleUnreadable: for names that lead elsewhere or come twice, encryption, damage and
 * truncation
 */
export async function readZip(archive: Uint8Array, limits: BundleLimits): Promise<Files> {
  const files = new Map<string, Uint8Array>();
  const ratioLimit = new CompressionRatioLimit(limits, archive.length);
  try {
    const zip = await fromBufferPromise(Buffer.from(archive), { strictFileNames: true });
    if (zip.entryCount > limits.entries) throw new BundleTooBig(`it holds more than ${limits.entries} files`);
    for await (const entry of zip.eachEntry()) {
      if (files.has(entry.fileName)) throw new BundleUnreadable(`the archive holds ${entry.fileName} twice`);
      files.set(entry.fileName, await readEntry(zip, entry, ratioLimit));
    }
  } catch (error) {
    if (error instanceof BundleTooBig || error instanceof BundleUnreadable) throw error;
    throw new BundleUnreadable(`the archive cannot be read: ${(error as Error).message}`, { cause: error });
  }
  return files;
}

async function readEntry(zip: ZipReader, entry: Entry, ratioLimit: CompressionRatioLimit): Promise<Uint8Array> {
  if (!entry.canDecodeFileData()) throw new BundleUnreadable(`${entry.fileName} is encrypted, or not deflated`);
  const chunks: Buffer[] = [];
  const stream: Readable = await zip.openReadStreamPromise(entry);
  for await (const chunk of stream) {
    ratioLimit.count((chunk as Buffer).length);
    chunks.push(chunk as Buffer);
  }
  const content = Buffer.concat(chunks);
  if (crc32(content) !== entry.crc32) throw new BundleUnreadable(`${entry.fileName} has another checksum`);
  return new Uint8Array(content.buffer, content.byteOffset, content.length);
}

/**
 * Whether the archive is one that {@link archiveOf} could have written: its comment is the digest of all bytes before
 * it, and there is nothing in it but the files, so that no byte can change unseen.
 * @throws Error saying what is not so
 */
export async function expectStrictZip(archive: Uint8Array): Promise<void> {
  const body = Buffer.from(archive.subarray(0, archive.length - COMMENT_BYTES));
  const comment = Buffer.from(archive.subarray(body.length)).toString('latin1');
  if (comment !== namedDigest('sha256', sha256(body)))
    throw new Error('the digest at the end of the archive is not that of the bytes before it');
  const zip = await fromBufferPromise(Buffer.from(archive), { strictFileNames: true });
  let offset = 0;
  let directory = 0;
  const disks: number[] = [];
  for await (const entry of zip.eachEntry()) {
    if (entry.relativeOffsetOfLocalHeader !== offset)
      throw new Error(`there are bytes outside of the files, before ${entry.fileName}`);
    expectHeaders(entry, await zip.readLocalFileHeaderPromise(entry));
    offset += 30 + entry.fileNameLength + entry.compressedSize;
    disks.push(directory + DISK_OF_ENTRY);
    directory += 46 + entry.fileNameLength;
  }
  // The reader passes over the disks and the size of the directory, so they are looked at here.
  const end = endRecord(disks.length, directory, offset);
  if (
    Buffer.compare(body.subarray(offset + directory), end) !== 0 ||
    disks.some((at) => body.readUInt16LE(offset + at))
  )
    throw new Error('there are bytes outside of the files');
}

/** What ends the archive before its comment, APPNOTE.TXT 4.3.16: one disk, all entries on it. */
function endRecord(entries: number, directoryBytes: number, directoryOffset: number): Buffer {
  const record = Buffer.alloc(END_RECORD_BYTES);
  record.write('PK\u0005\u0006', 'latin1');
  record.writeUInt16LE(entries, 8);
  record.writeUInt16LE(entries, 10);
  record.writeUInt32LE(directoryBytes, 12);
  record.writeUInt32LE(directoryOffset, 16);
  record.writeUInt16LE(COMMENT_BYTES, 20);
  return record;
}

const SHARED = ['crc32', 'compressedSize', 'uncompressedSize', 'fileNameLength'] as const;
/** What both headers of a file say, whatever the file: deflated, UTF-8 name, 1 January 1980. */
const CONSTANT = {
  versionNeededToExtract: 20,
  generalPurposeBitFlag: 0x0800,
  compressionMethod: 8,
  lastModFileTime: 0,
  lastModFileDate: 0x0021,
  extraFieldLength: 0,
} as const;
/** What the header in the directory also says: made on Unix, a plain file that its owner may write. */
const OF_DIRECTORY = {
  versionMadeBy: 0x033f,
  internalFileAttributes: 0,
  externalFileAttributes: 0x81a40000,
  fileCommentLength: 0,
} as const;

function expectHeaders(entry: Entry, header: LocalFileHeader): void {
  const as = <T extends object>(found: T, wanted: Partial<T>) =>
    Object.entries(wanted).every(([name, value]) => found[name as keyof T] === value);
  if (!as(entry, OF_DIRECTORY) || !as(entry, CONSTANT) || !as(header, CONSTANT))
    throw new Error(`the headers of ${entry.fileName} are not those of an export`);
  if (SHARED.some((name) => header[name] !== entry[name]) || !header.fileName.equals(entry.fileNameRaw))
    throw new Error(`the two headers of ${entry.fileName} differ`);
}
