import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far a tenant has synchronised with each of its peers, so that an exchange resumes (docs/decisions/0271). */
export class CreateSyncExchanges1795804000000 implements MigrationInterface {
  name = 'CreateSyncExchanges1795804000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table sync_exchange (
        tenant_id text not null,
        peer_id text collate "C" not null,
        direction text not null constraint sync_exchange_direction_check check (direction in ('pull', 'push')),
        -- What the peer opened when it was asked last.
        entity_prefixes text[],
        collections text[],
        started_at timestamptz not null default now(),
        -- Of the last one that came to an end; the state of one that did not is running.
        ended_at timestamptz,
        state text not null default 'running'
          constraint sync_exchange_state_check check (state in ('running', 'equal', 'complete', 'unequal', 'failed')),
        -- Why it failed.
        message text,
        taken bigint not null default 0,
        refused bigint not null default 0,
        receipt_id uuid,
        primary key (tenant_id, peer_id, direction)
      );
      select svc_secure_table('sync_exchange');

      create table sync_exchange_part (
        tenant_id text not null,
        peer_id text collate "C" not null,
        direction text not null,
        collection text not null,
        -- Of both databases and of what is open: with another one all that follows says nothing.
        basis text not null,
        -- The target has everything up to this position of the source; null: a full pass is due.
        position bigint,
        -- The pass that is under way: what kind, up to which position of the source, and the cursor of its next page.
        pass text constraint sync_exchange_part_pass_check check (pass in ('full', 'delta')),
        pass_position bigint,
        cursor text,
        -- Records that the target did not take.
        refused bigint not null default 0,
        -- A full pass found that the target lacks nothing, while the roots differ: it has more than the source.
        is_ahead boolean not null default false,
        updated_at timestamptz not null default now(),
        primary key (tenant_id, peer_id, direction, collection)
      );
      select svc_secure_table('sync_exchange_part');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table sync_exchange_part, sync_exchange');
  }
}
