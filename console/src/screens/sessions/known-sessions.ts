import type { ReceiptRow } from '../../generated/daemon/types.gen.ts';

export interface KnownSession {
  id: string;
  /** How many of its receipts were read. */
  receipts: number;
  newest: string;
  principal: string;
}

const STREAM = 'observe/';

/** Sessions that receipts name, by their stream or themselves; the order is that of the receipts. */
export function sessionsOf(rows: readonly ReceiptRow[]): KnownSession[] {
  const found = new Map<string, KnownSession>();
  for (const { stream, session, occurred_at: newest, principal } of rows) {
    const id = stream?.startsWith(STREAM) ? stream.slice(STREAM.length) : session;
    if (!id) continue;
    const known = found.get(id);
    if (known) known.receipts += 1;
    else found.set(id, { id, receipts: 1, newest, principal });
  }
  return [...found.values()];
}
