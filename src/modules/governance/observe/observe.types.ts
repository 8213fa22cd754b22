export const NODE_KINDS = [
  ...(['plan', 'agent', 'tool', 'model', 'retrieval', 'memory', 'decision', 'human', 'output', 'other'] as const),
] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

export const RISK_CLASSES = ['minimal', 'limited', 'high'] as const;
export type RiskClass = (typeof RISK_CLASSES)[number];

/** What a step can have ended with. */
export const STEP_ENDS = ['ok', 'error', 'denied', 'cancelled'] as const;
export const STEP_STATUSES = ['open', ...STEP_ENDS] as const;
export type StepEnd = (typeof STEP_ENDS)[number];
export type StepStatus = (typeof STEP_STATUSES)[number];

export const TRACE_KINDS = ['text', 'fact', 'chunk', 'receipt', 'file', 'url', 'message'] as const;
export type TraceKind = (typeof TRACE_KINDS)[number];

/** What went into a step or came out of it, as it is kept. */
export interface TraceItem {
  readonly kind: TraceKind;
  readonly ref: string | null;
  /** Of what was sent, before anything was masked. */
  readonly digest: string | null;
  readonly text: string | null;
  /** Of the text in UTF-8, or as the sender says. */
  readonly bytes: number | null;
}

/** Ids of sessions and steps: as X-Svc-Session-Id is written. */
export const OBSERVED_ID = /^[A-Za-z0-9._:-]{1,128}$/;
/** Of steps: the root is at 0. */
export const MAX_DEPTH = 63;

/** A step of a session of another server. */
export interface ImportedStep {
  node_id: string;
  parent_id: string | null;
  label: string;
  actor: string;
  kind: NodeKind;
  risk_class: RiskClass;
  status: StepStatus;
  private: boolean;
  owner: string;
  ts_start: string;
  ts_end: string | null;
  inputs: TraceItem[];
  outputs: TraceItem[] | null;
}

/** A session of another server. */
export interface ImportedSession {
  session_id: string;
  opened_by: string;
  opened_at: string;
  /** Each after its parent. */
  steps: ImportedStep[];
}
