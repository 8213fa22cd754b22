import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const VECTORS = join(import.meta.dirname, '../../../docs/formats/vectors');

/**
 * Whether a vector is what was made; with SVC_WRITE_VECTORS=1 it becomes that. Run `formats.spec.ts` so first: the
 * export is of the records of the pack.
 */
export function isVector(name: string, made: Uint8Array): boolean {
  if (process.env.SVC_WRITE_VECTORS === '1') writeFileSync(join(VECTORS, name), made);
  return Buffer.compare(made, readFileSync(join(VECTORS, name))) === 0;
}
