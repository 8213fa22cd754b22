import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Labels of engrams: movable pointers to versions of entities of the kind engram. */
export class CreateEngramLabels1795630000000 implements MigrationInterface {
  name = 'CreateEngramLabels1795630000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table engram_label (
        tenant_id text not null,
        -- An erasure finds the row by kind and id, as the entity is called.
        kind text collate "C" not null default 'engram' constraint engram_label_kind_check check (kind = 'engram'),
        id text collate "C" not null,
        label text collate "C" not null,
        engram_version integer not null,
        version integer not null default 1 check (version > 0),
        receipt_id uuid not null,
        created_by text not null,
        created_at timestamptz not null default now(),
        moved_by text not null,
        moved_at timestamptz not null default now(),
        primary key (tenant_id, kind, id, label),
        foreign key (tenant_id, kind, id, engram_version) references graph_entity_version (tenant_id, kind, id, version) on delete cascade
      );
      create index engram_label_by_label on engram_label (tenant_id, label, id);
      select svc_secure_table('engram_label');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table engram_label');
  }
}
