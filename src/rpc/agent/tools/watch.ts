import { Flag, Text } from '../../../common/fields/fields.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { AgentAnswer, fitAnswer } from '../agent-answer.js';
import { idOf, readId } from '../agent-ids.rules.js';
import { agentTool } from '../agent-tool.js';
import type { Servers } from '../servers.js';
import { AgentId, TokenBudget } from '../shared-arguments.js';

class WatchArguments {
  @Text({ about: 'Of an answer, document or passage.', optional: true, min: 1, max: 1100 })
  id?: string;

  @Text({ about: 'Or a question: alerts you to new passages that answer it.', optional: true, min: 2, max: 20_000 })
  query?: string;

  @Text({ about: 'Why; comes with each alert.', optional: true, min: 1, max: 2000 })
  note?: string;

  @Flag({ about: 'End the watch; id is watch:...', default: false })
  stop!: boolean;

  @AgentId()
  agent_id!: string;

  @TokenBudget(600)
  token_budget!: number;
}

interface Watch {
  watchId: string;
  targetType: string;
  targetId: string;
  query: { query: string } | null;
  note: string | null;
  alertCount: number;
}

export const WATCH = agentTool<WatchArguments>({
  name: 'watch',
  title: 'Watch',
  description: 'Watches a thing or a question; whats_new has the alerts. Without id and query, lists your watches.',
  given: WatchArguments,
  routes: ['api POST /v1/watches', 'api GET /v1/watches', 'api DELETE /v1/watches/:id'],
  isRead: false,
  once: 'api',
  changesApi: ({ id, query, stop }) => stop || id !== undefined || query !== undefined,
  run: watch,
});

async function watch(given: WatchArguments, servers: Servers): Promise<AgentAnswer> {
  const { id, query, note, stop, agent_id: agentId } = given;
  if (stop) return stopWatch(given, servers);
  if (id === undefined && query === undefined) return list(given, servers);
  if (id !== undefined && query !== undefined)
    throw invalid('query', 'and id are two things to watch; send one of them');
  const target = query === undefined ? targetOf(id!) : { targetType: 'query', query: { query } };
  const { body } = await servers.call<Watch>('api', 'POST /v1/watches', { body: { agentId, note, ...target } });
  return new AgentAnswer(`${lineOf(body)} is watched.`, { watch_id: idOf('watch', body.watchId) });
}

async function stopWatch({ id }: WatchArguments, servers: Servers): Promise<AgentAnswer> {
  const read = id === undefined ? undefined : readId(id);
  if (!read || (read.kind !== 'watch' && read.kind !== undefined))
    throw invalid('id', 'must be that of the watch to end: watch:...');
  await servers.call('api', 'DELETE /v1/watches/:id', { params: { id: read.id } });
  return new AgentAnswer(`${idOf('watch', read.id)} has ended.`, { watch_id: idOf('watch', read.id), active: false });
}

/** Of one page. */
const MAX_WATCHES = 100;

async function list({ agent_id: agentId, token_budget }: WatchArguments, servers: Servers): Promise<AgentAnswer> {
  const { body } = await servers.call<{ watches: Watch[]; next_cursor: string | null }>('api', 'GET /v1/watches', {
    query: { agentId, limit: MAX_WATCHES },
  });
  return fitAnswer(
    {
      head: [body.watches.length === 0 ? `${agentId} watches nothing.` : `${agentId} watches:`],
      items: body.watches.map((one) => ({
        text: lineOf(one),
        data: { watch_id: idOf('watch', one.watchId), alerts: one.alertCount },
      })),
      itemsAs: 'watches',
      end: () => ({
        lines: body.next_cursor === null ? [] : [`These are the first ${MAX_WATCHES}; get_watches lists all`],
      }),
    },
    token_budget,
  );
}

function targetOf(text: string): object {
  const { kind, id } = readId(text);
  if (kind === 'answer' || kind === 'document') return { targetType: kind, targetId: id };
  if (kind === 'passage' || kind === undefined) return { targetType: 'artifact', targetId: id };
  throw invalid('id', `of a ${kind} cannot be watched: answers, documents and passages can`);
}

const lineOf = ({ watchId, query, targetId, note, alertCount }: Watch): string =>
  `[${idOf('watch', watchId)}] ${query?.query ?? targetId}${note === null ? '' : ` (${note})`}, ${alertCount} alerts`;
