import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where in a file a passage stands: nothing for documents that came as text. */
export class LocatePassages1795911000000 implements MigrationInterface {
  name = 'LocatePassages1795911000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table document_version add column locations jsonb;
      alter table chunk add column location jsonb;
      alter table citation add column location jsonb;
      drop function svc_retrieve(text, text[], text[]);
    `);
    await runner.query(RETRIEVE('content_hash bytea, location jsonb', 'c.location', 'null::bytea, null::jsonb'));
    await runner.query(GRANT);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function svc_retrieve(text, text[], text[])');
    await runner.query(RETRIEVE('content_hash bytea', undefined, 'null::bytea'));
    await runner.query(GRANT);
    await runner.query(`
      alter table citation drop column location;
      alter table chunk drop column location;
      alter table document_version drop column locations;
    `);
  }
}

const GRANT = 'grant execute on function svc_retrieve(text, text[], text[]) to svc_app';

const RETRIEVE = (lastColumns: string, location: string | undefined, nulls: string): string => `
  create function svc_retrieve(me text, wanted_tenants text[], wanted text[])
    returns table (state text, chunk_id text, tenant_id text, corpus_id text, doc_id text, version int, title text,
      url text, content text, ${lastColumns})
    language plpgsql set enable_hashjoin = off set enable_mergejoin = off as $$
  begin
    perform set_config('svc.tenant_id', me, true);
    return query
      select null::text, c.chunk_id, c.tenant_id, c.corpus_id, c.doc_id, c.version, c.title, c.url, c.content, c.content_hash
        ${location === undefined ? '' : `, ${location}`}
      from unnest(wanted_tenants, wanted) w(tenant_id, chunk_id)
      join chunk c on c.tenant_id = w.tenant_id and c.chunk_id = w.chunk_id;
    return query
      select coalesce(string_agg(v.shard_id || ':' || v.generation, ',' order by v.shard_id), ''),
        null, null, null, null, null::int, null, null, null, ${nulls}
      from svc_visible_shards() v;
  end $$`;
