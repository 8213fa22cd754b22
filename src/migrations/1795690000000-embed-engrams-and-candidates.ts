import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Versions of engrams, and candidates at each change of their text or status, get a number by which vectors are made (0209). */
export class EmbedEngramsAndCandidates1795690000000 implements MigrationInterface {
  name = 'EmbedEngramsAndCandidates1795690000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FUNCTIONS);
    await runner.query(ENGRAMS);
    await runner.query(CANDIDATES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger drop_vectors on candidate;
      drop trigger number_row on candidate;
      alter table candidate drop column seq;
      drop trigger drop_vectors on graph_entity_version;
      drop trigger keep_number on graph_entity_version;
      drop trigger number_row on graph_entity_version;
      alter table graph_entity_version drop column seq;
      drop function svc_number_row(), svc_keep_number();
      alter table memory_vector no force row level security;
      alter table memory_vector_state no force row level security;
      delete from memory_vector where kind in ('engram', 'candidate');
      delete from memory_vector_state where kind in ('engram', 'candidate');
      alter table memory_vector force row level security;
      alter table memory_vector_state force row level security;
    `);
  }
}

const FUNCTIONS = `
    create or replace function svc_number_row() returns trigger language plpgsql as $$
          begin
            perform pg_advisory_xact_lock_shared(hashtextextended('svc ' || tg_table_name || ' ' || new.tenant_id, 0));
            new.seq := nextval(tg_argv[0]);
            return new;
          end $$;

    create or replace function svc_keep_number() returns trigger language plpgsql as $$
          begin
            new.seq := old.seq;
            return new;
          end $$;

    revoke execute on function svc_number_row(), svc_keep_number() from public;
`;

/** Entities of other kinds have no number, and their writers wait for nothing. */
const ENGRAMS = `
    alter table graph_entity_version add column seq bigint;
    create sequence engram_number owned by graph_entity_version.seq;
    grant usage on sequence engram_number to svc_app, svc_operator;
    alter table graph_entity_version no force row level security;
    update graph_entity_version set seq = nextval('engram_number') where kind = 'engram';
    alter table graph_entity_version force row level security;
    create index graph_entity_version_seq on graph_entity_version (tenant_id, seq) where seq is not null;
    -- To lock a row while its vector is written takes the right to update a column of it; this one stays as it is.
    grant update (seq) on graph_entity_version to svc_app;
    create trigger number_row before insert on graph_entity_version
      for each row when (new.kind = 'engram') execute function svc_number_row('engram_number');
    create trigger keep_number before update of seq on graph_entity_version for each row execute function svc_keep_number();
    create trigger drop_vectors after delete on graph_entity_version referencing old table as gone
      for each statement execute function svc_drop_vectors('engram', 'seq');
`;

const CANDIDATES = `
    alter table candidate add column seq bigint;
    create sequence candidate_number owned by candidate.seq;
    grant usage on sequence candidate_number to svc_app, svc_operator;
    alter table candidate no force row level security;
    update candidate set seq = nextval('candidate_number');
    alter table candidate force row level security;
    alter table candidate alter column seq set not null;
    create index candidate_seq on candidate (tenant_id, seq);
    create trigger number_row before insert or update of entity, key, value, status on candidate
      for each row execute function svc_number_row('candidate_number');
    create trigger drop_vectors after delete on candidate referencing old table as gone
      for each statement execute function svc_drop_vectors('candidate', 'candidate_id');
`;
