import { UUID_FORM } from '../../../../common/ids/uuid-form.js';
import type { NodeKind } from './blast-radius.types.js';

/**
 * One way in which something rests on something else. All ways there are stand in this file: a table that comes to
 * refer to another thing gets its line here, and nowhere else.
 */
export interface RadiusEdge {
  /** What the edge is called in answers. */
  edge: string;
  from: NodeKind;
  to: NodeKind;
  /** `x on ...`: the rows that refer to f, whose key is f.k1, f.k2 and so on; $1 is the tenant. */
  join: string;
  /** The values that name the one that is reached, as SQL. */
  key: string;
  /** Followed from the beginning of a walk alone: what a receipt is of does not rest on it, but is meant by it. */
  fromRootOnly?: true;
}

/** Any other text is no id of a row, and finds none. */
const UUID_OF_KEY = `case when f.k1 ~ '^${UUID_FORM}$' then f.k1::uuid end`;
const OWN_CHUNK = 'x.tenant_id = $1 and x.owner_tenant_id = $1 and x.chunk_id = f.k1';
const SOURCES = `watch w join watch_source x on x.tenant_id = w.tenant_id and x.watch_id = w.watch_id`;
const LIVE_FACT = 'not x.tombstone and (x.deleted_at is null or x.quarantined)';
const PIN = 'x.home_id::text, x.kind, x.name, x.version::text, x.ordinal::text';

/** Steps by what went into them. */
const STEP_INPUTS = (kind: string) => `(select s.session_id, s.node_id, i ->> 'ref' as ref from observe_step s
    cross join lateral jsonb_array_elements(s.inputs) i where s.tenant_id = $1 and i ->> 'kind' = '${kind}') x on x.ref = f.k1`;
const STEP = 'x.session_id, x.node_id';
/** Claims of dossiers by what they rest on. */
const CLAIM_ON = (kinds: string) => `dossier_anchor x on x.tenant_id = $1 and x.ref = f.k1 and x.kind in (${kinds})`;
const CLAIM = 'x.project_id, x.dossier_id, x.claim_id';

export const RADIUS_EDGES: readonly RadiusEdge[] = [
  {
    ...{ edge: 'has_passage', from: 'document', to: 'passage' },
    join: 'chunk x on x.tenant_id = $1 and x.corpus_id = f.k1 and x.doc_id = f.k2',
    key: 'x.chunk_id',
  },
  {
    ...{ edge: 'accepted_by', from: 'document', to: 'receipt' },
    join: 'ingest x on x.tenant_id = $1 and x.corpus_id = f.k1 and x.doc_id = f.k2',
    key: 'x.receipt_id::text',
  },
  {
    ...{ edge: 'indexed_by', from: 'document', to: 'receipt' },
    join: 'ingest x on x.tenant_id = $1 and x.corpus_id = f.k1 and x.doc_id = f.k2 and x.completed_id is not null',
    key: 'x.completed_id::text',
  },
  {
    // Of ingests from before they kept it.
    ...{ edge: 'indexed_by', from: 'document', to: 'receipt' },
    join: `ingest i on i.tenant_id = $1 and i.corpus_id = f.k1 and i.doc_id = f.k2 and i.completed_id is null
      join receipt x on x.tenant_id = $1 and x.subject = i.ingest_id::text and x.kind = 'ingest.completed'`,
    key: 'x.receipt_id::text',
  },
  {
    ...{ edge: 'watched_by', from: 'document', to: 'watch' },
    join: `(${SOURCES}) on x.tenant_id = $1 and x.owner_tenant_id = $1 and x.corpus_id = f.k1 and x.doc_id = f.k2 and w.ended_at is null`,
    key: 'x.watch_id::text',
  },
  {
    ...{ edge: 'cited_as', from: 'passage', to: 'citation' },
    join: `citation x on ${OWN_CHUNK}`,
    key: 'x.answer_id, x.version::text, x.ordinal::text',
  },
  {
    ...{ edge: 'found_by', from: 'passage', to: 'retrieval' },
    join: `(select r.retrieval_id, p ->> 'chunkId' as chunk_id from retrieval r cross join lateral jsonb_array_elements(r.results) p where r.tenant_id = $1) x
      on x.chunk_id = f.k1`,
    key: 'x.retrieval_id::text',
  },
  {
    ...{ edge: 'proven_by', from: 'passage', to: 'proof' },
    join: `proof_job_chunk x on ${OWN_CHUNK}`,
    key: 'x.job_id::text',
  },
  { ...{ edge: 'pinned_by', from: 'passage', to: 'pin' }, join: `primitive_pin x on ${OWN_CHUNK}`, key: PIN },
  {
    ...{ edge: 'watched_by', from: 'passage', to: 'watch' },
    join: `chunk c on c.tenant_id = $1 and c.chunk_id = f.k1
      join (${SOURCES}) on x.tenant_id = $1 and x.owner_tenant_id = $1 and x.corpus_id = c.corpus_id and x.doc_id = c.doc_id
        and x.chunk_id = f.k1 and w.ended_at is null`,
    key: 'x.watch_id::text',
  },
  {
    ...{ edge: 'said_in', from: 'citation', to: 'answer' },
    join: 'answer x on x.tenant_id = $1 and x.answer_id = f.k1 and x.version = f.k2::int',
    key: 'x.answer_id, x.version::text',
  },
  {
    ...{ edge: 'answered_by', from: 'retrieval', to: 'answer' },
    join: `answer x on x.tenant_id = $1 and x.retrieval ->> 'retrievalId' = f.k1`,
    key: 'x.answer_id, x.version::text',
  },
  {
    ...{ edge: 'recorded_by', from: 'retrieval', to: 'receipt' },
    join: `retrieval r on r.tenant_id = $1 and r.retrieval_id = ${UUID_OF_KEY}
      cross join lateral (values (r.receipt_id), (r.execution_receipt_id::text)) x(id)`,
    key: 'x.id',
  },
  {
    ...{ edge: 'proven_by', from: 'retrieval', to: 'proof' },
    join: `proof_job x on x.tenant_id = $1 and x.subject_type = 'retrieval' and md5(x.subject_id) = md5(f.k1) and x.subject_id = f.k1`,
    key: 'x.job_id::text',
  },
  {
    ...{ edge: 'recorded_by', from: 'answer', to: 'receipt' },
    join: 'answer x on x.tenant_id = $1 and x.answer_id = f.k1 and x.version = f.k2::int',
    key: 'x.receipt_id::text',
  },
  {
    ...{ edge: 'proven_by', from: 'answer', to: 'proof' },
    join: `proof_job x on x.tenant_id = $1 and x.subject_type = 'answer' and md5(x.subject_id) = md5(f.k1) and x.subject_id = f.k1
      and x.subject_version = f.k2::int`,
    key: 'x.job_id::text',
  },
  {
    ...{ edge: 'pinned_by', from: 'answer', to: 'pin' },
    join: 'primitive_pin x on x.tenant_id = $1 and x.answer_id = f.k1 and x.answer_version = f.k2::int',
    key: PIN,
  },
  {
    ...{ edge: 'watched_by', from: 'answer', to: 'watch' },
    join: `watch x on x.tenant_id = $1 and x.resolved_type = 'answer' and md5(x.target_id) = md5(f.k1) and x.target_id = f.k1
      and x.ended_at is null`,
    key: 'x.watch_id::text',
  },
  {
    ...{ edge: 'recorded_by', from: 'proof', to: 'receipt' },
    join: `proof_job x on x.tenant_id = $1 and x.job_id = ${UUID_OF_KEY} and x.receipt_id is not null`,
    key: 'x.receipt_id::text',
  },
  {
    ...{ edge: 'stored_by', from: 'fact', to: 'receipt' },
    join: `fact x on x.tenant_id = $1 and x.fact_id = ${UUID_OF_KEY} and x.receipt_id is not null`,
    key: 'x.receipt_id::text',
  },
  {
    ...{ edge: 'source_of', from: 'receipt', to: 'fact' },
    join: `fact x on x.tenant_id = $1 and x.source_receipt = f.k1 and ${LIVE_FACT}`,
    key: 'x.fact_id::text',
  },
  {
    ...{ edge: 'receipt_of', from: 'receipt', to: 'fact', fromRootOnly: true },
    join: `fact_batch b on b.tenant_id = $1 and b.receipt_id = ${UUID_OF_KEY} cross join lateral unnest(b.facts) n(fact_id)
      join fact x on x.tenant_id = $1 and x.fact_id = n.fact_id and ${LIVE_FACT}`,
    key: 'x.fact_id::text',
  },
  {
    ...{ edge: 'receipt_of', from: 'receipt', to: 'document', fromRootOnly: true },
    join: `receipt r on r.tenant_id = $1 and r.receipt_id = ${UUID_OF_KEY}
      join ingest x on x.tenant_id = $1 and x.ingest_id::text = r.subject`,
    key: 'x.corpus_id, x.doc_id',
  },
  {
    ...{ edge: 'receipt_of', from: 'receipt', to: 'document', fromRootOnly: true },
    join: `ingest_batch b on b.tenant_id = $1 and b.receipt_id = ${UUID_OF_KEY} cross join lateral unnest(b.ingests) n(ingest_id)
      join ingest x on x.tenant_id = $1 and x.ingest_id = n.ingest_id`,
    key: 'x.corpus_id, x.doc_id',
  },
  {
    ...{ edge: 'receipt_of', from: 'receipt', to: 'answer', fromRootOnly: true },
    join: `receipt r on r.tenant_id = $1 and r.receipt_id = ${UUID_OF_KEY}
      join answer x on x.tenant_id = $1 and x.answer_id = r.subject and x.receipt_id = r.receipt_id`,
    key: 'x.answer_id, x.version::text',
  },
  {
    ...{ edge: 'receipt_of', from: 'receipt', to: 'retrieval', fromRootOnly: true },
    join: `retrieval x on x.tenant_id = $1 and (x.receipt_id = f.k1 or x.execution_receipt_id = ${UUID_OF_KEY})`,
    key: 'x.retrieval_id::text',
  },
  {
    ...{ edge: 'receipt_of', from: 'receipt', to: 'proof', fromRootOnly: true },
    join: `proof_job x on x.tenant_id = $1 and x.receipt_id = ${UUID_OF_KEY}`,
    key: 'x.job_id::text',
  },
  {
    ...{ edge: 'source_of', from: 'receipt', to: 'case' },
    join: 'memory_case x on x.tenant_id = $1 and x.source_receipt = f.k1',
    key: 'x.case_id::text',
  },
  {
    ...{ edge: 'receipt_of', from: 'receipt', to: 'case', fromRootOnly: true },
    join: `memory_case x on x.tenant_id = $1 and x.receipt_id = ${UUID_OF_KEY}`,
    key: 'x.case_id::text',
  },
  {
    ...{ edge: 'recorded_by', from: 'case', to: 'receipt' },
    join: `memory_case x on x.tenant_id = $1 and x.case_id = ${UUID_OF_KEY}`,
    key: 'x.receipt_id::text',
  },
  {
    ...{ edge: 'receipt_of', from: 'receipt', to: 'candidate', fromRootOnly: true },
    join: `candidate x on x.tenant_id = $1 and x.receipt_id = ${UUID_OF_KEY}`,
    key: 'x.candidate_id::text',
  },
  {
    ...{ edge: 'promoted_to', from: 'candidate', to: 'fact' },
    join: `candidate c on c.tenant_id = $1 and c.candidate_id = ${UUID_OF_KEY}
      join fact x on x.tenant_id = $1 and x.fact_id = c.promoted_fact_id and ${LIVE_FACT}`,
    key: 'x.fact_id::text',
  },
  { ...{ edge: 'input_of', from: 'passage', to: 'step' }, join: STEP_INPUTS('chunk'), key: STEP },
  { ...{ edge: 'input_of', from: 'fact', to: 'step' }, join: STEP_INPUTS('fact'), key: STEP },
  { ...{ edge: 'input_of', from: 'receipt', to: 'step' }, join: STEP_INPUTS('receipt'), key: STEP },
  { ...{ edge: 'claimed_by', from: 'fact', to: 'claim' }, join: CLAIM_ON(`'fact', 'layer'`), key: CLAIM },
  { ...{ edge: 'claimed_by', from: 'receipt', to: 'claim' }, join: CLAIM_ON(`'receipt'`), key: CLAIM },
  {
    ...{ edge: 'claimed_by', from: 'passage', to: 'claim' },
    join: `${CLAIM_ON(`'chunk'`)} and x.owner_tenant_id = $1`,
    key: CLAIM,
  },
  {
    ...{ edge: 'recorded_by', from: 'claim', to: 'receipt' },
    join: 'dossier x on x.tenant_id = $1 and x.project_id = f.k1 and x.dossier_id = f.k2',
    key: 'x.receipt_id::text',
  },
  {
    ...{ edge: 'recorded_by', from: 'step', to: 'receipt' },
    join: `observe_step s on s.tenant_id = $1 and s.session_id = f.k1 and s.node_id = f.k2
      cross join lateral (values (s.receipt_id), (s.mutation_receipt_id), (s.open_receipt::text), (s.close_receipt::text)) x(id)`,
    key: 'x.id',
  },
];
