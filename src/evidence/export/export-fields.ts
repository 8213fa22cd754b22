import { hkdfSync } from 'node:crypto';
import { type CborMap, type CborValue, encodeCanonical, isCborMap } from '../cbor.js';
import { blake3Digest, type Digest, keyedBlake3 } from '../digest.js';
import { sha256 } from '../sha256.js';
import { type Disclosure, type FieldPath, SALT_BYTES } from './export-format.js';

/** A map or list with more members than this is one field, so that no value makes fields without end. */
const MAX_MEMBERS = 1000;
const REFERENCE_BYTES = 16;

/** A part of an export that is shown or withheld as a whole. */
export interface Field {
  readonly path: FieldPath;
  readonly value: CborValue;
}

/** The fields of a value: what in it is no map and no list, or an empty one, or one too long to be taken apart. */
export function fieldsOf(value: CborValue, path: FieldPath = []): Field[] {
  if (isField(value)) return [{ path, value }];
  return membersOf(value).flatMap(([step, member]) => fieldsOf(member, [...path, step]));
}

/** Whether a value is one field as a whole. */
export function isField(value: CborValue): boolean {
  const { length } = membersOf(value);
  return length === 0 || length > MAX_MEMBERS;
}

function membersOf(value: CborValue): (readonly [string | number, CborValue])[] {
  if (Array.isArray(value)) return (value as readonly CborValue[]).map((member, index) => [index, member] as const);
  return isCborMap(value) ? Object.entries(value) : [];
}

/** What the manifest has of a field: BLAKE3 over the canonical CBOR of [salt, path, value]. */
export const fieldDigest = ({ salt, path, value }: Disclosure): Digest =>
  blake3Digest(encodeCanonical([salt, path, value]));

/**
 * What the salts of one export are derived from, in addition to the server's key: the same subject in the same state
 * has the same salts.
 */
export interface SaltedState {
  readonly tenantId: string;
  readonly subject: string;
  readonly subjectId: string;
  readonly mode: string;
  /** Digests of all its records. */
  readonly records: readonly string[];
}

/**
 * Salts of an export's fields: a key for the state by HKDF-SHA256 (RFC 5869) of the server's key, and with that the
 * keyed BLAKE3 of each field's path and value. Without the key nobody can compute the salt of a withheld field, not
 * even from an export that shows the same path with another value.
 */
export class Salts {
  private constructor(private readonly digestOf: (data: Uint8Array) => Uint8Array) {}

  static async of(serverKey: Uint8Array, state: SaltedState): Promise<Salts> {
    const { tenantId, subject, subjectId, mode, records } = state;
    const info = sha256(encodeCanonical(['svc-export-salts-v1', tenantId, subject, subjectId, mode, [...records]]));
    return new Salts(await keyedBlake3(Buffer.from(hkdfSync('sha256', serverKey, Buffer.alloc(0), info, 32))));
  }

  of({ path, value }: Field): Uint8Array {
    return this.digestOf(encodeCanonical([path, value])).subarray(0, SALT_BYTES);
  }

  /**
   * An item that names a chunk, with `chunk_ref`: `ref_` and 32 hexadecimal digits, the same wherever the export names
   * that chunk, and without meaning outside of it. What it is over begins with text, and a salt's with a list.
   */
  withReference(item: CborMap): CborMap {
    if (typeof item.chunk_id !== 'string') return item;
    const digest = this.digestOf(encodeCanonical(['chunk_ref', item.chunk_id])).subarray(0, REFERENCE_BYTES);
    return { ...item, chunk_ref: `ref_${Buffer.from(digest).toString('hex')}` };
  }
}

/** Fields put together again. */
export class FieldTree {
  private readonly members = new Map<string | number, FieldTree>();
  private leaf: CborValue | undefined;

  /** @throws Error when a field stands there already, above it or below it: one value must not hide another */
  put(path: FieldPath, value: CborValue): void {
    // Not by recursion: a path of a bundle that somebody brings may have any number of steps.
    const place = path.reduce<FieldTree>((tree, step) => tree.below(step), this);
    if (place.leaf !== undefined || place.members.size > 0) throw new Error('two fields stand at the same path');
    place.leaf = value;
  }

  private below(step: string | number): FieldTree {
    if (this.leaf !== undefined) throw new Error('two fields stand at the same path');
    let member = this.members.get(step);
    if (!member) this.members.set(step, (member = new FieldTree()));
    return member;
  }

  /** The subtree at a path; undefined where nothing below it is shown. */
  at(...path: FieldPath): FieldTree | undefined {
    const [step, ...rest] = path;
    return step === undefined ? this : this.members.get(step)?.at(...rest);
  }

  text(...path: FieldPath): string | undefined {
    const value = this.at(...path)?.value;
    return typeof value === 'string' ? value : undefined;
  }

  number(...path: FieldPath): number | undefined {
    const value = this.at(...path)?.value;
    return typeof value === 'number' ? value : undefined;
  }

  bytes(...path: FieldPath): Uint8Array | undefined {
    const value = this.at(...path)?.value;
    return value instanceof Uint8Array ? value : undefined;
  }

  /** The field itself; undefined where it is withheld, or is not one field. */
  get value(): CborValue | undefined {
    return this.leaf;
  }

  get names(): (string | number)[] {
    return [...this.members.keys()];
  }

  /**
   * Everything that is shown below, as one value. What is withheld is missing from it, and a list closes up over it.
   */
  whole(): CborValue | undefined {
    if (this.leaf !== undefined) return this.leaf;
    const entries = [...this.members].map(([step, member]) => [step, member.whole()] as const);
    if (entries.length === 0 || entries.some(([, member]) => member === undefined)) return undefined;
    if (entries.every(([step]) => typeof step === 'number'))
      return entries.sort(([a], [b]) => Number(a) - Number(b)).map(([, member]) => member!);
    return Object.fromEntries(entries.map(([step, member]) => [String(step), member!]));
  }
}
