import { Choice, Integer, Text } from '../../../common/fields/fields.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { WORK_STATES, type WorkState } from '../../../modules/coordination/work/work.types.js';
import { AgentAnswer, fitAnswer, type AnswerItem } from '../agent-answer.js';
import { idOf, readId } from '../agent-ids.rules.js';
import { agentTool } from '../agent-tool.js';
import type { Servers } from '../servers.js';
import { AgentId, Cursor, placeOf, TokenBudget } from '../shared-arguments.js';

const ACTIONS = ['list', 'claim', 'update', 'release', 'comment', 'create'] as const;

class WorkArguments {
  @Choice({ about: 'claim without work_id takes the most urgent item that is ready.', values: ACTIONS })
  action!: (typeof ACTIONS)[number];

  @Text({ about: 'Which item.', optional: true, min: 1, max: 210 })
  work_id?: string;

  @Choice({ about: 'list: only these; update: its new state.', values: WORK_STATES, optional: true })
  state?: WorkState;

  @Text({ about: 'Title, comment or reason.', optional: true, min: 1, max: 10_000 })
  text?: string;

  @Text({ about: 'Project.', optional: true, min: 1, max: 120 })
  project?: string;

  @Integer({ about: 'As claim answered.', optional: true, min: 1, max: Number.MAX_SAFE_INTEGER })
  fence?: number;

  @AgentId()
  agent_id!: string;

  @Cursor()
  cursor?: string;

  @TokenBudget(1000)
  token_budget!: number;
}

interface Item {
  work_id: string;
  project_id: string;
  title: string;
  body: string;
  state: WorkState;
  assignee_passport: string | null;
  blocker_reason: string | null;
  open_blockers: number;
  priority: number;
  lease: { fence: number; holder_passport: string; expires_at: string } | null;
}

export const WORK = agentTool<WorkArguments>({
  name: 'work',
  title: 'Work board',
  description:
    'The work board that agents share. Claimed work is yours until its lease ends; send its fence with update and release.',
  given: WorkArguments,
  routes: [
    'daemon PATCH /v1/work/:id',
    'daemon GET /v1/work',
    'daemon POST /v1/work',
    'daemon POST /v1/work/claim-next',
    'daemon POST /v1/work/:id/claim',
    'daemon POST /v1/work/:id/release',
    'daemon POST /v1/work/:id/comments',
  ],
  isRead: false,
  once: 'held',
  run: (given, servers) => RUN[given.action](given, servers),
});

type Run = (given: WorkArguments, servers: Servers) => Promise<AgentAnswer>;

const RUN: Record<(typeof ACTIONS)[number], Run> = { list, claim, update, release, comment, create };

async function list({ state, project, cursor, token_budget }: WorkArguments, servers: Servers): Promise<AgentAnswer> {
  const query = { state, project_id: project, limit: 200 };
  const { body } = await servers.call<{ work: Item[]; has_more: boolean }>('daemon', 'GET /v1/work', { query });
  const { work, has_more: hasMore } = body;
  return fitAnswer(
    {
      head: work.length === 0 ? ['There is no such work.'] : ['Urgent ones first:'],
      items: work.map(itemOf),
      itemsAs: 'work',
      from: placeOf(cursor),
      end: () => ({ lines: hasMore ? [`These are the first ${work.length}; narrow them by state or project`] : [] }),
    },
    token_budget,
  );
}

async function claim(
  { work_id, project, agent_id: by_passport }: WorkArguments,
  servers: Servers,
): Promise<AgentAnswer> {
  const reply = await (work_id === undefined
    ? servers.call<Claimed>('daemon', 'POST /v1/work/claim-next', { body: { by_passport, project_id: project } })
    : servers.call<Claimed>('daemon', 'POST /v1/work/:id/claim', {
        params: { id: readId(work_id).id },
        body: { by_passport },
      }));
  const { work, lease } = reply.body;
  if (!work || !lease) return new AgentAnswer('Nothing is ready to be claimed.', { work_id: null });
  const { text } = itemOf(work);
  const held = `You hold it until ${lease.expires_at} under fence ${lease.fence}; send that with update and release.`;
  return new AgentAnswer([text, work.body, held].filter((line) => line !== '').join('\n'), {
    ...{ work_id: idOf('work', work.work_id), fence: lease.fence, expires_at: lease.expires_at },
  });
}

interface Claimed {
  work: Item | null;
  lease: { fence: number; expires_at: string } | null;
}

async function update(given: WorkArguments, servers: Servers): Promise<AgentAnswer> {
  const { state, text, agent_id: by_passport } = given;
  const parts = partsOf(given);
  if (state === undefined) throw invalid('state', `is required to update: one of ${WORK_STATES.join(', ')}`);
  const why =
    text === undefined
      ? {}
      : state === 'blocked'
        ? { blocker_reason: text, blocker_kind: 'needs_info' }
        : { why: text };
  const { body } = await servers.call<{ work: Item; queued: { action_id: string; to: string }[] }>(
    'daemon',
    'PATCH /v1/work/:id',
    {
      ...parts,
      body: { by_passport, state, ...why },
    },
  );
  const queued = body.queued.map(({ to }) => `The change to ${to} waits for the approval of another passport.`);
  return new AgentAnswer([itemOf(body.work).text, ...queued].join('\n'), {
    ...{ work_id: idOf('work', body.work.work_id), state: body.work.state },
    ...(queued.length > 0 ? { queued: body.queued } : {}),
  });
}

async function release(given: WorkArguments, servers: Servers): Promise<AgentAnswer> {
  const { text: reason, agent_id: by_passport, fence } = given;
  const { params } = partsOf(given);
  const { body } = await servers.call<{ work: Item }>('daemon', 'POST /v1/work/:id/release', {
    params,
    body: { by_passport, fence, reason },
  });
  return new AgentAnswer(`Given back: ${itemOf(body.work).text}`, {
    work_id: idOf('work', body.work.work_id),
    state: body.work.state,
  });
}

async function comment(given: WorkArguments, servers: Servers): Promise<AgentAnswer> {
  const { text: body, agent_id: author_passport } = given;
  if (body === undefined) throw invalid('text', 'is required to comment');
  const parts = partsOf(given);
  await servers.call('daemon', 'POST /v1/work/:id/comments', { ...parts, body: { body, author_passport } });
  return new AgentAnswer(`Commented on work:${parts.params.id}.`, { work_id: idOf('work', parts.params.id) });
}

async function create({ text: title, project, agent_id }: WorkArguments, servers: Servers): Promise<AgentAnswer> {
  if (title === undefined) throw invalid('text', 'is required to create: what is to be done, in a line');
  const { body } = await servers.call<Item>('daemon', 'POST /v1/work', {
    body: { title, project_id: project ?? 'default', created_by_passport: agent_id, state: 'ready' },
  });
  return new AgentAnswer(`Created ${itemOf(body).text}`, { work_id: idOf('work', body.work_id) });
}

function partsOf({ work_id, fence }: WorkArguments): { params: { id: string }; headers: Record<string, string> } {
  if (work_id === undefined) throw invalid('work_id', 'is required: which item');
  return { params: { id: readId(work_id).id }, headers: fence === undefined ? {} : { 'x-svc-fence': String(fence) } };
}

function itemOf({
  work_id,
  project_id,
  title,
  state,
  priority,
  lease,
  blocker_reason,
  open_blockers,
}: Item): AnswerItem {
  const held = lease ? `, held by ${lease.holder_passport} until ${lease.expires_at}` : '';
  const blocked = open_blockers > 0 ? `, ${open_blockers} open blockers` : '';
  const reason = blocker_reason === null ? '' : `: ${blocker_reason}`;
  return {
    text: `[${idOf('work', work_id)}] ${title} (${project_id}, ${state}${reason}, priority ${priority}${held}${blocked})`,
    data: { work_id: idOf('work', work_id), state },
  };
}
