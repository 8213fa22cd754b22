import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Chains of facts are deleted together, with one receipt: what a peer deleted comes by thousands. */
export class RetireFactsTogether1795800200000 implements MigrationInterface {
  name = 'RetireFactsTogether1795800200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(FUNCTIONS);
    await runner.query(`
      revoke execute on function svc_retire_chain(text, bytea, json, uuid, int, timestamptz), svc_retire_fact_batches(text, json, json) from public;
      grant execute on function svc_retire_chain(text, bytea, json, uuid, int, timestamptz), svc_retire_fact_batches(text, json, json) to svc_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_retire_fact_batches(text, json, json);
      drop function svc_retire_chain(text, bytea, json, uuid, int, timestamptz);
    `);
  }
}

const FUNCTIONS = `
  -- Deletes a chain with the tombstone at a place of a batch: it supersedes the last record, and all records of the chain
  -- leave the lists. deletion: fact_id, version, actor, written_by. The caller has added the batch and holds the head.
  create or replace function svc_retire_chain(me text, of_chain bytea, deletion json, batch_id uuid, leaf int, began timestamptz) returns void
    language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
    declare
      head fact_head;
      tombstone_id uuid := deletion ->> 'fact_id';
      deleted_by text := deletion ->> 'actor';
    begin
      update fact_head h set version = h.version + 1, supersedes = h.seq, seq = nextval('fact_seq'), stored_at = greatest(h.stored_at, began)
        where h.tenant_id = me and h.chain = of_chain and h.records > 0 and h.version = (deletion ->> 'version')::int - 1 returning h.* into head;
      if not found or head.stored_at > began then
        raise exception 'another writer was first' using errcode = 'SF001', detail = '{}';
      end if;
      insert into fact (tenant_id, seq, fact_id, chain, version, visibility, owner, entity, key, value, actor, actor_claimed, written_by, confidence,
          horizon_class, tokens, stored_at, tombstone, supersedes, receipt_id, leaf_index)
        select me, head.seq, tombstone_id, of_chain, head.version, f.visibility, f.owner, f.entity, f.key, '', deleted_by, false,
          deletion ->> 'written_by', f.confidence, f.horizon_class, 0, head.stored_at, true, head.supersedes, batch_id, leaf
        from fact f where f.tenant_id = me and f.seq = head.supersedes;
      update fact f set deleted_at = head.stored_at, ends_at = least(f.ends_at, head.stored_at),
        superseded_by = coalesce(f.superseded_by, tombstone_id), superseded_at = coalesce(f.superseded_at, head.stored_at)
        -- All since the deletion before. Records in quarantine may stand between them, which its end finds deleted.
        where f.tenant_id = me and f.chain = of_chain and f.deleted_at is null and not f.tombstone;
      update fact_head h set records = 0 where h.tenant_id = me and h.chain = of_chain;
      perform svc_count_facts(me, '', head.visibility, -head.records, -1);
      if head.owner <> '' then
        perform svc_count_facts(me, head.owner, head.visibility, -head.records, -1);
      end if;
      insert into outbox_event (tenant_id, event_id, kind, subject, data)
        select me, tombstone_id, 'fact.retired', f.fact_id, case head.visibility
          when 0 then jsonb_build_object('fact_id', f.fact_id, 'entity', f.entity, 'key', f.key, 'version', f.version, 'actor', deleted_by)
          else jsonb_build_object('fact_id', f.fact_id, 'private', true) end
        from fact f where f.tenant_id = me and f.seq = head.supersedes;
    end $$;

  -- svc_retire_fact_batch for several chains with one receipt: the tombstones are its leaves, in the order of the list.
  -- Each deletion: chain (hexadecimal), fact_id, version, actor, written_by. The caller holds the heads of the chains.
  create or replace function svc_retire_fact_batches(me text, deletions json, batch json) returns void
    language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
    declare
      batch_id uuid := batch ->> 'receipt_id';
      began timestamptz := batch ->> 'occurred_at';
      one record;
    begin
      perform svc_enter_facts(me);
      perform svc_add_fact_batch(me, batch);
      for one in select d.deletion, d.place::int - 1 as leaf from json_array_elements(deletions) with ordinality d (deletion, place) order by d.place loop
        perform svc_retire_chain(me, decode(one.deletion ->> 'chain', 'hex'), one.deletion, batch_id, one.leaf, began);
      end loop;
    end $$;
`;
