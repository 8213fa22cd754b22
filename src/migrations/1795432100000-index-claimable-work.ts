import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What can be claimed, in the order in which it is: what is ready, and what is in progress under a lease, which may be
 * over. What is done, or waits for something, is in neither index, however much there is of it.
 */
export class IndexClaimableWork1795432100000 implements MigrationInterface {
  name = 'IndexClaimableWork1795432100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index work_item_claimable on work_item (tenant_id, priority, created_at, work_id)
        where open_blockers = 0 and (state = 'ready' or (state = 'in_progress' and lease_fence is not null));
      create index work_item_claimable_of_project on work_item (tenant_id, project_id, priority, created_at, work_id)
        where open_blockers = 0 and (state = 'ready' or (state = 'in_progress' and lease_fence is not null));
    `);
    await runner.query(CLAIM_WORK);
    await runner.query(CLAIM_NEXT_WORK);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_claim_next_work(text, text, text[], text, text, int, text);
      drop function svc_claim_work(text, text, text, text, int, text);
      drop index work_item_claimable, work_item_claimable_of_project;
    `);
  }
}

/** As they were made first; functions/ has them as they are. */
const CLAIM_WORK = `
  create function svc_claim_work(me text, wanted text, holder text, asked_by text, ttl int, new_lease text)
    returns setof work_item language plpgsql set enable_seqscan = off as $$
    declare
      began timestamptz := date_trunc('milliseconds', clock_timestamp());
      ends timestamptz := began + make_interval(secs => ttl);
      drawn bigint := nextval('lease_fence');
    begin
      insert into lease (tenant_id, fence, kind, subject, lease_id, mode, holder_passport, held_by, acquired_at, renewed_at, expires_at)
        values (me, drawn, 'work', wanted, new_lease, 'write', holder, asked_by, began, began, ends);
      return query update work_item w set state = 'in_progress', assignee_passport = holder, version = w.version + 1, updated_at = began,
          lease_fence = drawn, lease_holder = holder, lease_expires_at = ends
        where w.tenant_id = me and w.work_id = wanted returning w.*;
    end $$;
`;

const CLAIM_NEXT_WORK = `
  create function svc_claim_next_work(me text, project text, wanted_labels text[], holder text, asked_by text, ttl int,
      new_lease text)
    returns setof work_item language plpgsql
    set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
    declare
      item work_item;
    begin
      if project is null then
        select w.* into item from work_item w
          where w.tenant_id = me and w.open_blockers = 0
            and (w.state = 'ready' or (w.state = 'in_progress' and w.lease_fence is not null))
            and (w.state = 'ready' and coalesce(w.assignee_passport, holder) = holder or w.lease_expires_at <= clock_timestamp())
            and w.labels @> wanted_labels
          order by w.tenant_id, w.priority, w.created_at, w.work_id limit 1 for no key update skip locked;
      else
        select w.* into item from work_item w
          where w.tenant_id = me and w.project_id = project and w.open_blockers = 0
            and (w.state = 'ready' or (w.state = 'in_progress' and w.lease_fence is not null))
            and (w.state = 'ready' and coalesce(w.assignee_passport, holder) = holder or w.lease_expires_at <= clock_timestamp())
            and w.labels @> wanted_labels
          order by w.tenant_id, w.project_id, w.priority, w.created_at, w.work_id limit 1 for no key update skip locked;
      end if;
      if item.work_id is null then
        begin
          set local lock_timeout = '2s';
          select w.* into item from work_item w
            where w.tenant_id = me and (project is null or w.project_id = project) and w.open_blockers = 0
              and (w.state = 'ready' or (w.state = 'in_progress' and w.lease_fence is not null))
              and (w.state = 'ready' and coalesce(w.assignee_passport, holder) = holder or w.lease_expires_at <= clock_timestamp())
              and w.labels @> wanted_labels
            order by w.tenant_id, w.priority, w.created_at, w.work_id limit 1 for no key update;
          set local lock_timeout = 0;
        exception when lock_not_available then
          return;
        end;
      end if;
      if item.work_id is null then
        return;
      elsif item.state = 'ready' then
        return query select * from svc_claim_work(me, item.work_id, holder, asked_by, ttl, new_lease);
      else
        item.state := 'ready';
        return next item;
      end if;
    end $$;
`;
