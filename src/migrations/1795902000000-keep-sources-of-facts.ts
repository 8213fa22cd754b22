import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What facts were learnt from, each with what stood there then; and writes of facts answer what they superseded. */
export class KeepSourcesOfFacts1795902000000 implements MigrationInterface {
  name = 'KeepSourcesOfFacts1795902000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The digest that the leaf of the fact has, over its rows below.
      alter table fact add column sources_digest text;
      create table fact_source_ref (
        tenant_id text not null,
        fact_id uuid not null,
        position smallint not null,
        kind text not null constraint fact_source_ref_kind_check check (kind in ('passage', 'document', 'fact', 'answer', 'receipt')),
        source_id text not null,
        -- What stood there when the fact was stored.
        version int,
        digest text,
        -- Of a passage or a document: where it stands.
        owner_tenant_id text,
        corpus_id text,
        doc_id text,
        primary key (tenant_id, fact_id, position),
        foreign key (tenant_id, fact_id) references fact (tenant_id, fact_id) on delete cascade
      );
      select svc_secure_table('fact_source_ref');
      drop function svc_store_observed_facts(text, json, json, jsonb), svc_store_fact_batch(text, json, json);
      ${WRITES(REPLACED)}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_store_observed_facts(text, json, json, jsonb), svc_store_fact_batch(text, json, json);
      ${WRITES('void')}
      drop table fact_source_ref;
      alter table fact drop column sources_digest;
    `);
  }
}

const REPLACED =
  'table (by_place int, replaced_id uuid, beginning text, is_cut boolean, replaced_version int, replaced_at timestamptz)';

/** What they do stands in functions/, which is applied after every migration. */
const WRITES = (answer: string): string => `
  create function svc_store_fact_batch(me text, rounds json, batch json) returns ${answer}
    language plpgsql as $$ begin raise exception 'not applied yet'; end $$;
  create function svc_store_observed_facts(me text, rounds json, batch json, steps jsonb) returns ${answer}
    language plpgsql as $$ begin raise exception 'not applied yet'; end $$;
  revoke execute on function svc_store_observed_facts(text, json, json, jsonb), svc_store_fact_batch(text, json, json) from public;
  grant execute on function svc_store_observed_facts(text, json, json, jsonb), svc_store_fact_batch(text, json, json) to svc_app;
`;
