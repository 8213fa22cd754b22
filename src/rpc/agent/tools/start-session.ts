import { Text } from '../../../common/fields/fields.js';
import type { WorkState } from '../../../modules/coordination/work/work.types.js';
import { fitAnswer, type AgentAnswer, type AnswerItem } from '../agent-answer.js';
import { idOf } from '../agent-ids.rules.js';
import { agentTool } from '../agent-tool.js';
import { tryPart, type LeftOut, type Servers } from '../servers.js';
import { TokenBudget } from '../shared-arguments.js';
import { changeItem, changesOf } from './home-changes.js';

class StartSessionArguments {
  @Text({ about: 'Your name. Leave it out to see who there is.', optional: true, min: 1, max: 120 })
  agent_id?: string;

  @TokenBudget(1500)
  token_budget!: number;
}

export const START_SESSION = agentTool<StartSessionArguments>({
  name: 'start_session',
  title: 'Start a session',
  description:
    'Call first: who you are, what you were doing, what changed, what waits for you. Use the same agent_id in every tool.',
  given: StartSessionArguments,
  routes: [
    'api GET /v1/home/:agentId/session-context',
    'api GET /v1/home',
    'daemon GET /v1/facts/actors',
    'daemon GET /v1/facts',
    'daemon GET /v1/work',
    'api GET /v1/home/:agentId/changes',
    'api GET /v1/shield/approvals',
    'api GET /v1/credits/:agentId',
  ],
  isRead: true,
  isOpenWorld: true,
  run: (given, servers) =>
    given.agent_id === undefined ? listAgents(given, servers) : start(given.agent_id, given, servers),
});

const MAX_ITEMS = 20;

interface Agents {
  agents: { agentId: string; lastActiveAt: string; lastActivity: string }[];
  next_cursor: string | null;
}
interface Actors {
  actors: { actor: string; last_stored_at: string; count: number }[];
  next_cursor: string | null;
}

async function listAgents({ token_budget }: StartSessionArguments, servers: Servers): Promise<AgentAnswer> {
  const leftOut: LeftOut[] = [];
  const [agents, actors] = await Promise.all([
    tryPart(
      'agents',
      leftOut,
      async () => (await servers.call<Agents>('api', 'GET /v1/home', { query: { limit: MAX_ITEMS } })).body,
    ),
    tryPart(
      'writers of facts',
      leftOut,
      async () => (await servers.call<Actors>('daemon', 'GET /v1/facts/actors', { query: { limit: MAX_ITEMS } })).body,
    ),
  ]);
  const seen = new Map(
    (actors?.actors ?? []).map(({ actor, last_stored_at, count }) => [
      actor,
      { at: last_stored_at, did: `${count} facts` },
    ]),
  );
  for (const { agentId, lastActiveAt, lastActivity } of agents?.agents ?? []) {
    const facts = seen.get(agentId);
    seen.set(agentId, {
      at: max(lastActiveAt, facts?.at),
      did: [lastActivity, ...(facts ? [facts.did] : [])].join(', '),
    });
  }
  const isWhole = (agents?.next_cursor ?? null) === null && (actors?.next_cursor ?? null) === null;
  const byTime = [...seen].sort(([, a], [, b]) => b.at.localeCompare(a.at));
  return fitAnswer(
    {
      head: [
        byTime.length === 0
          ? 'Nobody has been here yet. Choose a name, and start_session with it.'
          : 'Who there is, last active first; start_session with your name, or a new one:',
      ],
      items: byTime.map(([agent_id, { at, did }]) => ({
        text: `${agent_id}: ${at.slice(0, 16).replace('T', ' ')}, ${did}`,
        data: { agent_id },
      })),
      itemsAs: 'agents',
      end: () => ({
        lines: [
          ...(isWhole ? [] : ['There are others, who were last active before; start_session with a name finds them']),
          ...linesOf(leftOut),
        ],
      }),
    },
    token_budget,
  );
}

const max = (a: string, b = ''): string => (a > b ? a : b);
const linesOf = (leftOut: LeftOut[]): string[] => leftOut.map(({ what, why }) => `Without ${what}: ${why}`);

/** What an agent should know at first, the most pressing first. */
async function start(agentId: string, { token_budget }: StartSessionArguments, servers: Servers): Promise<AgentAnswer> {
  const leftOut: LeftOut[] = [];
  const parts = await Promise.all(
    PARTS.map(async ({ what, heading, read }) => {
      const items = (await tryPart(what, leftOut, () => read(agentId, token_budget, servers))) ?? [];
      return items.map((item, at) => (at === 0 ? { ...item, text: `## ${heading}\n${item.text}` } : item));
    }),
  );
  const items = parts.flat();
  const isNew = items.length === 0;
  return fitAnswer(
    {
      head: [
        isNew
          ? `You are ${agentId}. Nothing is known of you yet; without agent_id, start_session shows who there is.`
          : `You are ${agentId}.`,
      ],
      items,
      itemsAs: 'items',
      end: () => ({
        lines: linesOf(leftOut),
        data: { agent_id: agentId, ...(leftOut.length > 0 ? { left_out: leftOut.map(({ what }) => what) } : {}) },
      }),
    },
    token_budget,
  );
}

/** What is said of a list that goes on. */
const noteIf = (goesOn: boolean, text: string): AnswerItem[] => (goesOn ? [{ text, data: {} }] : []);

interface Part {
  what: string;
  heading: string;
  read(agentId: string, budget: number, servers: Servers): Promise<AnswerItem[]>;
}

const PARTS: readonly Part[] = [
  { what: 'approvals', heading: 'Approvals that wait', read: approvals },
  { what: 'work', heading: 'Your work', read: work },
  { what: 'changes', heading: 'What changed in the last 7 days', read: changes },
  { what: 'your goals and journal', heading: 'What you noted and did', read: context },
  { what: 'facts', heading: 'Newest facts', read: facts },
  { what: 'credits', heading: 'Credits', read: credits },
];

interface Approvals {
  approvals: { approvalRequestId: string; action: string; status: string; expiresAt: string }[];
  next_cursor: string | null;
}

async function approvals(_: string, __: number, servers: Servers): Promise<AnswerItem[]> {
  const { body } = await servers.call<Approvals>('api', 'GET /v1/shield/approvals', {
    query: { status: 'pending', limit: 10 },
  });
  const items = body.approvals.map(({ approvalRequestId, action, expiresAt }) => ({
    text: `${action} waits for an owner until ${expiresAt.slice(0, 16).replace('T', ' ')} (approval ${approvalRequestId})`,
    data: { approval_request_id: approvalRequestId },
  }));
  return [...items, ...noteIf(body.next_cursor !== null, 'More wait for an owner: the console lists them')];
}

interface Board {
  work: {
    work_id: string;
    title: string;
    state: string;
    lease: { fence: number; expires_at: string; holder_passport: string } | null;
  }[];
  has_more: boolean;
}

/** What is in work first. */
const OPEN_STATES: readonly WorkState[] = ['in_progress', 'in_review', 'blocked', 'ready', 'backlog'];

async function work(agentId: string, _: number, servers: Servers): Promise<AnswerItem[]> {
  if (!/^[A-Za-z0-9._:-]{1,128}$/.test(agentId)) return [];
  // The board is listed by its oldest items: what is done would hide what is not.
  const boards = await Promise.all(
    OPEN_STATES.map(async (state) => {
      const query = { assignee_passport: agentId, state, limit: MAX_ITEMS };
      return (await servers.call<Board>('daemon', 'GET /v1/work', { query })).body;
    }),
  );
  const found = boards.flatMap((board) => board.work);
  const beyond = OPEN_STATES.filter((_state, at) => boards[at]!.has_more);
  const more = [...new Set([...found.slice(MAX_ITEMS).map(({ state }) => state), ...beyond])];
  const note = `There is more of it (${more.join(', ')}): work lists all`;
  return [...found.slice(0, MAX_ITEMS).map(workItem), ...noteIf(more.length > 0, note)];
}

const workItem = ({ work_id, title, state, lease }: Board['work'][number]): AnswerItem => ({
  text: `[${idOf('work', work_id)}] ${title} (${state}${lease ? `, yours until ${lease.expires_at} under fence ${lease.fence}` : ''})`,
  data: { work_id: idOf('work', work_id), ...(lease ? { fence: lease.fence } : {}) },
});

const WEEK_MS = 7 * 86_400_000;

async function changes(agentId: string, _: number, servers: Servers): Promise<AnswerItem[]> {
  const since = new Date(Date.now() - WEEK_MS).toISOString();
  const { changes: found, next_cursor } = await changesOf(agentId, { since, limit: 5 }, servers);
  return [...found.map(changeItem), ...noteIf(next_cursor !== null, 'There are older ones: whats_new lists them')];
}

/** Of the budget, what the agent noted may take. */
const SHARE_OF_CONTEXT = 0.4;
/** Tokens that GET /v1/home/:agentId/session-context takes at most. */
const MAX_OF_CONTEXT = 32_000;

async function context(agentId: string, budget: number, servers: Servers): Promise<AnswerItem[]> {
  const query = { token_budget: Math.min(MAX_OF_CONTEXT, Math.floor(budget * SHARE_OF_CONTEXT)) };
  const { body } = await servers.call<{ text: string }>('api', 'GET /v1/home/:agentId/session-context', {
    params: { agentId },
    query,
  });
  const lines = body.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((text) => ({ text, data: {} }));
}

interface Facts {
  facts: { fact_id: string; entity: string; key: string; value: string; actor: string; source_changed?: true }[];
}

/** Its own before those of others. */
async function facts(agentId: string, _: number, servers: Servers): Promise<AnswerItem[]> {
  const { body } = await servers.call<Facts>('daemon', 'GET /v1/facts', { query: { top_k: MAX_ITEMS } });
  const ordered = [...body.facts].sort((a, b) => Number(b.actor === agentId) - Number(a.actor === agentId));
  return ordered.map(({ fact_id, entity, key, value, actor, source_changed }) => ({
    text: `[${idOf('fact', fact_id)}] ${entity} ${key} = ${value}${actor === agentId ? '' : ` (${actor})`}${source_changed ? ' (its source has CHANGED)' : ''}`,
    data: { id: idOf('fact', fact_id) },
  }));
}

async function credits(agentId: string, _: number, servers: Servers): Promise<AnswerItem[]> {
  const { body } = await servers.call<{ balance: number; escrow: number }>('api', 'GET /v1/credits/:agentId', {
    params: { agentId },
  });
  return [
    {
      text: `${body.balance} credits${body.escrow > 0 ? `, ${body.escrow} more held` : ''}`,
      data: { credits: body.balance },
    },
  ];
}
