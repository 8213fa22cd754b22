import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Leases with fences: who holds a work item or a path, until when, and the number by which a late writer is known. */
export class CreateLeases1795432000000 implements MigrationInterface {
  name = 'CreateLeases1795432000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- One for all: a fence rises for every item and every path, and names one lease.
      create sequence lease_fence;
      grant usage on sequence lease_fence to svc_app, svc_operator;

      create table lease (
        tenant_id text not null,
        fence bigint not null,
        kind text not null check (kind in ('work', 'path')),
        -- The id of the work item, or the normalised resource.
        subject text collate "C" not null,
        lease_id text collate "C" not null,
        mode text not null check (mode in ('read', 'write')),
        holder_passport text not null,
        -- The passport of the credential that asked for it.
        held_by text not null,
        reason text,
        -- A lease that is held and past expires_at holds nothing any more; the sweep says so here later.
        status text not null default 'held' check (status in ('held', 'released', 'forced', 'expired')),
        acquired_at timestamptz not null,
        renewed_at timestamptz not null,
        expires_at timestamptz not null,
        ended_at timestamptz check ((ended_at is null) = (status = 'held')),
        release_commit_sha text,
        receipt_acquire uuid,
        receipt_end uuid,
        primary key (tenant_id, fence),
        unique (tenant_id, lease_id)
      );
      alter sequence lease_fence owned by lease.fence;
      -- Whatever else goes wrong, nobody holds an item that another holds.
      create unique index lease_of_work on lease (tenant_id, subject) where status = 'held' and kind = 'work';
      create index lease_held on lease (tenant_id, kind, subject) where status = 'held';
      create index lease_due on lease (expires_at) where status = 'held';
      create index lease_of_subject on lease (tenant_id, kind, subject, fence);
      select svc_secure_table('lease');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table lease');
  }
}
