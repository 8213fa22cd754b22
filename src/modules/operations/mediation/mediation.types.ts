import type { DaemonFlagName } from '../../../common/config/daemon/flag-table.js';

export const DRAFT_KINDS = ['answer', 'stream', 'context', 'usage_ping'] as const;
export type DraftKind = (typeof DRAFT_KINDS)[number];

/** The flag without which drafts of a kind are rejected (memory-daemon.md 4.12). */
export const FLAGS_OF_KINDS = {
  answer: undefined,
  stream: 'streamReceipts',
  context: 'streamReceipts',
  usage_ping: 'usageReceipts',
} as const satisfies Record<DraftKind, DaemonFlagName | undefined>;

/** What came of a draft that was sent to the engine. */
export type DraftOutcome =
  | 'answered'
  /** With a status of 400 or above. */
  | 'refused'
  /** No answer of use came. */
  | 'away';
