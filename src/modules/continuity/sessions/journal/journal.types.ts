import type { ProofMode, SubjectType, Verdict } from '../../../knowledge/proofs/proofs.types.js';

/** What may be sent to POST /v1/home/:agentId/journal/events (tenant-api.md 6). */
export const POSTED_TYPES = ['watch_alert', 'proof_completed', 'schema_adopted'] as const;
export type PostedType = (typeof POSTED_TYPES)[number];
/** Every type a journal holds; the others are the product's own. */
export const JOURNAL_TYPES = [...POSTED_TYPES, 'primitive_changed'] as const;
export type JournalType = (typeof JOURNAL_TYPES)[number];

export const WATCH_TARGETS = ['answer', 'artifact', 'document', 'query'] as const;
export type WatchTarget = (typeof WATCH_TARGETS)[number];
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Something that the agent watches has changed. Its subject is the watch. */
export interface WatchAlertData {
  watchId: string;
  alertId?: string;
  targetType: WatchTarget;
  targetId: string;
  /** In snake case: `new_version`, `deleted`, `drifted`, `new_match`. */
  change: string;
  severity?: Severity;
  summary?: string;
  details?: Record<string, unknown>;
}

/** A proof job of the agent has ended with a verdict. Its subject is the job. */
export interface ProofCompletedData {
  jobId: string;
  verdict: Exclude<Verdict, 'pending'>;
  mode?: ProofMode;
  subjectType?: SubjectType;
  subjectId?: string;
  subjectVersion?: number;
  receiptId?: string;
}

/** From now on the agent writes by this schema. Its subject is the schema's name. */
export interface SchemaAdoptedData {
  name: string;
  version: string;
  digest?: string;
  note?: string;
}

export const PRIMITIVE_KINDS = ['goal', 'preference', 'constraint', 'skill'] as const;
export type PrimitiveKind = (typeof PRIMITIVE_KINDS)[number];
export type PrimitiveChange = 'created' | 'replaced' | 'retired' | 'revived';

/** A primitive of the agent has another version. Its subject is `kind/name`. */
interface PrimitiveChangedData {
  kind: PrimitiveKind;
  name: string;
  version: number;
  change: PrimitiveChange;
  reason: string | null;
}

type EvidenceEvent =
  | { type: 'watch_alert'; data: WatchAlertData }
  | { type: 'proof_completed'; data: ProofCompletedData }
  | { type: 'schema_adopted'; data: SchemaAdoptedData }
  | { type: 'primitive_changed'; data: PrimitiveChangedData };

/** What is to be written into a journal. */
export type JournalDraft = EvidenceEvent & {
  /** The id of what it is about: see each kind of data. */
  subject: string;
  /** The module that reports it, or `api` for what was posted. */
  source: 'api' | 'continuity' | 'proofs' | 'watches';
  /** A name of the event, by which a repeat of it is recognized; unique within the agent's journal. */
  eventId?: string;
  /** The principal that did it; none where the product noticed it by itself. */
  actor?: string;
  /** When it happened; absent: now. */
  occurredAt?: Date;
};

export interface JournalEntry {
  seq: number;
  entryId: string;
  eventId: string | null;
  type: JournalType;
  subject: string;
  data: Record<string, unknown>;
  source: string;
  actor: string | null;
  occurredAt: Date;
  recordedAt: Date;
}

/** What became of a draft: `duplicate` when the journal held its event already. */
export interface Appended {
  entry: JournalEntry;
  duplicate: boolean;
}
