import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The homes of agents: their journal, which only grows, and their primitives with every version and its pins. */
export class CreateHomes1795267000000 implements MigrationInterface {
  name = 'CreateHomes1795267000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- One row an agent that has anything: the short id that the other keys carry, and the lock under which its journal is counted.
      create table agent_home (
        tenant_id text not null references tenant,
        agent_id text not null check (length(agent_id) between 1 and 512),
        home_id uuid not null,
        journal_seq bigint not null default 0,
        created_at timestamptz not null default now(),
        primary key (tenant_id, agent_id),
        unique (tenant_id, home_id)
      );
      select svc_secure_table('agent_home');

      create table journal_entry (
        tenant_id text not null,
        home_id uuid not null,
        seq bigint not null check (seq > 0),
        entry_id uuid not null,
        -- The sender's name for the event: a second one with it is not a second entry.
        event_id text,
        type text not null check (type ~ '^[a-z][a-z0-9_]{0,63}$'),
        subject text not null,
        data jsonb not null,
        source text not null,
        actor text,
        occurred_at timestamptz not null,
        -- Taken under the home's lock, so that it never runs against seq.
        recorded_at timestamptz not null default clock_timestamp(),
        primary key (tenant_id, home_id, seq),
        foreign key (tenant_id, home_id) references agent_home (tenant_id, home_id)
      );
      create unique index journal_entry_event on journal_entry (tenant_id, home_id, event_id) where event_id is not null;
      create index journal_entry_type on journal_entry (tenant_id, home_id, type, seq);
      create index journal_entry_time on journal_entry (tenant_id, home_id, recorded_at);
      select svc_secure_table('journal_entry');

      -- The newest version of each primitive: what is listed, and the row on which two writers meet.
      create table primitive (
        tenant_id text not null,
        home_id uuid not null,
        kind text not null check (kind in ('goal', 'preference', 'constraint', 'skill')),
        name text collate "C" not null check (length(name) between 1 and 200),
        version integer not null check (version > 0),
        retired boolean not null default false,
        created_by text not null,
        created_at timestamptz not null default now(),
        primary key (tenant_id, home_id, kind, name),
        foreign key (tenant_id, home_id) references agent_home (tenant_id, home_id)
      );
      select svc_secure_table('primitive');

      create table primitive_version (
        tenant_id text not null,
        home_id uuid not null,
        kind text not null,
        name text collate "C" not null,
        version integer not null,
        content_text text,
        content_data jsonb,
        retired boolean not null,
        reason text,
        recorded_by text not null,
        recorded_at timestamptz not null default now(),
        primary key (tenant_id, home_id, kind, name, version),
        foreign key (tenant_id, home_id, kind, name) references primitive,
        check (content_text is not null or content_data is not null)
      );
      select svc_secure_table('primitive_version');

      -- A pin keeps what was seen when it was set: a passage with its digest, or an answer's version, whose citations keep theirs.
      create table primitive_pin (
        tenant_id text not null,
        home_id uuid not null,
        kind text not null,
        name text collate "C" not null,
        version integer not null,
        ordinal integer not null,
        chunk_id text,
        owner_tenant_id text,
        corpus_id text,
        doc_id text,
        doc_version integer,
        content text,
        content_hash bytea,
        answer_id text,
        answer_version integer,
        note text,
        pinned_at timestamptz not null,
        primary key (tenant_id, home_id, kind, name, version, ordinal),
        foreign key (tenant_id, home_id, kind, name, version) references primitive_version,
        check (num_nonnulls(chunk_id, owner_tenant_id, corpus_id, doc_id, doc_version, content, content_hash) in (0, 7)),
        check (num_nonnulls(answer_id, answer_version) in (0, 2)),
        check ((chunk_id is null) <> (answer_id is null))
      );
      select svc_secure_table('primitive_pin');

      revoke update, delete on journal_entry, primitive_version, primitive_pin from svc_app, svc_operator;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table primitive_pin, primitive_version, primitive, journal_entry, agent_home;');
  }
}
