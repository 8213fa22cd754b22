import type { Query } from '../tenancy/cross-tenant.js';

/** Looks of the sequencer after which a record that still waits is late, and the time that this is at least. */
const LATE_LOOKS = 60;
const LATE_MS = 10_000;

/** How long a record may wait for its leaf before something keeps the log from growing. */
export const lateAfterMs = (logIntervalMs: number): number => Math.max(LATE_MS, LATE_LOOKS * logIntervalMs);

/** Whether the log takes the records that wait for it: then the first of them is soon another. */
export class LogProgress {
  private first: { id: string; since: number } | undefined;

  constructor(private readonly lateMs: number) {}

  /** @returns whether records wait */
  async look(query: Query): Promise<boolean> {
    const [row] = await query<{ id: string | null }>('select min(pending_id) as id from log_pending');
    const id = row?.id ?? undefined;
    if (id === undefined) this.first = undefined;
    else if (id !== this.first?.id) this.first = { id, since: performance.now() };
    return this.first !== undefined;
  }

  /** What is wrong as of the last look. */
  describeFault(): string | undefined {
    const waited = this.first ? performance.now() - this.first.since : 0;
    if (waited < this.lateMs) return undefined;
    return `records have waited for the log for ${Math.round(waited / 1000)} s, and it takes none: the log of the processes says why (log_sequencer)`;
  }
}
