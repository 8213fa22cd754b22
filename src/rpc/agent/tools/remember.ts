import { Choice, Flag, Text, TextList } from '../../../common/fields/fields.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { PRIMITIVE_KINDS, type PrimitiveKind } from '../../../modules/continuity/sessions/journal/journal.types.js';
import { AgentAnswer } from '../agent-answer.js';
import { idOf, readId } from '../agent-ids.rules.js';
import { agentTool } from '../agent-tool.js';
import { RouteRefusal, type RouteParts, type Servers } from '../servers.js';
import { AgentId } from '../shared-arguments.js';
import { namingCurrentFact } from './current-fact.js';

const KINDS = ['fact', ...PRIMITIVE_KINDS] as const;

class RememberArguments {
  @Text({ about: 'What it is about, such as user:ada. Of a fact.', optional: true, min: 1, max: 512 })
  entity?: string;

  @Text({ about: 'Which value of it. The same again replaces it.', min: 1, max: 200 })
  key!: string;

  @Text({ about: 'In words.', min: 1, max: 1024 * 1024 })
  value!: string;

  @TextList({ about: 'Ids it was learnt from.', max: 1100, maxItems: 32, default: [] })
  sources!: string[];

  @Text({ about: 'Refuse if this is not the current version.', optional: true, min: 1, max: 100 })
  expected_fact_id?: string;

  @Flag({ about: 'Only you see it.', default: false })
  'private'!: boolean;

  @Choice({ about: 'All but fact are your own, shown when a session starts.', values: KINDS, default: 'fact' })
  as!: 'fact' | PrimitiveKind;

  @AgentId()
  agent_id!: string;
}

interface StoredFact {
  fact_id: string;
  entity: string;
  key: string;
  version: number;
  receipt_id: string | null;
  replaces?: { fact_id: string; value: string; version: number };
}

export const REMEMBER = agentTool<RememberArguments>({
  name: 'remember',
  title: 'Remember',
  description:
    'Keeps a fact under entity and key, or a goal, constraint, preference or skill of yours. Shows what it replaced.',
  given: RememberArguments,
  routes: ['daemon PUT /v1/facts', 'api POST /v1/home/:agentId/primitives', 'api GET /v1/home/:agentId/primitives'],
  isRead: false,
  once: 'held',
  changesApi: ({ as }) => as !== 'fact',
  run: (given, servers) =>
    given.as === 'fact' ? rememberFact(given, servers) : rememberPrimitive(given, given.as, servers),
});

async function rememberFact(given: RememberArguments, servers: Servers): Promise<AgentAnswer> {
  const { entity, key, value, sources, expected_fact_id: expected, agent_id } = given;
  if (entity === undefined) throw invalid('entity', 'is required for a fact: what it is about, such as user:ada');
  const body = {
    ...{ entity, key, value, private: given.private },
    ...(sources.length > 0 ? { sources: sources.map((source) => readId(source).id) } : {}),
    ...(expected === undefined ? {} : { expected_fact_id: readId(expected).id }),
    ...(agent_id === 'default-agent' ? {} : { actor: agent_id }),
  };
  const { body: stored } = await namingCurrentFact(servers.call<StoredFact>('daemon', 'PUT /v1/facts', { body }));
  const { replaces } = stored;
  const id = idOf('fact', stored.fact_id);
  const before = replaces && `It replaces ${idOf('fact', replaces.fact_id)}: ${replaces.value}`;
  return new AgentAnswer([`Remembered as ${id}, version ${stored.version}.`, ...(before ? [before] : [])].join('\n'), {
    ...{ id, version: stored.version },
    ...(stored.receipt_id === null ? {} : { receipt_id: idOf('receipt', stored.receipt_id) }),
    ...(replaces ? { replaced_id: idOf('fact', replaces.fact_id) } : {}),
  });
}

interface Primitive {
  version: number;
  content: { text: string | null };
}

/** The version that it replaces is looked up: between the two, a write of somebody else is refused. */
async function rememberPrimitive(
  { entity, key: name, value, sources, agent_id: agentId, private: isPrivate }: RememberArguments,
  kind: PrimitiveKind,
  servers: Servers,
): Promise<AgentAnswer> {
  if (entity !== undefined) throw invalid('entity', `is of a fact alone: leave it out of a ${kind}`);
  if (isPrivate) throw invalid('private', `is of a fact alone: leave it out of a ${kind}`);
  const query = { kind, name, includeRetired: true };
  const params = { agentId };
  const found = await servers.call<{ primitives: Primitive[] }>('api', 'GET /v1/home/:agentId/primitives', {
    params,
    query,
  });
  const [before] = found.body.primitives;
  const pins = sources.map((source) => pinOf(source));
  const sent = { kind, name, content: { text: value }, expectedVersion: before?.version ?? 0 };
  const body = await write({ params, body: { ...sent, ...(pins.length > 0 ? { pins } : {}) } }, servers);
  const replaced = before ? ` It replaces: ${before.content.text ?? '(data)'}` : '';
  return new AgentAnswer(`Remembered your ${kind} ${name}, version ${body.version}.${replaced}`, {
    ...{ kind, key: name, version: body.version },
  });
}

async function write(parts: RouteParts, servers: Servers): Promise<Primitive> {
  try {
    return (await servers.call<Primitive>('api', 'POST /v1/home/:agentId/primitives', parts)).body;
  } catch (error) {
    if (!(error instanceof RouteRefusal) || error.kind !== 'PrimitiveConflict') throw error;
    const detail = 'somebody else wrote it at the same time; send it again to replace that';
    throw new RouteRefusal(error.server, error.address, error.status, { ...error.problem, detail });
  }
}

function pinOf(source: string): object {
  const { kind, id } = readId(source);
  if (kind === 'passage') return { chunkId: id };
  if (kind === 'answer') return { answerId: id };
  throw invalid(
    'sources',
    `of a goal, constraint, preference or skill are passages (chk_...) and answers (answer:...); ${source} is neither`,
  );
}
