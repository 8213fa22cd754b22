import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pairs of entities that may be one, what says so, and what was decided. */
export class CreateIdentityLinks1795840100000 implements MigrationInterface {
  name = 'CreateIdentityLinks1795840100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table identity_link (
        tenant_id text not null,
        link_id uuid not null,
        entity text collate "C" not null,
        other text collate "C" not null,
        status text not null check (status in ('candidate', 'linked', 'rejected', 'unlinked')),
        -- [{kind, sides: [{entity, source, key, ref}]}]: what was equal when it was found, without the values.
        evidence jsonb not null,
        proposed_by text not null,
        proposed_at timestamptz not null default now(),
        decided_by text,
        decided_at timestamptz,
        reason text,
        primary key (tenant_id, link_id),
        unique (tenant_id, entity, other),
        check (entity < other),
        check ((status = 'candidate') = (decided_at is null)),
        check ((decided_by is null) = (decided_at is null))
      );
      create index identity_link_list on identity_link (tenant_id, status, link_id);
      create index identity_link_other on identity_link (tenant_id, other);
      select svc_secure_table('identity_link');
      revoke delete on identity_link from svc_app;
      revoke insert, update on identity_link from svc_operator;
      select svc_pin_table('identity_link', 'array[r.entity, r.other]', '{entity,other}');

      -- The facts that say how an entity is known elsewhere; the keys are those of identifiers.rules.ts.
      create index fact_identifier on fact (tenant_id, seq) where key in (
          'email', 'email_address', 'external_id', 'github_id', 'gitlab_id', 'slack_id', 'orcid', 'github_login', 'gitlab_login',
          'key_fingerprint', 'ssh_fingerprint', 'gpg_fingerprint', 'git_author')
        and visibility = 0 and deleted_at is null and not tombstone;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index fact_identifier; drop table identity_link');
  }
}
