import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { GatesStore } from './gates/gates.store.js';
import { gateOf } from './gates/gates.views.js';
import { PlansService, type PlannedItem } from './plans/plans.service.js';
import type { WorkItemRow } from './work-item.entity.js';
import { WorkListStore, type BoardKey, type WorkFilter } from './work-list.store.js';
import type { WorkItem } from './work-item.dto.js';
import type { WorkList, WorkQuery } from './work.dto.js';
import { excerptOf, workOf } from './work.views.js';

/** Where a page begins: on the board, or among the plans behind it. */
interface Position {
  board: BoardKey | undefined;
  plans: { path: string; place: number } | undefined;
}

type Entry = { row: WorkItemRow } | { planned: PlannedItem };

const BOARD = 'board';
const PLANS = 'plans';

/** The board and what plan files say, page by page. */
@Injectable()
export class WorkListService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: WorkListStore,
    private readonly gates: GatesStore,
    private readonly plans: PlansService,
  ) {}

  async list(caller: DaemonCaller, query: WorkQuery): Promise<WorkList> {
    const { source, limit } = query;
    const from = positionOf(query.cursor);
    const filter = filterOf(query);
    const tenantId = await this.tenants.enter(caller, query.tenant_id);
    const plans = source === 'kanban' ? undefined : await this.plans.list(tenantId);
    return this.tenants.run(caller, query.tenant_id, async () => {
      const rows = source === 'plans' || from.plans ? [] : await this.store.list(filter, from.board, limit + 1);
      const planned = plans ? plans.items.filter((one) => isAfter(one, from) && fits(one.item, filter)) : [];
      const entries: Entry[] = [...rows.map((row) => ({ row })), ...planned.map((one) => ({ planned: one }))];
      const { page, has_more, next_cursor } = takePage(entries.slice(0, limit + 1), limit, keyOf);
      const ids = page.flatMap((entry) => ('row' in entry ? [entry.row.workId] : []));
      return {
        work: page.map((entry) => excerptOf('row' in entry ? workOf(entry.row) : entry.planned.item)),
        count: page.length,
        source,
        approvals: (await this.gates.listOpenOf(ids)).map(gateOf),
        warnings: plans?.warnings ?? [],
        has_more,
        next_cursor,
      };
    });
  }
}

const keyOf = (entry: Entry): (string | number)[] =>
  'row' in entry
    ? [BOARD, entry.row.priority, entry.row.createdUs, entry.row.workId]
    : [PLANS, entry.planned.place, 0, entry.planned.path];

/** @throws ValidationFailed for what is no cursor of this list */
function positionOf(cursor: string | undefined): Position {
  const key = decodeCursor(cursor, ['text', 'integer', 'integer', 'text']);
  if (!key) return { board: undefined, plans: undefined };
  const [kind, first, second, name] = key;
  if (kind === BOARD) return { board: [first, second, name], plans: undefined };
  if (kind === PLANS) return { board: undefined, plans: { path: name, place: first } };
  throw invalid('query.cursor', 'is not a cursor of this list; leave it out to start at the first page');
}

const isAfter = ({ path, place }: PlannedItem, { plans }: Position): boolean =>
  !plans || path > plans.path || (path === plans.path && place > plans.place);

const filterOf = (query: WorkQuery): WorkFilter => ({
  projectId: query.project_id,
  state: query.state,
  assigneePassport: query.assignee_passport,
  orchestrator: query.orchestrator,
  ready: query.ready,
  priority: query.priority,
  label: query.label,
});

/** Work of plan files belongs to nobody, and to no orchestrator. */
function fits(item: WorkItem, filter: WorkFilter): boolean {
  const { projectId, state, assigneePassport, orchestrator, ready, priority, label } = filter;
  return (
    (projectId === undefined || item.project_id === projectId) &&
    (state === undefined || item.state === state) &&
    (ready === undefined || item.ready === ready) &&
    (priority === undefined || item.priority === priority) &&
    (label === undefined || item.labels.includes(label)) &&
    assigneePassport === undefined &&
    orchestrator === undefined
  );
}
