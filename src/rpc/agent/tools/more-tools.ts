import { FreeObject, Text } from '../../../common/fields/fields.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { TOOL_SETS, type AnyToolName } from '../../../common/contract/tool-sets.js';
import { AgentAnswer, fitAnswer, type AnswerItem } from '../agent-answer.js';
import { agentTool } from '../agent-tool.js';
import type { ListedTool, Servers } from '../servers.js';
import { TokenBudget } from '../shared-arguments.js';

class MoreToolsArguments {
  @Text({ about: 'List the tools of this set.', optional: true, min: 1, max: 40 })
  set?: string;

  @Text({ about: 'Call this one.', optional: true, min: 1, max: 64 })
  tool?: string;

  @FreeObject({ about: 'Its arguments.', optional: true })
  arguments?: Record<string, unknown>;

  @TokenBudget(1500)
  token_budget!: number;
}

export const MORE_TOOLS = agentTool<MoreToolsArguments>({
  name: 'more_tools',
  title: 'More tools',
  description: 'Lists further tools by set, and calls one by its name. Without arguments, lists the sets.',
  given: MoreToolsArguments,
  // Each tool that it calls is decided on as itself.
  routes: ['api GET /capabilities'],
  isRead: false,
  once: 'called',
  isOpenWorld: true,
  run: moreTools,
});

/** Sets that only put others together. */
const WHOLE = new Set(['default', 'all', 'api', 'daemon']);

async function moreTools(given: MoreToolsArguments, servers: Servers): Promise<AgentAnswer> {
  const { set, tool, token_budget } = given;
  if (tool !== undefined) return call(tool, given, servers);
  if (set === undefined) return fitAnswer({ head: ['Sets of tools:'], items: setsOf(), itemsAs: 'sets' }, token_budget);
  const tools = await servers.tools.list(set);
  return fitAnswer(
    { head: [`Tools of ${set}; call one by more_tools(tool, arguments):`], items: tools.map(itemOf), itemsAs: 'tools' },
    token_budget,
  );
}

async function call(tool: string, given: MoreToolsArguments, servers: Servers): Promise<AgentAnswer> {
  if (tool === 'more_tools') throw invalid('tool', 'must be another tool than more_tools');
  const { text, isReplayed } = await servers.tools.call(tool, given.arguments ?? {}, servers.idempotencyKey);
  return fitAnswer(
    {
      ...{ head: [], items: [{ text, data: { tool } }], itemsAs: 'called' },
      end: () => (isReplayed ? { data: { repeated: true } } : {}),
    },
    given.token_budget,
  );
}

const setsOf = (): AnswerItem[] =>
  Object.entries(TOOL_SETS)
    .filter(([set]) => !WHOLE.has(set))
    .map(([set, names]: [string, readonly AnyToolName[]]) => ({
      text: `${set}: ${names.join(', ')}`,
      data: { set, tools: names.length },
    }));

function itemOf({ name, description, inputSchema }: ListedTool): AnswerItem {
  const required = new Set(inputSchema.required ?? []);
  const names = Object.keys(inputSchema.properties).filter((one) => !NOT_SHOWN.has(one));
  const args = names.map((one) => (required.has(one) ? one : `${one}?`)).join(', ');
  return { text: `${name}(${args}): ${firstSentence(description)}`, data: { tool: name } };
}

const NOT_SHOWN = new Set(['shield_approval_token', 'tenant_id']);

const firstSentence = (text: string): string => /^.*?[.:;](?=\s|$)/s.exec(text)?.[0] ?? text;
