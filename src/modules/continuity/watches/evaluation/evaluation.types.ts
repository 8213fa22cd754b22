import type { WatchSourceRow } from '../watch-source.entity.js';
import type { Watch } from '../watch.entity.js';

/** A watch that may be concerned, with what it stands on. */
export interface Candidate extends Watch {
  sources: PlacedSource[];
  /** Transactions among those asked about that had ended when the watch was made. */
  known: string[];
}

export type PlacedSource = Omit<WatchSourceRow, 'tenantId' | 'watchId'>;

/** An event about something that can be watched. */
export interface Occurrence {
  owner: string;
  eventId: string;
  kind: string;
  subject: string;
  data: Record<string, unknown>;
  occurredAt: Date;
  transaction: string;
}
