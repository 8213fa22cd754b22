import type { Digest } from '../../../evidence/digest.js';
import type { SourceState } from '../../knowledge/citations/source-states.types.js';
import type { PrimitiveKind, WatchTarget } from './journal/journal.types.js';

/** What a pin holds on to, as it was when it was set: a passage, or one version of an answer. */
export type PinTarget =
  | {
      chunkId: string;
      ownerTenantId: string;
      corpusId: string;
      docId: string;
      docVersion: number;
      content: string;
      contentHash: Digest;
    }
  | { answerId: string; answerVersion: number };

export type Pin = PinTarget & { note: string | null; pinnedAt: Date };

/** One version of a primitive. */
export interface Primitive {
  kind: PrimitiveKind;
  name: string;
  version: number;
  text: string | null;
  data: Record<string, unknown> | null;
  pins: Pin[];
  retired: boolean;
  createdBy: string;
  createdAt: Date;
  recordedBy: string;
  recordedAt: Date;
  reason: string | null;
}

export const PIN_CHANGES = ['reingested', 'deleted', 'not_visible', 'altered', 'answer_revised'] as const;

/** What has become of one thing that a pin rests on. */
export interface PinChange {
  /** Whether the passage still holds; null of an answer that was recorded again. */
  state: SourceState | null;
  change: (typeof PIN_CHANGES)[number];
  chunkId: string | null;
  source: 'tenant' | 'commons' | null;
  corpusId: string | null;
  docId: string | null;
  oldVersion: number;
  newVersion: number | null;
  excerpt: string | null;
  contentHash: string | null;
  oldDocumentHash: string | null;
  newDocumentHash: string | null;
  changedAt: string | null;
  replacement: { chunkId: string; version: number; contentHash: string; match: 'contained' } | null;
}

export interface StalePin {
  kind: PrimitiveKind;
  name: string;
  version: number;
  ordinal: number;
  chunkId: string | null;
  answerId: string | null;
  answerVersion: number | null;
  note: string | null;
  pinnedAt: Date;
  changes: PinChange[];
}

/** A watch that stands, as the session context shows it. */
export interface OpenWatch {
  watchId: string;
  targetType: WatchTarget;
  targetId: string;
  note: string | null;
  alertCount: number;
  createdAt: string;
}

/** What an agent was last active in. */
export const ACTIVITY_KINDS = ['retrieval', 'answer', 'journal', 'watch', 'proof', 'credits'] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];
