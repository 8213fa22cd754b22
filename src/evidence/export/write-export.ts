import { canonicalJson } from '../canonical-json.js';
import { encodeCanonical } from '../cbor.js';
import {
  type Disclosure,
  disclosureAsJson,
  encodeExportCbor,
  encodeExportJson,
  type ExportFile,
} from './export-format.js';
import { archiveOf } from './export-zip.js';
import { Turns } from './yield.js';

/*
 * The same files as export-format.ts and export-zip.ts make in one go, with turns for others in between: the
 * disclosures, which are most of an export, are encoded one by one and put where an export without any has its empty
 * list.
 */

/** The JSON file. */
export async function writeExportJson(file: ExportFile): Promise<Uint8Array> {
  const parts = await inTurns(file.disclosures, (one) => canonicalJson(disclosureAsJson(one)));
  const around = Buffer.from(encodeExportJson({ ...file, disclosures: [] }));
  const place = '{"disclosures":['.length;
  const comma = Buffer.from(',');
  const joined = parts.flatMap((part, n) => (n === 0 ? [part] : [comma, part]));
  return Buffer.concat([around.subarray(0, place), ...joined, around.subarray(place)]);
}

/** The CBOR file: `disclosures` is the longest name of the outermost map, so its value comes last. */
export async function writeExportCbor(file: ExportFile): Promise<Uint8Array> {
  const around = encodeExportCbor({ ...file, disclosures: [] });
  return Buffer.concat([around.subarray(0, -1), await listInTurns(file.disclosures)]);
}

/** The archive. */
export async function writeExportZip(file: ExportFile): Promise<Uint8Array> {
  return archiveOf(file, await listInTurns(file.disclosures));
}

async function listInTurns(disclosures: readonly Disclosure[]): Promise<Uint8Array> {
  const parts = await inTurns(disclosures, ({ path, salt, value }) => encodeCanonical({ path, salt, value }));
  return Buffer.concat([listHead(parts.length), ...parts]);
}

/** RFC 8949 section 3: major type 4 and the length, in the shortest form. */
function listHead(length: number): Uint8Array {
  if (length < 24) return Buffer.of(0x80 | length);
  if (length < 2 ** 8) return Buffer.of(0x98, length);
  const head = Buffer.alloc(length < 2 ** 16 ? 3 : 5);
  head[0] = length < 2 ** 16 ? 0x99 : 0x9a;
  head.writeUIntBE(length, 1, head.length - 1);
  return head;
}

async function inTurns<T, R>(items: readonly T[], step: (item: T) => R): Promise<R[]> {
  const turns = new Turns();
  const done: R[] = [];
  for (const item of items) {
    await turns.count();
    done.push(step(item));
  }
  return done;
}
