import { Text } from '../../../common/fields/fields.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { AgentAnswer } from '../agent-answer.js';
import { agentTool } from '../agent-tool.js';
import { RouteRefusal, type Servers } from '../servers.js';
import { nodeOf, type Node } from './nodes.js';

class LinkArguments {
  @Text({ about: 'Any id, or a name such as person:ada.', min: 1, max: 1100 })
  from_id!: string;

  @Text({ about: 'Such as supports, contradicts, part_of.', min: 1, max: 64 })
  relation!: string;

  @Text({ about: 'Any id or name.', min: 1, max: 1100 })
  to_id!: string;
}

export const LINK = agentTool<LinkArguments>({
  name: 'link',
  title: 'Link',
  description: 'Connects any two things by a relation; related finds it.',
  given: LinkArguments,
  routes: ['daemon PUT /v1/edges'],
  isRead: false,
  once: 'held',
  run: async ({ from_id, relation, to_id }, servers) => {
    const from = await endOf('from_id', from_id, servers);
    const to = await endOf('to_id', to_id, servers);
    const body = { from_kind: from.kind, from_id: from.id, edge_kind: relation, to_kind: to.kind, to_id: to.id };
    await servers.call('daemon', 'PUT /v1/edges', { body });
    return new AgentAnswer(`${from_id} ${relation} ${to_id}.`, { from_id, relation, to_id });
  },
});

/** What a route says of an id that it was asked for says nothing of which end it is. */
async function endOf(argument: string, id: string, servers: Servers): Promise<Node> {
  try {
    return await nodeOf(argument, id, servers);
  } catch (error) {
    if (!(error instanceof RouteRefusal) || error.status !== 400) throw error;
    throw invalid(argument, `is no id that there can be: ${id}`);
  }
}
