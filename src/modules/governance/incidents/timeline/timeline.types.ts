import type { IncidentRow } from '../incident.entity.js';
import type { TimelineSource } from './timeline-sources.js';

export { TIMELINE_SOURCES, type TimelineSource } from './timeline-sources.js';

/** Of what a timeline is: what happened in a window, to or by somebody; empty lists: whoever. */
export type TimelineWindow = Pick<IncidentRow, 'windowFrom' | 'windowTo' | 'sessionIds' | 'agentIds' | 'entities'>;

export interface TimelineRow {
  /** Microseconds since the year 1, as digits. */
  at_us: string;
  at: Date;
  source: TimelineSource;
  id: string;
  kind: string;
  subject: string;
  actor: string | null;
  facts: Record<string, unknown>;
}

/** The last entry of the page before: at_us, source, id. */
export type TimelinePlace = [string, string, string];

/** Whose private steps are seen, in addition to those of nobody. */
export interface TimelineReader {
  seesAll: boolean;
  principal: string;
}
