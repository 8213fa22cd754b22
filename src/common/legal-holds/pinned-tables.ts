import { readSchemaState } from '../database/schema-version.js';
import type { Query } from '../tenancy/cross-tenant.js';

const DERIVED = 'made of other tables, which are pinned, and made again from them';
const EVIDENCE =
  'evidence: digests and names, which no role of the product deletes; the watch over the evidence finds it';
const NOTICE = 'a notice on its way; what it is about stands in a table that is pinned, or in a receipt';
const PASSING = 'holds for a time that it names itself; its receipts and events say what was';
const ACCESS = 'who may do what; its changes are receipted';
const MONEY = 'amounts; its entries are only added to';
const CONTROL = 'how calls are decided on; each decision is receipted';

/**
 * The tables with a tenant's rows that hold none of its content, each with the reason. Every other one is under the
 * legal holds (svc_pin_table), or the daemon is not ready.
 */
export const WITHOUT_CONTENT: Readonly<Record<string, string>> = {
  ...each(DERIVED, [
    ...['chunk_vector', 'fact_count', 'fact_index', 'fact_segment', 'fact_settled', 'graph_kind', 'index_garbage'],
    ...[
      'index_posting',
      'index_segment',
      'index_shard',
      'index_tombstone',
      'memory_vector',
      'memory_vector_state',
      'receipt_tally',
      'watch_seen',
      'watch_source',
    ],
  ]),
  ...each(EVIDENCE, [
    ...['fact_batch', 'ingest_batch', 'receipt', 'receipt_head', 'retrieval_receipt'],
    ...['hold_refusal', 'retrieval_ledger'],
  ]),
  ...each(NOTICE, ['outbox_event', 'outgoing_mail', 'webhook_attempt', 'webhook_delivery', 'webhook_endpoint']),
  ...each(PASSING, [
    'coord_intent',
    'extension_call',
    'idempotent_request',
    'lease',
    'quota_window',
    'session',
    'shield_ui_session',
    'tool_window',
  ]),
  ...each(ACCESS, [
    ...[
      'access_request',
      'access_request_change',
      'agent',
      'agent_activity',
      'agent_home',
      'agent_retrieval',
      'api_key',
      'entitlement',
    ],
    ...[
      'orchestrator',
      'orchestrator_member',
      'principal_end',
      'scim_group',
      'scim_member',
      'scim_user',
      'seat',
      'seat_event',
      'tenant',
      'tenant_setting',
    ],
    ...['work_gate_policy'],
    ...['plane', 'project', 'project_passport', 'project_repo', 'project_tenant', 'sync_peer'],
    ...['passport', 'passport_mint_request', 'passport_presence', 'github_integration'],
  ]),
  ...each(MONEY, [
    ...['credit_spending', 'usage_event'],
    ...['bundle', 'bundle_purchase', 'conversion', 'conversion_event', 'ledger_account', 'ledger_allowance'],
    ...['ledger_entry', 'ledger_transfer', 'revenue_declaration', 'revenue_declaration_change'],
  ]),
  ...each(CONTROL, [
    ...['shield_approval', 'shield_decision', 'shield_digest', 'shield_drill', 'shield_kill_switch', 'shield_policy'],
    ...['shield_publisher', 'shield_sampling_policy', 'shield_server', 'shield_spending'],
  ]),
  ...each('programs by their digest; whatever changes or calls one is receipted', ['extension']),
  ...each('ids of what was reached, kept as a walk found them; no role of the product deletes them', [
    ...['blast_radius', 'blast_radius_node', 'blast_radius_edge'],
  ]),
  engram_label: 'a pointer to a version of an entity, which is pinned; its moves are receipted',
  incident: 'a case, whose notes are only added to; no role of the product deletes it',
  capability_audit:
    'judgements of what the product can do, which are only added to; no role of the product deletes them',
  corpus: 'a name; its documents are pinned, and refer to it',
  extraction: 'how an extraction went; what it found stands in candidate',
  ingest: 'how an ingest went; the text stands in document_version',
  ingest_file: 'a file until its text is read, which then stands in document_version; of one without a text, why',
  stream_head: 'the position of a stream; its events are pinned',
  proof_upstream_claim: 'that a proof is being fetched',
  feedback_request_change: 'moves of a request; its text is pinned',
  feedback_vote: 'that somebody votes for a request',
  survey_response: 'answers to the operator of the server, which their author may change while the survey is open',
  memory_case_term: 'made of memory_case, which is pinned; its rows go with the case alone',
  fact_actor: 'names of who stored facts, with counts; the facts are pinned',
  fact_source_ref:
    'ids and digests of what facts were learnt from; a fact is pinned, and its rows here go with it alone',
  dossier_anchor: 'what claims of dossiers rest on; a dossier is pinned, and its rows here go with it alone',
  work_blocker: 'that an item waits for another; receipts say since when and until when',
  ...each('ids, digests and counts of what was erased; no role of the product deletes them', [
    ...['erasure', 'erased_document', 'erased_fact', 'erased_receipt', 'erased_segment'],
  ]),
  github_delivery: 'that an event of GitHub was taken; kept for some days',
  github_item: 'a copy of what GitHub has, written again by its next event',
  studio_install: 'names and digests of packages; what an install wrote is pinned where it stands',
  erasure_request: 'that an erasure is wanted; whom it is of goes with what it removes',
  peer_log_peer: 'which log a peer has; its changes are receipted',
  workspace_scan: 'how a scan went; its receipts say when it was asked for and done',
  ...each('names and sizes of files of a folder of the server, made again by the next scan', [
    ...['workspace_file', 'workspace_symbol'],
  ]),
  ...each('digests, names and marks by which records are compared; what they are of stands in tables that are pinned', [
    ...['sync_change', 'sync_exchange', 'sync_exchange_part', 'sync_record', 'sync_tenant'],
  ]),
  legal_hold: 'the holds themselves, which triggers of their own keep',
};

function each(reason: string, tables: readonly string[]): Record<string, string> {
  return Object.fromEntries(tables.map((table) => [table, reason]));
}

/** A trigger that is missing, disabled, or no more what it was made as. */
interface UnpinnedTable {
  table: string;
  trigger: string;
}

/** Looks at the catalogue; no role needs rights on the tables for that. */
export const findUnpinned = (query: Query): Promise<UnpinnedTable[]> =>
  query<UnpinnedTable>(UNPINNED, [Object.keys(WITHOUT_CONTENT)]);

/**
 * Under the schema of a newer svc there are tables that this one does not know, of which the newer may need none of the
 * triggers. One that lacks all of them is left to the processes of the newer.
 */
async function withoutNewTables(query: Query, found: UnpinnedTable[]): Promise<UnpinnedTable[]> {
  const { unknown } = await readSchemaState(query);
  if (unknown.length === 0) return found;
  return found.filter(({ table }) => found.filter((other) => other.table === table).length < TRIGGERS_OF_A_TABLE);
}

const TRIGGERS_OF_A_TABLE = 4;

/** What is wrong, with the remedy; undefined: nothing. */
export async function describeUnpinned(query: Query): Promise<string | undefined> {
  const unpinned = await findUnpinned(query);
  const found = unpinned.length === 0 ? [] : await withoutNewTables(query, unpinned);
  if (found.length === 0) return undefined;
  const named = found.map(({ table, trigger }) => `${trigger} on ${table}`).join(', ');
  return `triggers of legal holds are missing or disabled: ${named}. Enable each: alter table <table> enable always trigger <trigger>; where it is gone, drop those that are left and call svc_pin_table as its migration does`;
}

/** The definition, since a trigger with another condition is there and never asks. */
const UNPINNED = `
  with expected (oid, trigger, called, says) as (
    select c.oid, part.trigger, part.called, part.says from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      cross join (values ('legal_hold', 'svc_keep_held', 'BEFORE DELETE % FOR EACH ROW WHEN ((NOT svc_is_product())) EXECUTE %'),
        ('legal_hold_rows', 'svc_keep_held_rows', 'AFTER DELETE % REFERENCING OLD TABLE AS gone FOR EACH STATEMENT WHEN (svc_is_product()) EXECUTE %'),
        ('legal_hold_update', 'svc_keep_held', 'BEFORE UPDATE OF % FOR EACH ROW %'), ('legal_hold_truncate', 'svc_keep_held_table', 'BEFORE TRUNCATE % STATEMENT EXECUTE %'))
        as part (trigger, called, says)
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> all($1)
    union all
    select 'public.legal_hold'::regclass, own.trigger, own.called, '%'
    from (values ('keep', 'svc_keep_hold'), ('keep_all', 'svc_keep_held_table')) as own (trigger, called)
  )
  select e.oid::regclass::text as "table", e.trigger from expected e
  where not exists (
    select from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where t.tgrelid = e.oid and t.tgname = e.trigger and t.tgenabled = 'A' and p.proname = e.called
      and pg_get_triggerdef(t.oid) like '%' || e.says)
  order by 1, 2`;
