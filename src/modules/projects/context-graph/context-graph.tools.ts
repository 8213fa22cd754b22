import { tool } from '../../../common/contract/tool-declaration.js';
import { ContextGraph, ContextGraphPath, ContextGraphQuery } from './context-graph.dto.js';

export const CONTEXT_GRAPH_TOOLS = [
  tool('project_graph', {
    title: 'Read the context graph of a project',
    description:
      'Shows what belongs to a project and how it hangs together: planes, tenants, repositories, passports, layers, work, intents and facts as nodes and edges; include_workspace and include_symbols add the files of the last scan of the workspace and what they declare. around=<node id> gives one node with its neighbours, which is the way to look at a large project. Where truncated is true, next_cursor gives the next page.',
    route: 'GET /v1/projects/:id/context-graph',
    path: ContextGraphPath,
    query: ContextGraphQuery,
    answer: ContextGraph,
    isRead: true,
    names: { id: 'project_id' },
  }),
];
