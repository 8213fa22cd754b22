import { DateTime, Text } from '../../../common/fields/fields.js';
import { fitAnswer, type AgentAnswer } from '../agent-answer.js';
import { agentTool } from '../agent-tool.js';
import type { Servers } from '../servers.js';
import { AgentId, TokenBudget } from '../shared-arguments.js';
import { changeItem, changesOf } from './home-changes.js';

class WhatsNewArguments {
  @AgentId()
  agent_id!: string;

  @DateTime({ about: 'From this time on.', optional: true })
  since?: string;

  @Text({ about: 'The next page.', optional: true, min: 1, max: 2048 })
  cursor?: string;

  @TokenBudget(1200)
  token_budget!: number;
}

export const WHATS_NEW = agentTool<WhatsNewArguments>({
  name: 'whats_new',
  title: "What's new",
  description: 'What changed of all you watch, with old and new text, and proofs that ended; newest first.',
  given: WhatsNewArguments,
  routes: ['api GET /v1/home/:agentId/changes'],
  isRead: true,
  isOpenWorld: true,
  run: whatsNew,
});

const PAGE = 20;

async function whatsNew(
  { agent_id, since, cursor, token_budget }: WhatsNewArguments,
  servers: Servers,
): Promise<AgentAnswer> {
  const { changes, next_cursor: next } = await changesOf(agent_id, { since, cursor, limit: PAGE }, servers);
  return fitAnswer(
    {
      head: [
        changes.length === 0
          ? `Nothing changed for ${agent_id}${since === undefined ? '' : ` since ${since}`}.`
          : `New for ${agent_id}:`,
      ],
      items: changes.map(changeItem),
      itemsAs: 'changes',
      end: (shown) => (shown < changes.length ? {} : endOf(next)),
    },
    token_budget,
  );
}

/** The cursor follows the whole page: of one that did not fit, the rest comes with a larger budget. */
const endOf = (next: string | null) =>
  next === null ? {} : { lines: ['There are older ones: call again with cursor'], data: { cursor: next } };
