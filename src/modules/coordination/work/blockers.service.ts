import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { FenceCheckService } from '../leases/fence-check.service.js';
import { findPath } from './blockers.rules.js';
import { BlockersStore } from './blockers.store.js';
import { isEnded } from './moves.rules.js';
import type { BlockerPath, BlockerReply, WorkBlocker, WorkBlockers } from './work-records.dto.js';
import type { WorkItemRow } from './work-item.entity.js';
import { WorkMovesService } from './work-moves.service.js';
import { BlockerCycle } from './work.problems.js';
import { checkChangeable } from './plans/changeable.js';
import { WorkService } from './work.service.js';
import { WorkStore } from './work.store.js';
import { workOf } from './work.views.js';

/** Blockers of one item. */
const MAX_BLOCKERS = 100;

/** What has to end before what. The changes of a tenant stand in line, so that no two of them make a circle. */
@Injectable()
export class BlockersService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: WorkStore,
    private readonly blockers: BlockersStore,
    private readonly moves: WorkMovesService,
    private readonly fences: FenceCheckService,
    private readonly work: WorkService,
  ) {}

  /** None of work of a plan file. @throws WorkUnknown */
  async list(caller: DaemonCaller, workId: string): Promise<WorkBlockers> {
    if (await this.work.isPlanned(caller, workId)) return { blockers: [], work_id: workId };
    return this.tenants.run(caller, undefined, async () => {
      await this.store.read(workId);
      return this.show(workId);
    });
  }

  /** Added again it stays as it is. @throws WorkUnknown, BlockerCycle, FenceStale, ValidationFailed */
  add(caller: DaemonCaller, path: BlockerPath, fence?: number): Promise<BlockerReply> {
    const { id: workId, other: blockerId } = path;
    if (workId === blockerId) throw invalid('path.other', 'is the item itself; name another one');
    return this.write(caller, path, fence, async (row) => {
      const blocker = await this.store.lock(blockerId);
      if (await this.blockers.rows.has({ workId, blockerId })) return row;
      if ((await this.blockers.rows.count({ workId })) >= MAX_BLOCKERS)
        throw invalid('path.id', `has ${MAX_BLOCKERS} blockers, and cannot have more; gather some of them in one item`);
      if (await this.blockers.waits(blockerId, workId))
        throw cycle(path, findPath(await this.blockers.listEdges(blockerId), blockerId, workId));
      await this.blockers.rows.insert({ workId, blockerId, addedBy: caller.principal });
      return this.count(caller, row, blocker, 1);
    });
  }

  /** One that is none is none afterwards, too. @throws WorkUnknown, FenceStale, ValidationFailed */
  remove(caller: DaemonCaller, path: BlockerPath, fence?: number): Promise<BlockerReply> {
    const { id: workId, other: blockerId } = path;
    return this.write(caller, path, fence, async (row) => {
      const blocker = await this.store.lock(blockerId);
      if ((await this.blockers.rows.delete({ workId, blockerId })) === 0) return row;
      return this.count(caller, row, blocker, -1);
    });
  }

  private write(
    caller: DaemonCaller,
    { id, other }: BlockerPath,
    fence: number | undefined,
    work: (row: WorkItemRow) => Promise<WorkItemRow>,
  ): Promise<BlockerReply> {
    checkChangeable(id);
    checkChangeable(other);
    return this.tenants.write(caller, undefined, async () => {
      await this.store.lockBlockers();
      const row = await this.moves.lock(id);
      await this.fences.check(fence, { kind: 'work', subject: id });
      const changed = await work(row);
      return { ...(await this.show(id)), work: workOf(changed), changed: changed.version !== row.version };
    });
  }

  private count(caller: DaemonCaller, row: WorkItemRow, blocker: WorkItemRow, by: 1 | -1): Promise<WorkItemRow> {
    const openBlockers = row.openBlockers + (isEnded(blocker.state) ? 0 : by);
    const passport = caller.passport ?? caller.principal;
    const facts = { [by === 1 ? 'blockerAdded' : 'blockerRemoved']: blocker.workId };
    return this.moves.change(caller, row, { values: { openBlockers }, passport, facts });
  }

  private async show(workId: string): Promise<WorkBlockers> {
    const rows = await this.blockers.list(workId);
    return { blockers: rows.map(blockerOf), work_id: workId };
  }
}

const blockerOf = ({ work_id, title, state, added_by, added_at }: BlockerRow): WorkBlocker => ({
  ...{ work_id, title, state, added_by },
  open: !isEnded(state),
  added_at: added_at.toISOString(),
});
type BlockerRow = Awaited<ReturnType<BlockersStore['list']>>[number];

const cycle = ({ id, other }: BlockerPath, path: string[]): BlockerCycle =>
  new BlockerCycle(
    { work_id: id, blocker_id: other, path: [id, ...path] },
    'The other item waits for this one already',
  );
