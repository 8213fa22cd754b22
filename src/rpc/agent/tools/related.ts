import { Integer, Text } from '../../../common/fields/fields.js';
import { fitAnswer, type AgentAnswer } from '../agent-answer.js';
import { agentTool } from '../agent-tool.js';
import type { Servers } from '../servers.js';
import { Cursor, placeOf, TokenBudget } from '../shared-arguments.js';
import { nameOf, nodeOf } from './nodes.js';

class RelatedArguments {
  @Text({ about: 'Any id or name.', min: 1, max: 1100 })
  id!: string;

  @Text({ about: 'Only this relation.', optional: true, min: 1, max: 64 })
  relation?: string;

  @Integer({ about: 'How far.', min: 1, max: 3, default: 1 })
  hops!: number;

  @Cursor()
  cursor?: string;

  @TokenBudget(800)
  token_budget!: number;
}

interface Neighbourhood {
  nodes: { kind: string; id: string; hop: number }[];
  edges: { from_kind: string; from_id: string; edge_kind: string; to_kind: string; to_id: string }[];
  truncated: boolean;
}

export const RELATED = agentTool<RelatedArguments>({
  name: 'related',
  title: 'Related',
  description: 'What is linked with a thing, in both directions.',
  given: RelatedArguments,
  routes: ['daemon POST /v1/edges/neighbourhood'],
  isRead: true,
  run: related,
});

const MAX_ITEMS = 200;

async function related(given: RelatedArguments, servers: Servers): Promise<AgentAnswer> {
  const { kind, id } = await nodeOf('id', given.id, servers);
  const edgeKinds = given.relation === undefined ? {} : { edge_kinds: [given.relation] };
  const body = { kind, id, max_hops: given.hops, limit: MAX_ITEMS, ...edgeKinds };
  const { body: found } = await servers.call<Neighbourhood>('daemon', 'POST /v1/edges/neighbourhood', { body });
  return fitAnswer(
    {
      head: [found.edges.length === 0 ? `Nothing is linked with ${given.id}.` : `Linked with ${given.id}:`],
      items: found.edges.map((edge) => {
        const [from, to] = [nameOf(edge.from_kind, edge.from_id), nameOf(edge.to_kind, edge.to_id)];
        return {
          text: `${from} ${edge.edge_kind} ${to}`,
          data: { from_id: from, relation: edge.edge_kind, to_id: to },
        };
      }),
      itemsAs: 'links',
      from: placeOf(given.cursor),
      end: () => ({
        lines: found.truncated ? [`These are the nearest ${MAX_ITEMS}; narrow them by relation or hops`] : [],
      }),
    },
    given.token_budget,
  );
}
