import { totalmem } from 'node:os';

const MIB = 1024 * 1024;

/**
 * A share of the memory that this process may use, in whole MiB: of the container's limit where there is one.
 * @param part from 0 to 1
 */
export function memoryShareMib(part: number, low: number, high: number): number {
  const limit = process.constrainedMemory();
  const available = (limit > 0 ? Math.min(limit, totalmem()) : totalmem()) / MIB;
  return Math.max(low, Math.min(high, Math.floor(available * part)));
}
