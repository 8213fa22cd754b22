import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { WorkItemRow } from './work-item.entity.js';
import type { BlockKind, WorkState } from './work.types.js';

/** What a list shows; a filter that is undefined does not filter. */
export interface WorkFilter {
  projectId: string | undefined;
  state: WorkState | undefined;
  assigneePassport: string | undefined;
  orchestrator: string | undefined;
  ready: boolean | undefined;
  priority: number | undefined;
  label: string | undefined;
  blockerKind?: BlockKind;
}

/** The place of an item on the board: priority, creation in microseconds, id. */
export type BoardKey = [number, number, string];

const OVER = `coalesce(item.state = 'in_progress' and item.lease_expires_at <= clock_timestamp(), false)`;
const IS_READY = `((item.state = 'ready' or ${OVER}) and item.open_blockers = 0)`;

/** The refs of a kind of an orchestrator and of all below it; found once, whatever the number of items. */
const refsOf = (memberType: 'work' | 'passport'): string => `(
  with recursive below (orchestrator_id) as (
    select cast(:orchestrator as text) collate "C"
    union
    select m.ref from below b join orchestrator_member m
      on m.tenant_id = ${TENANT} and m.orchestrator_id = b.orchestrator_id and m.member_type = 'orchestrator')
  select m.ref from below b join orchestrator_member m
    on m.tenant_id = ${TENANT} and m.orchestrator_id = b.orchestrator_id and m.member_type = '${memberType}')`;
const TENANT = `nullif(current_setting('svc.tenant_id', true), '')`;

/** Items that it names, and those of passports that it names. */
const behind = (): string => `(item.work_id in ${refsOf('work')} or item.assignee_passport in ${refsOf('passport')})`;

/** The board, in its order: urgent items first, older ones first among them. */
@Injectable()
export class WorkListStore {
  private readonly items: TenantRepository<WorkItemRow>;

  constructor(tenancy: Tenancy) {
    this.items = new TenantRepository(tenancy, WorkItemRow);
  }

  list(filter: WorkFilter, after: BoardKey | undefined, take: number): Promise<WorkItemRow[]> {
    const { projectId, assigneePassport, priority, state, ready, label, orchestrator, blockerKind } = filter;
    const order = { priority: 'asc', createdAt: 'asc', workId: 'asc' } as const;
    const options = { order, take, after };
    const query = this.items.select('item', { projectId, assigneePassport, priority, blockerKind }, options);
    if (state !== undefined) narrowByState(query, state);
    if (ready !== undefined) query.andWhere(ready ? IS_READY : `not ${IS_READY}`);
    if (label !== undefined) query.andWhere('item.labels @> array[cast(:label as text)]', { label });
    if (orchestrator !== undefined) query.andWhere(behind(), { orchestrator });
    return query.getMany();
  }
}

function narrowByState(query: SelectQueryBuilder<WorkItemRow>, state: WorkState): void {
  if (state === 'ready') query.andWhere(`(item.state = 'ready' or ${OVER})`);
  else query.andWhere('item.state = :state', { state });
  if (state === 'in_progress') query.andWhere(`not (${OVER})`);
}
