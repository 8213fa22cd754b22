import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The inverted index in immutable segments, entitlements, and the record of retrievals. A shard is the part of a corpus that is shared
 * alike and analysed alike; a segment belongs to one shard, so that what a tenant may see is decided row by row by the policies here.
 */
export class CreateRetrievalIndex1795200100000 implements MigrationInterface {
  name = 'CreateRetrievalIndex1795200100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table entitlement (
        tenant_id text not null,
        publisher_tenant_id text not null,
        corpus_id text not null,
        granted_at timestamptz not null default now(),
        primary key (tenant_id, publisher_tenant_id, corpus_id)
      );
      select svc_secure_table('entitlement');

      create table index_shard (
        tenant_id text not null,
        shard_id uuid not null default gen_random_uuid(),
        corpus_id text not null,
        shareability text not null check (shareability in ('owner_only', 'entitled_only', 'public_safe')),
        language text not null,
        -- Counts the commits that changed the shard; whoever changes it holds this row's lock until its commit.
        generation bigint not null default 1,
        primary key (tenant_id, shard_id),
        unique (tenant_id, corpus_id, shareability, language)
      );
      create index index_shard_commons on index_shard (shard_id) where shareability = 'public_safe';
      select svc_secure_table('index_shard');
      -- Another tenant's shared rows are readable, never writable. Entitlements are read under their own policy: only the caller's count.
      create policy shared_rows on index_shard for select to svc_app using (
        nullif(current_setting('svc.tenant_id', true), '') is not null and (
          shareability = 'public_safe'
          or shareability = 'entitled_only' and exists (
            select from entitlement e where e.publisher_tenant_id = index_shard.tenant_id and e.corpus_id = index_shard.corpus_id)));

      create table index_segment (
        tenant_id text not null,
        segment_id uuid not null,
        shard_id uuid not null,
        -- The generation up to which withdrawals are already applied in it: a later tombstone kills, an earlier one does not.
        sequence bigint not null,
        chunk_count int not null,
        header bytea not null,
        digest bytea not null check (length(digest) = 32),
        created_at timestamptz not null default now(),
        primary key (tenant_id, segment_id)
      );
      alter table index_segment alter column header set storage external;
      create index index_segment_shard on index_segment (tenant_id, shard_id);
      select svc_secure_table('index_segment');
      create policy shared_rows on index_segment for select to svc_app using (exists (
        select from index_shard s where s.tenant_id = index_segment.tenant_id and s.shard_id = index_segment.shard_id));

      create table index_posting (
        tenant_id text not null,
        segment_id uuid not null,
        term text collate "C" not null,
        postings bytea not null,
        primary key (tenant_id, segment_id, term)
      );
      alter table index_posting alter column postings set storage external;
      select svc_secure_table('index_posting');
      create policy shared_rows on index_posting for select to svc_app using (exists (
        select from index_segment s where s.tenant_id = index_posting.tenant_id and s.segment_id = index_posting.segment_id));

      create table index_tombstone (
        tenant_id text not null,
        shard_id uuid not null,
        chunk_id text not null,
        generation bigint not null,
        primary key (tenant_id, shard_id, chunk_id)
      );
      select svc_secure_table('index_tombstone');
      create policy shared_rows on index_tombstone for select to svc_app using (exists (
        select from index_shard s where s.tenant_id = index_tombstone.tenant_id and s.shard_id = index_tombstone.shard_id));

      -- Segments that a merge replaced and whose postings are still to be deleted.
      create table index_garbage (
        tenant_id text not null,
        segment_id uuid not null,
        primary key (tenant_id, segment_id)
      );
      select svc_secure_table('index_garbage');

      create table retrieval (
        tenant_id text not null,
        retrieval_id uuid not null,
        agent_id text not null,
        lane text not null,
        request jsonb not null,
        results jsonb not null,
        receipt_id text,
        execution_receipt_id uuid,
        created_at timestamptz not null default now(),
        primary key (tenant_id, retrieval_id)
      );
      select svc_secure_table('retrieval');

      -- The last retrieval of every agent, in any lane: what a proof is about when it names nothing else.
      create table agent_retrieval (
        tenant_id text not null,
        agent_id text not null,
        retrieval_id uuid not null,
        lane text not null,
        request jsonb not null,
        results jsonb not null,
        created_at timestamptz not null,
        primary key (tenant_id, agent_id)
      );
      select svc_secure_table('agent_retrieval');

      -- What an audit retrieval scored: its best candidates in full, and a digest over all of them.
      create table retrieval_ledger (
        tenant_id text not null,
        retrieval_id uuid not null,
        candidate_count int not null,
        candidates_digest bytea not null check (length(candidates_digest) = 32),
        statistics jsonb not null,
        candidates jsonb not null,
        primary key (tenant_id, retrieval_id)
      );
      select svc_secure_table('retrieval_ledger');

      -- Every shard the tenant of the transaction may search. By branches, so that indexes and not the policy find them. Stable, so that it
      -- reads in its caller's snapshot: a volatile one would take a newer one, and tell a generation whose tombstones the caller cannot see.
      create function svc_visible_shards()
        returns table (tenant_id text, shard_id uuid, corpus_id text, shareability text, language text, generation bigint)
        language plpgsql stable as $$
      declare
        me text := nullif(current_setting('svc.tenant_id', true), '');
      begin
        return query
          select s.tenant_id, s.shard_id, s.corpus_id, s.shareability, s.language, s.generation
          from index_shard s where s.tenant_id = me
          union all
          select s.tenant_id, s.shard_id, s.corpus_id, s.shareability, s.language, s.generation
          from index_shard s where s.shareability = 'public_safe' and s.tenant_id <> me
          union all
          select s.tenant_id, s.shard_id, s.corpus_id, s.shareability, s.language, s.generation
          from entitlement e join index_shard s on s.tenant_id = e.publisher_tenant_id and s.corpus_id = e.corpus_id
          where e.tenant_id = me and s.shareability = 'entitled_only' and s.tenant_id <> me;
      end $$;

      -- The visible shards with their segments and tombstones: one statement, one snapshot. A shard the caller knows at its generation comes
      -- without its content, one it knows at an earlier generation with the tombstones since.
      create function svc_index_state(me text, known_shards uuid[], known_generations bigint[])
        returns table (tenant_id text, shard_id uuid, corpus_id text, shareability text, language text, generation text,
                       is_known boolean, segments jsonb, tombstones jsonb)
        language plpgsql as $$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select v.tenant_id, v.shard_id, v.corpus_id, v.shareability, v.language, v.generation::text, coalesce(k.generation = v.generation, false),
            case when k.generation is distinct from v.generation then coalesce((
              select jsonb_agg(jsonb_build_array(s.segment_id, s.sequence, s.chunk_count) order by s.sequence, s.segment_id)
              from index_segment s where s.tenant_id = v.tenant_id and s.shard_id = v.shard_id), '[]') end,
            case when k.generation is distinct from v.generation then coalesce((
              select jsonb_agg(jsonb_build_array(t.chunk_id, t.generation)) from index_tombstone t
              where t.tenant_id = v.tenant_id and t.shard_id = v.shard_id and t.generation > coalesce(k.generation, 0)), '[]') end
          from svc_visible_shards() v left join unnest(known_shards, known_generations) k(shard_id, generation) using (shard_id)
          order by v.shard_id;
      end $$;

      -- Look-ups by key: a plan made while a table was small must not read it whole when it has grown.
      create function svc_index_headers(me text, wanted_tenants text[], wanted uuid[])
        returns table (segment_id uuid, header bytea, digest bytea) language plpgsql
        set enable_hashjoin = off set enable_mergejoin = off as $$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select s.segment_id, s.header, s.digest from unnest(wanted_tenants, wanted) w(tenant_id, segment_id)
          join index_segment s on s.tenant_id = w.tenant_id and s.segment_id = w.segment_id;
      end $$;

      -- The rows of terms in segments. A segment that is gone gives no row; a posting that is gone gives a null.
      create function svc_index_postings(me text, wanted_tenants text[], wanted uuid[], wanted_terms text[])
        returns table (segment_id uuid, term text, postings bytea) language plpgsql
        set enable_hashjoin = off set enable_mergejoin = off as $$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select s.segment_id, w.term, p.postings
          from unnest(wanted_tenants, wanted, wanted_terms) w(tenant_id, segment_id, term)
          join index_segment s on s.tenant_id = w.tenant_id and s.segment_id = w.segment_id
          left join index_posting p on p.tenant_id = s.tenant_id and p.segment_id = s.segment_id and p.term = w.term;
      end $$;

      -- A query's one round trip: the passages it found and, in the first row, the state of every visible shard after they were read.
      create function svc_retrieve(me text, wanted_tenants text[], wanted text[])
        returns table (state text, chunk_id text, tenant_id text, corpus_id text, doc_id text, version int, title text, url text,
                       content text, content_hash bytea)
        language plpgsql
        set enable_hashjoin = off set enable_mergejoin = off as $$
      begin
        perform set_config('svc.tenant_id', me, true);
        return query
          select null::text, c.chunk_id, c.tenant_id, c.corpus_id, c.doc_id, c.version, c.title, c.url, c.content, c.content_hash
          from unnest(wanted_tenants, wanted) w(tenant_id, chunk_id)
          join chunk c on c.tenant_id = w.tenant_id and c.chunk_id = w.chunk_id;
        return query
          select coalesce(string_agg(v.shard_id || ':' || v.generation, ',' order by v.shard_id), ''),
            null, null, null, null, null::int, null, null, null, null::bytea
          from svc_visible_shards() v;
      end $$;
      grant execute on function svc_visible_shards(), svc_index_state(text, uuid[], bigint[]), svc_index_headers(text, text[], uuid[]),
        svc_index_postings(text, text[], uuid[], text[]), svc_retrieve(text, text[], text[]) to svc_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_retrieve(text, text[], text[]), svc_index_postings(text, text[], uuid[], text[]),
        svc_index_headers(text, text[], uuid[]), svc_index_state(text, uuid[], bigint[]), svc_visible_shards();
      drop table retrieval_ledger, agent_retrieval, retrieval, index_garbage, index_tombstone, index_posting, index_segment, index_shard,
        entitlement cascade;
    `);
  }
}
