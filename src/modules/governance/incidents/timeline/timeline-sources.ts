/** Where what happened is written down. */
export const TIMELINE_SOURCES = ['receipt', 'event', 'fact', 'step', 'decision', 'approval', 'gate'] as const;
export type TimelineSource = (typeof TIMELINE_SOURCES)[number];

/** How a table gives entries of a timeline, as SQL over its rows x. */
export interface SourceSql {
  source: TimelineSource;
  /** With a condition that no other entry has, where it is needed. */
  from: string;
  at: string;
  id: string;
  kind: string;
  subject: string;
  actor: string;
  /** JSON: ids and facts, no text of a document, no value of a fact. */
  data: string;
  /** Whether it is of one of the sessions s, agents a or entities e; what cannot be is left out. */
  ofSessions?: string;
  ofAgents: string;
  ofEntities?: string;
}

const SEEN_STEP = 'not x.private or sees_all or x.owner = me';
const begins = (...names: string[]): string =>
  `exists (select from unnest(e) p where ${names.map((name) => `starts_with(${name}, p)`).join(' or ')})`;

/** Of facts those alone that everybody sees, also deleted ones: a receipt says of the others that they were stored. */
const FACT = {
  ...{ at: 'x.stored_at', id: 'x.fact_id::text', kind: `'fact.stored'`, subject: 'x.entity', actor: 'x.actor' },
  data: `jsonb_build_object('key', x.key, 'version', x.version, 'written_by', x.written_by, 'receipt_id', x.receipt_id, 'source_receipt', x.source_receipt,
    'superseded_by', x.superseded_by, 'quarantined', x.quarantined, 'deleted', x.deleted_at is not null and not x.quarantined)`,
  ofAgents: 'x.actor = any (a) or x.written_by = any (a)',
  ofEntities: begins('x.entity'),
};

/** All sources of a timeline. A table that comes to keep what happened gets its line here, and nowhere else. */
export const SOURCES: readonly SourceSql[] = [
  {
    source: 'receipt',
    from: 'receipt x where true',
    ...{ at: 'x.occurred_at', id: 'x.receipt_id::text', kind: 'x.kind', subject: 'x.subject', actor: 'x.actor' },
    data: `jsonb_build_object('stream', x.stream, 'seq', x.seq, 'session', x.session)`,
    ofSessions: 'x.session = any (s)',
    ofAgents: 'x.actor = any (a)',
    ofEntities: begins('x.subject'),
  },
  {
    source: 'receipt',
    from: 'retrieval_receipt x where true',
    ...{
      at: 'x.occurred_at',
      id: `'blake3:' || encode(x.record_digest, 'hex')`,
      kind: `'retrieval'`,
      subject: `''`,
      actor: 'x.actor',
    },
    data: `jsonb_build_object('session', x.session)`,
    ofSessions: 'x.session = any (s)',
    ofAgents: 'x.actor = any (a)',
  },
  {
    source: 'event',
    from: 'outbox_event x where true',
    ...{
      at: 'x.occurred_at',
      id: 'x.event_id::text',
      kind: 'x.kind',
      subject: 'x.subject',
      actor: `x.data ->> 'actor'`,
    },
    data: 'x.data',
    ofSessions: `x.data ->> 'sessionId' = any (s) or x.data ->> 'session_id' = any (s)`,
    ofAgents: `x.data ->> 'actor' = any (a) or x.data ->> 'agentId' = any (a) or x.data ->> 'principal' = any (a)`,
    ofEntities: begins('x.subject', `x.data ->> 'entity'`, `'document:' || x.subject`),
  },
  { ...FACT, source: 'fact', from: 'fact x where x.visibility = 0 and x.deleted_at is null and not x.tombstone' },
  { ...FACT, source: 'fact', from: 'fact x where x.visibility = 0 and x.deleted_at is not null and not x.tombstone' },
  {
    source: 'step',
    from: `observe_step x where (${SEEN_STEP})`,
    ...{
      at: 'x.ts_start',
      id: `x.session_id || '/' || x.node_id`,
      kind: 'x.kind',
      subject: 'x.label',
      actor: 'x.actor',
    },
    data: `jsonb_build_object('session_id', x.session_id, 'node_id', x.node_id, 'parent_id', x.parent_id, 'status', x.status, 'risk_class', x.risk_class,
      'ts_end', x.ts_end, 'receipt_id', x.receipt_id, 'mutation_receipt_id', x.mutation_receipt_id)`,
    ofSessions: 'x.session_id = any (s)',
    ofAgents: 'x.actor = any (a) or x.owner = any (a)',
  },
  {
    source: 'decision',
    from: `shield_decision x where x.outcome <> 'allow'`,
    ...{
      at: 'x.decided_at',
      id: 'x.decision_id::text',
      kind: `'shield.' || x.outcome`,
      subject: 'x.action',
      actor: 'x.principal',
    },
    data: `jsonb_build_object('rule', x.rule, 'reason', x.reason, 'approval_request_id', x.approval_request_id)`,
    ofAgents: 'x.principal = any (a)',
  },
  {
    source: 'approval',
    from: 'shield_approval x where x.drill_id is null',
    ...{ at: 'x.requested_at', id: `x.approval_request_id || '/requested'`, kind: `'approval.requested'` },
    ...{ subject: 'x.action', actor: 'x.principal', data: `jsonb_build_object('state', x.state, 'reason', x.reason)` },
    ofAgents: 'x.principal = any (a)',
  },
  {
    source: 'approval',
    from: 'shield_approval x where x.drill_id is null and x.resolved_at is not null',
    ...{ at: 'x.resolved_at', id: `x.approval_request_id || '/resolved'`, kind: `'approval.' || x.state` },
    ...{ subject: 'x.action', actor: 'x.resolved_by' },
    data: `jsonb_build_object('principal', x.principal, 'reason', x.resolution_reason, 'receipt_id', x.receipt_id)`,
    ofAgents: 'x.principal = any (a) or x.resolved_by = any (a)',
  },
  {
    source: 'gate',
    from: 'work_gate x where x.decided_at is not null',
    ...{ at: 'x.decided_at', id: 'x.action_id::text', kind: `'gate.' || x.status`, subject: 'x.work_id' },
    actor: 'coalesce(x.decided_passport, x.decided_principal)',
    data: `jsonb_build_object('requested_by', coalesce(x.requested_passport, x.requested_principal), 'reason', x.reason, 'receipt_id', x.decision_receipt)`,
    ofAgents: 'array[x.requested_passport, x.requested_principal, x.decided_passport, x.decided_principal] && a',
    ofEntities: begins(`'work:' || x.work_id`),
  },
];
