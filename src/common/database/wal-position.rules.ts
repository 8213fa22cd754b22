/** A place in the write-ahead log of a cluster. */
export interface WalPosition {
  /** Bytes from the beginning of the log. */
  lsn: bigint;
  /** Which history the log goes on with; each promotion begins one (PostgreSQL manual, 26.3.5). */
  timeline: number;
}

/** @param text a pg_lsn, two hexadecimal numbers: `16/B374D848` */
export function parseLsn(text: string): bigint {
  const [, high, low] = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i.exec(text) ?? [];
  if (!high || !low) throw new Error(`not a position of the write-ahead log: ${text}`);
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/** @param text the name of a file of the log, which begins with the timeline */
export const timelineOf = (text: string): number => parseInt(text.slice(0, 8), 16);

/**
 * Whether a replica has replayed all of the log up to there. On another timeline it may have followed a primary that
 * was lost, so that its positions say nothing.
 */
export const hasReached = (replayed: WalPosition, position: WalPosition): boolean =>
  replayed.timeline === position.timeline && replayed.lsn >= position.lsn;
