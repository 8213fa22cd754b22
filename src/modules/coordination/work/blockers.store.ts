import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { WorkBlockerRow } from './work-blocker.entity.js';
import type { WorkState } from './work.types.js';

/** One blocker with the item that it is. */
export interface BlockerWithItem {
  work_id: string;
  title: string;
  state: WorkState;
  added_by: string;
  added_at: Date;
}

/** What blocks what. */
@Injectable()
export class BlockersStore {
  readonly rows: TenantRepository<WorkBlockerRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.rows = new TenantRepository(tenancy, WorkBlockerRow);
  }

  /** In the order in which they were added. */
  list(workId: string): Promise<BlockerWithItem[]> {
    return this.tenancy.query<BlockerWithItem>(
      `select i.work_id, i.title, i.state, b.added_by, b.added_at from work_blocker b
       join work_item i on i.tenant_id = b.tenant_id and i.work_id = b.blocker_id
       where b.tenant_id = $1 and b.work_id = $2 order by b.added_at, b.blocker_id`,
      [this.tenancy.tenant, workId],
    );
  }

  /** Whether one item waits for another, however many are between them. */
  async waits(workId: string, blockerId: string): Promise<boolean> {
    const [row] = await this.tenancy.query<{ waits: boolean }>(
      `${WAITED_FOR} select exists (select from waited_for where work_id = $3) as waits`,
      [this.tenancy.tenant, workId, blockerId],
    );
    return row!.waits;
  }

  /** What waits for what, of all that an item waits for. */
  listEdges(workId: string): Promise<{ work_id: string; blocker_id: string }[]> {
    return this.tenancy.query(
      `${WAITED_FOR} select b.work_id, b.blocker_id from waited_for w
       join work_blocker b on b.tenant_id = $1 and b.work_id = w.work_id order by b.work_id, b.blocker_id limit ${MAX_EDGES}`,
      [this.tenancy.tenant, workId],
    );
  }
}

/** Looked at to say how items wait for each other; that they do is found whatever their number. */
const MAX_EDGES = 10_000;

const WAITED_FOR = `with recursive waited_for (work_id) as (
  select $2::text collate "C"
  union
  select b.blocker_id from waited_for w join work_blocker b on b.tenant_id = $1 and b.work_id = w.work_id)`;
