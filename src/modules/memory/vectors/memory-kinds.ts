/**
 * A kind of record that is found by meaning. Expressions are of its row r; they are constants of the code.
 */
export interface MemoryKind {
  kind: string;
  table: string;
  /** The column of a number that grows within the tenant: a row that is new, or has changed, has the greatest. */
  id: string;
  /** What its vector is found by: that number where rows never change, else what stays. */
  item: string;
  text: string;
  /** Whether it is to be found, unless a later row retires it. */
  isWanted: string;
  /** The item that it retires, or null. */
  retires: string;
  visibility: string;
  owner: string;
  /** The transactions that add rows of tenant $1 at this moment: one statement. */
  writers: string;
}

/** As much of a value is embedded as of one is indexed by its words. */
const MAX_CHARACTERS = 65_536;

export const FACT_KIND: MemoryKind = {
  kind: 'fact',
  table: 'fact',
  id: 'seq',
  item: 'r.seq',
  text: `r.entity || ' ' || r.key || ': ' || left(r.value, ${MAX_CHARACTERS})`,
  // What is set aside keeps its vector: it may come back.
  isWanted: 'not r.tombstone and r.superseded_at is null and (r.deleted_at is null or r.quarantined)',
  retires: 'r.supersedes',
  visibility: 'r.visibility',
  owner: 'r.owner',
  writers: `select * from svc_row_writers($1, 'facts')`,
};

/** A case never changes; its words are those that are searched (cases.rules.ts). Everybody of the tenant may see it. */
const CASE_KIND: MemoryKind = {
  kind: 'case',
  table: 'memory_case',
  id: 'seq',
  item: 'r.seq',
  text: `left(concat_ws(E'\\n', r.task, r.context, r.action), ${MAX_CHARACTERS})`,
  isWanted: 'true',
  retires: 'null',
  visibility: '0',
  owner: `''`,
  writers: `select * from svc_row_writers($1, 'memory_case')`,
};

/** A version of an engram never changes; each retires the one before it, and a deletion is a version. */
const ENGRAM_KIND: MemoryKind = {
  kind: 'engram',
  table: 'graph_entity_version',
  id: 'seq',
  item: 'r.seq',
  text: `left(concat_ws(E'\\n', r.id, r.payload ->> 'description', r.payload ->> 'content'), ${MAX_CHARACTERS})`,
  isWanted: `not r.is_deleted and r.payload ->> 'content' is not null and exists (
    select from graph_entity e where e.tenant_id = r.tenant_id and e.kind = r.kind and e.id = r.id and e.version = r.version)`,
  retires: `(select p.seq from graph_entity_version p
    where p.tenant_id = r.tenant_id and p.kind = r.kind and p.id = r.id and p.version = r.version - 1)`,
  visibility: '0',
  owner: `''`,
  writers: `select * from svc_row_writers($1, 'graph_entity_version')`,
};

/** Candidates change and are decided on: a change gives them another number, and only pending ones are to be found. */
const CANDIDATE_KIND: MemoryKind = {
  kind: 'candidate',
  table: 'candidate',
  id: 'seq',
  item: 'r.candidate_id',
  text: `r.entity || ' ' || r.key || ': ' || left(r.value, ${MAX_CHARACTERS})`,
  isWanted: `r.status = 'pending'`,
  retires: 'null',
  visibility: '0',
  owner: `''`,
  writers: `select * from svc_row_writers($1, 'candidate')`,
};

export const MEMORY_KINDS: readonly MemoryKind[] = [FACT_KIND, CASE_KIND, ENGRAM_KIND, CANDIDATE_KIND];
