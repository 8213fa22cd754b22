/**
 * A bigint as it comes from the database: as text.
 * @throws Error where a number cannot hold it exactly
 */
export function readSafeInteger(digits: string): number {
  const value = Number(digits);
  if (!Number.isSafeInteger(value)) throw new Error(`${digits} cannot be represented exactly as a number`);
  return value;
}

/** A bigint column whose values are numbers. */
export const SAFE_INTEGER = {
  type: 'bigint',
  transformer: {
    from: (digits: string | null): number | null => (digits === null ? null : readSafeInteger(digits)),
    to: (value: unknown): unknown => value,
  },
} as const;
