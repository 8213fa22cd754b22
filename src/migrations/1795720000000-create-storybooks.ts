import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is known of a project as one text, in versions, and what agents say about it, claim by claim. */
export class CreateStorybooks1795720000000 implements MigrationInterface {
  name = 'CreateStorybooks1795720000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table storybook (
        tenant_id text not null,
        project_id text collate "C" not null,
        generated_at_unix_ms bigint not null,
        title text not null,
        content text not null,
        sections json not null,
        stats json not null,
        bytes integer not null check (bytes >= 0),
        content_hash text not null,
        generated_by_passport text,
        receipt_id uuid not null,
        created_by text not null,
        created_at timestamptz not null default now(),
        primary key (tenant_id, project_id, generated_at_unix_ms),
        foreign key (tenant_id, project_id) references project
      );
      select svc_secure_table('storybook');
      revoke update, delete on storybook from svc_app, svc_operator;
      select svc_pin_table('storybook', 'array[''project:'' || r.project_id]', '{content,sections}');

      create table dossier (
        tenant_id text not null,
        project_id text collate "C" not null,
        dossier_id text collate "C" not null,
        agent_passport text collate "C" not null,
        generated_at_unix_ms bigint not null,
        origin text not null constraint dossier_origin_check check (origin in ('published', 'auto')),
        based_on json not null,
        claims json not null,
        uncertainties json not null,
        contradictions json not null,
        open_questions json not null,
        content_hash text not null,
        receipt_id uuid not null,
        created_by text not null,
        created_at timestamptz not null default now(),
        primary key (tenant_id, project_id, dossier_id),
        foreign key (tenant_id, project_id) references project
      );
      create index dossier_list on dossier (tenant_id, project_id, created_at, dossier_id);
      create index dossier_agent on dossier (tenant_id, project_id, agent_passport, created_at, dossier_id);
      select svc_secure_table('dossier');
      revoke update, delete on dossier from svc_app, svc_operator;
      select svc_pin_table('dossier', 'array[''project:'' || r.project_id, ''dossier:'' || r.dossier_id]',
        '{claims,uncertainties,contradictions,open_questions}');

      -- What each claim rests on, by its place in the dossier; of a passage also the document it was of.
      create table dossier_anchor (
        tenant_id text not null,
        project_id text collate "C" not null,
        dossier_id text collate "C" not null,
        place integer not null check (place >= 0),
        ordinal integer not null check (ordinal >= 0),
        claim_id text not null,
        kind text not null constraint dossier_anchor_kind_check check (kind in ('fact', 'layer', 'chunk', 'receipt', 'work')),
        ref text collate "C" not null,
        start_offset integer,
        end_offset integer,
        quote_blake3 text,
        owner_tenant_id text,
        corpus_id text,
        doc_id text,
        content_hash text,
        primary key (tenant_id, project_id, dossier_id, place, ordinal),
        foreign key (tenant_id, project_id, dossier_id) references dossier on delete cascade,
        check ((start_offset is null) = (end_offset is null)),
        check ((kind = 'chunk') = (owner_tenant_id is not null and corpus_id is not null and doc_id is not null and content_hash is not null))
      );
      create index dossier_anchor_ref on dossier_anchor (tenant_id, ref, kind);
      select svc_secure_table('dossier_anchor');
      revoke update, delete on dossier_anchor from svc_app, svc_operator;

      create index answer_project on answer (tenant_id, (metadata ->> 'project_id')) where metadata ->> 'project_id' is not null;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index answer_project; drop table dossier_anchor, dossier, storybook');
  }
}
