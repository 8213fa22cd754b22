import { tool } from '../../../common/contract/tool-declaration.js';
import { DecideGateBy, GatePath, GateResolution, PendingGates, PendingGatesQuery } from './gates/gates.dto.js';
import { CreateComment, WorkComment } from './work-records.dto.js';
import { ChangeWork, WorkChangeReply, WorkList, WorkPath, WorkQuery } from './work.dto.js';

const names = { id: 'work_id' };

export const WORK_TOOLS = [
  tool('list_work', {
    title: 'List work',
    description:
      'Lists the items of the work board, urgent and old ones first; with ready=true those that can be begun at once. Filter by project, state, assignee, label or orchestrator. Each item shows what blocks it, who holds it until when, and its version; approvals has what waits for a decision.',
    route: 'GET /v1/work',
    query: WorkQuery,
    answer: WorkList,
    isRead: true,
  }),
  tool('update_work', {
    title: 'Change a work item',
    description:
      'Changes members of a work item, its state among them. A state that does not follow from the present one is refused, naming those that do. Where a change needs the approval of somebody else it is queued and the rest is applied: the item has it once another passport approves (decide_gate). base_version refuses a change of what somebody changed meanwhile.',
    route: 'PATCH /v1/work/:id',
    path: WorkPath,
    body: ChangeWork,
    answer: WorkChangeReply,
    isRead: false,
    fenced: true,
    names,
  }),
  tool('comment_work', {
    title: 'Comment on a work item',
    description:
      'Says something about a work item, for whoever looks at it next: what was tried, what was found, what is needed. Comments stay; GET /v1/work/{id}/comments lists them.',
    route: 'POST /v1/work/:id/comments',
    path: WorkPath,
    body: CreateComment,
    answer: WorkComment,
    isRead: false,
    fenced: true,
    names,
  }),
  tool('list_pending_gates', {
    title: 'List pending gates',
    description:
      'Lists the changes of work items that wait for an approval, oldest first: what the item has, what it is to have, who asked and why, who may decide, and when it lapses.',
    route: 'GET /v1/work/gate/pending',
    query: PendingGatesQuery,
    answer: PendingGates,
    isRead: true,
  }),
  tool('decide_gate', {
    title: 'Decide on a pending gate',
    description:
      'Approves or rejects a change of a work item that another passport asked for; never one of your own. An approved change takes place at once. It is refused where somebody decided already, where the item has changed since, and after seven days.',
    route: 'POST /v1/work/gate/:actionId/decide',
    path: GatePath,
    body: DecideGateBy,
    answer: GateResolution,
    isRead: false,
    isDestructive: true,
  }),
];
