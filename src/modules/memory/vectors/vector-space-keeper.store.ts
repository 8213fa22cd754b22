import type { Query } from '../../../common/tenancy/cross-tenant.js';

/** Rows that are removed in one look. */
const BATCH = 5_000;
const MAX_SHARDS = 1_000;
/** Searches that began in a space are over by then. */
const KEPT = '1 minute';

/** Shards with passages that are to have a vector and have none of the name. */
export const findShardsBehind = (query: Query, name: string): Promise<{ tenantId: string; shardId: string }[]> =>
  query(
    `select s.tenant_id as "tenantId", s.shard_id as "shardId" from index_shard s where exists (
       select from chunk c
       join document_version d on d.tenant_id = c.tenant_id and d.corpus_id = c.corpus_id and d.doc_id = c.doc_id and d.version = c.version
       where c.tenant_id = s.tenant_id and c.corpus_id = s.corpus_id and c.shareability = s.shareability and c.language = s.language
         and c.retired_at is null and d.semantic_profile <> 'lexical'
         and not exists (select from chunk_vector v where v.tenant_id = c.tenant_id and v.chunk_id = c.chunk_id and v.model = $1))
     limit $2`,
    [name, MAX_SHARDS],
  );

/** Vectors of spaces that serve no more, some at a time; at last what is known of the space. */
export async function removeRetired(query: Query): Promise<void> {
  const [space] = await query<{ space_id: number; name: string }>(
    `select space_id, name from vector_space where state = 'retired'
       and coalesce((select max(s.serving_since) from vector_space s where s.state = 'serving'), '-infinity') < now() - $1::interval
     order by space_id limit 1`,
    [KEPT],
  );
  if (!space) return;
  const removed = await query(
    'delete from memory_vector where ctid = any(array(select ctid from memory_vector where space_id = $1 limit $2)) returning 1',
    [space.space_id, BATCH],
  );
  const passages = await query(
    'delete from chunk_vector where ctid = any(array(select ctid from chunk_vector where model = $1 limit $2)) returning 1',
    [space.name, BATCH],
  );
  if (removed.length + passages.length > 0) return;
  await query('delete from memory_vector_state where space_id = $1', [space.space_id]);
  await query('delete from vector_space where space_id = $1', [space.space_id]);
}
