import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { WorkCommentRow } from './work-comment.entity.js';
import { WorkItemRow } from './work-item.entity.js';
import { WorkUnknown } from './work.problems.js';
import { WorkTransitionRow } from './work-transition.entity.js';

/** Items with their history, of the open unit of work's tenant. */
@Injectable()
export class WorkStore {
  readonly items: TenantRepository<WorkItemRow>;
  readonly transitions: TenantRepository<WorkTransitionRow>;
  readonly comments: TenantRepository<WorkCommentRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.items = new TenantRepository(tenancy, WorkItemRow);
    this.transitions = new TenantRepository(tenancy, WorkTransitionRow);
    this.comments = new TenantRepository(tenancy, WorkCommentRow);
  }

  /** @throws WorkUnknown */
  async read(workId: string): Promise<WorkItemRow> {
    return (await this.items.find({ workId })) ?? unknown(workId);
  }

  /** Nobody else changes it until the unit of work ends. @throws WorkUnknown */
  async lock(workId: string): Promise<WorkItemRow> {
    return (await this.items.find({ workId }, 'no key update')) ?? unknown(workId);
  }

  /**
   * Before the first item is locked by whoever changes what blocks what: a blocker, or the end of an item that may be
   * one. Such changes touch several items and would wait for each other.
   */
  async lockBlockers(): Promise<void> {
    await this.tenancy.lock('work blockers');
  }

  /** The items that wait for this one have one open blocker more, or less. */
  async countBlocker(blockerId: string, by: 1 | -1): Promise<void> {
    await this.tenancy.query(
      `update work_item i set open_blockers = i.open_blockers + $3 from work_blocker b
       where b.tenant_id = $1 and b.blocker_id = $2 and i.tenant_id = b.tenant_id and i.work_id = b.work_id`,
      [this.tenancy.tenant, blockerId, by],
    );
  }

  /**
   * Whether one of these credentials has moved the item in one of these names; where a gate let it through, the name is
   * not the credential's.
   */
  async hasMovedAs(workId: string, passports: readonly string[], credentials: readonly string[]): Promise<boolean> {
    if (passports.length === 0 || credentials.length === 0) return false;
    const [found] = await this.tenancy.query<{ hasMoved: boolean }>(
      `select exists (select from work_transition where tenant_id = $1 and work_id = $2 and action_id is null
         and passport = any($3) and (principal = any($4) or subject = any($4))) as "hasMoved"`,
      [this.tenancy.tenant, workId, passports, credentials],
    );
    return found!.hasMoved;
  }
}

function unknown(workId: string): never {
  throw new WorkUnknown(
    { work_id: workId.slice(0, 200) },
    'No item of the tenant has this id; GET /v1/work lists them',
  );
}
