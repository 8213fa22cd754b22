import { tool } from '../../../common/contract/tool-declaration.js';
import { EffectiveLayers, EffectiveQuery } from './effective.dto.js';
import { ProjectLayersPath } from './layers.dto.js';

export const LAYER_TOOLS = [
  tool('effective_layers', {
    title: 'Read the layers that hold',
    description:
      'Reads how work is done in a project: one text of the layers of the workspace, the project, the plane and the session, of each name the narrowest. Each part says where it comes from, with version and hash, and overridden names what another took the place of. Call it before you begin to work in a project or plane, and name the layer to read only that one.',
    route: 'GET /v1/projects/:id/layers/effective',
    path: ProjectLayersPath,
    query: EffectiveQuery,
    answer: EffectiveLayers,
    isRead: true,
    names: { id: 'project_id' },
  }),
];
