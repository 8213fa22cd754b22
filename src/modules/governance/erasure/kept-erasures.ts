import { randomBytes } from 'node:crypto';
import type { KeptErasure } from '../../../common/erasures/erasure-list.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { requestScrub } from '../../../common/scrub/scrub.sweep.js';
import { UserError } from '../../../common/user-error.js';
import { sha256 } from '../../../evidence/sha256.js';
import type { DocumentName, SubjectSelector } from './erasure.types.js';
import { SubjectEraser } from './subject-eraser.js';

/** What the list keeps of an erasure: whom it is of, by fingerprints alone. */
export function keptOf(
  erasure: Pick<KeptErasure, 'erasure_id' | 'tenant_id' | 'erased_at' | 'erased_by'>,
  selector: SubjectSelector,
): KeptErasure {
  const salt = randomBytes(32).toString('hex');
  const of = (kind: string) => (name: string) => fingerprintOf(salt, kind, name);
  const measured = (kind: string) => (text: string) => ({ length: text.length, fingerprint: of(kind)(text) });
  return {
    format: 'svc-erasure-1',
    ...erasure,
    salt,
    entities: selector.entities.map(of('entity')),
    fact_ids: selector.fact_ids.map(of('fact')),
    documents: selector.documents.map(({ corpus_id, doc_id }) => of('document')(`${corpus_id}\0${doc_id}`)),
    principals: selector.principals.map(of('principal')),
    entity_prefixes: selector.entity_prefixes.map(measured('prefix')),
    texts: selector.texts.map(measured('text')),
  };
}

const fingerprintOf = (salt: string, kind: string, name: string): string =>
  sha256(Buffer.from(salt, 'hex'), `${kind}\0${name}`).toString('hex');

/**
 * Erases again what a backup has brought back, in the open transaction of its restore: the names in the rows are held
 * against the fingerprints of the list, and what they make is erased as it was the first time. An erasure that the
 * backup has the row of was done before it: what has such names there was stored since, and stays.
 * @returns how many erasures found something
 * @throws UserError where a legal hold pins something of it that was placed after the erasure
 */
export async function eraseAgain(query: Query, list: readonly KeptErasure[]): Promise<number> {
  let erased = 0;
  for (const kept of list) {
    const { tenant_id: tenantId, erasure_id: erasureId } = kept;
    // The owner sees the rows of this tenant alone, and only now.
    await query(`select set_config('svc.erased_tenant', $1, true)`, [tenantId]);
    if ((await query(DONE, [tenantId, erasureId])).length > 0) continue;
    const selector = await selectorOf(query, kept);
    const isThere = Object.values(selector).some((names: readonly unknown[]) => names.length > 0);
    if (!isThere) continue;
    // Holds that were placed before it let it pass (svc_holds_on_any).
    await query(`select set_config('svc.erased_at', $1, true)`, [kept.erased_at]);
    const eraser = new SubjectEraser(query, tenantId);
    await refuseHeld(query, kept, () => eraser.find(selector));
    const { counts } = await eraser.erase(erasureId, selector);
    await query(`select set_config('svc.erased_tenant', $1, true)`, [tenantId]);
    await query(KEEP, [
      tenantId,
      erasureId,
      kept.erased_by,
      kept.erased_at,
      counts,
      await requestScrub(query, 'restore'),
    ]);
    erased++;
  }
  await query(`select set_config('svc.erased_tenant', '', true), set_config('svc.erased_at', '', true)`);
  return erased;
}

const DONE = 'select from erasure where tenant_id = $1 and erasure_id = $2';
const KEEP = `
  insert into erasure (tenant_id, erasure_id, erased_by, erased_at, counts, scrub_id) values ($1, $2, $3, $4, $5, $6)`;

/** The triggers keep what is pinned, row by row; an erasure is done as a whole or not at all. */
async function refuseHeld(query: Query, kept: KeptErasure, find: () => Promise<unknown>): Promise<void> {
  const { tenant_id: tenantId, erasure_id: erasureId, erased_at: erasedAt } = kept;
  if ((await query(LATER_HOLDS, [tenantId, erasedAt])).length === 0) return;
  await find();
  const [row] = await query<{ holds: string[] }>('select svc_found_holds($1) as holds', [tenantId]);
  if (row!.holds.length === 0) return;
  throw new UserError(
    `Erasure ${erasureId} of tenant ${tenantId}, done at ${erasedAt}, cannot be done again: the legal holds ${row!.holds.join(', ')} ` +
      'of the backup pin what it names, and were placed later. Release them on the server that was backed up, back it up again and restore that; ' +
      `or, if these holds go before the erasure, take ${erasureId}.json out of the list of erasures, and all that it names comes back`,
  );
}

const LATER_HOLDS =
  'select from legal_hold where tenant_id = $1 and released_at is null and placed_at >= $2::timestamptz limit 1';

/** The names of the backup whose fingerprints the list has. */
async function selectorOf(query: Query, kept: KeptErasure): Promise<SubjectSelector> {
  const { tenant_id: tenantId, salt } = kept;
  const names = async (sql: string): Promise<string[]> =>
    (await query<{ name: string }>(sql, [tenantId])).map(({ name }) => name);
  const among = (list: readonly string[], kind: string, all: readonly string[]): string[] => {
    const wanted = new Set(list);
    return list.length === 0 ? [] : all.filter((name) => wanted.has(fingerprintOf(salt, kind, name)));
  };
  const all = kept.entities.length + kept.entity_prefixes.length > 0 ? await names(ENTITIES) : [];
  return {
    entities: among(kept.entities, 'entity', all),
    entity_prefixes: [
      ...new Set(
        kept.entity_prefixes.flatMap(({ length, fingerprint }) =>
          all
            .filter((name) => name.length >= length)
            .map((name) => name.slice(0, length))
            .filter((prefix) => fingerprintOf(salt, 'prefix', prefix) === fingerprint),
        ),
      ),
    ],
    fact_ids: kept.fact_ids.length === 0 ? [] : among(kept.fact_ids, 'fact', await names(FACTS)),
    documents: kept.documents.length === 0 ? [] : await documentsOf(query, kept),
    principals: kept.principals.length === 0 ? [] : among(kept.principals, 'principal', await names(ACTORS)),
    texts: kept.texts.length === 0 ? [] : await textsOf(query, kept),
  };
}

async function documentsOf(query: Query, { tenant_id, salt, documents }: KeptErasure): Promise<DocumentName[]> {
  const wanted = new Set(documents);
  const rows = await query<DocumentName>(
    `select corpus_id, doc_id from document where tenant_id = $1
     union select corpus_id, doc_id from ingest where tenant_id = $1`,
    [tenant_id],
  );
  return rows.filter(({ corpus_id, doc_id }) => wanted.has(fingerprintOf(salt, 'document', `${corpus_id}\0${doc_id}`)));
}

/** A text may stand anywhere: every part of every name of its length is digested. */
async function textsOf(query: Query, kept: KeptErasure): Promise<string[]> {
  const found = new Set<string>();
  const tables = await query<{ name: string }>(
    `select r.name from svc_erasure_rules() r where r.effect <> 'keep' and to_regclass(r.name) is not null
       and r.name not in ('index_posting', 'index_segment', 'fact_segment', 'chunk', 'chunk_vector', 'memory_vector')`,
  );
  for (const { name } of tables) {
    const rows = await query<{ n: string }>(
      `select distinct n from ${name} r cross join lateral svc_names_in(to_jsonb(r) - 'tenant_id') n where r.tenant_id = $1 and n is not null`,
      [kept.tenant_id],
    );
    for (const text of rows.flatMap(({ n }) => [n, ...readable(n)]).flatMap((part) => [...partsOf(part, kept)]))
      found.add(text);
  }
  return [...found];
}

/** Bytes are shown in hexadecimal digits; what they hold of text may be in them as it is. */
const readable = (name: string): string[] =>
  /^\\x(?:[0-9a-f]{2})+$/.test(name) ? [Buffer.from(name.slice(2), 'hex').toString('utf8')] : [];

function* partsOf(name: string, { salt, texts }: KeptErasure): Generator<string> {
  for (const { length, fingerprint } of texts)
    for (let start = 0; start + length <= name.length; start++) {
      const part = name.slice(start, start + length);
      if (fingerprintOf(salt, 'text', part) === fingerprint) yield part;
    }
}

const ENTITIES = `
  select entity as name from fact_head where tenant_id = $1
  union select id from graph_entity where tenant_id = $1 union select kind || ':' || id from graph_entity where tenant_id = $1
  union select stream_id from stream_head where tenant_id = $1 union select stream_type || '/' || stream_id from stream_head where tenant_id = $1`;
const FACTS = 'select fact_id::text as name from fact where tenant_id = $1';
const ACTORS = `
  select actor as name from fact where tenant_id = $1 union select written_by from fact where tenant_id = $1 and written_by is not null
  union select owner from fact where tenant_id = $1 union select agent_id from answer where tenant_id = $1
  union select agent_id from agent_home where tenant_id = $1 union select agent_id from agent_activity where tenant_id = $1 union select agent_id from retrieval where tenant_id = $1
  union select agent_id from agent_retrieval where tenant_id = $1 union select agent_id from proof_job where tenant_id = $1
  union select principal from watch where tenant_id = $1 union select agent_id from watch where tenant_id = $1
  union select principal from survey_response where tenant_id = $1 union select principal from idempotent_request where tenant_id = $1
  union select data ->> 'actor' from outbox_event where tenant_id = $1 and data ? 'actor'`;
