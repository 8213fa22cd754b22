import type { MigrationInterface, QueryRunner } from 'typeorm';

/** As the holds pin sealed segments. */
const SEGMENT = `array[''document:'' || r.corpus_id || ''/''] || array(
  select prefix from public.legal_hold h, unnest(h.entity_prefixes) prefix
  where h.tenant_id = r.tenant_id and h.released_at is null and starts_with(prefix, ''document:'' || r.corpus_id || ''/''))`;

/** Sealed segments that other nodes sent, and the compaction of facts. */
export class CreateReplicatedSegments1795830000000 implements MigrationInterface {
  name = 'CreateReplicatedSegments1795830000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- segment_seq is that of the node, without gaps; previous is the digest of the one before, null of the first.
      create table replicated_segment (
        tenant_id text not null,
        node_id text collate "C" not null,
        segment_seq bigint not null check (segment_seq >= 1),
        corpus_id text not null,
        frame_count int not null check (frame_count >= 1),
        frames bytea not null,
        digest bytea not null check (length(digest) = 32),
        previous bytea check ((previous is null) = (segment_seq = 1)),
        sealed_at timestamptz not null,
        received_by text not null,
        received_at timestamptz not null default now(),
        receipt_id uuid not null,
        primary key (tenant_id, node_id, segment_seq)
      );
      select svc_secure_table('replicated_segment');
      revoke update, delete on replicated_segment from svc_app, svc_operator;
      select svc_pin_table('replicated_segment', '${SEGMENT}', '{frames,digest}');

      create function svc_compact_facts(me text, by_compaction uuid, keep_days int, most int)
        returns table (deleted int, retired int, held int, more boolean) language plpgsql as $$ begin end $$;
      revoke execute on function svc_compact_facts(text, uuid, int, int) from public;
      grant execute on function svc_compact_facts(text, uuid, int, int) to svc_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function svc_compact_facts(text, uuid, int, int); drop table replicated_segment');
  }
}
