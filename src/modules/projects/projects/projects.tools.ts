import { tool } from '../../../common/contract/tool-declaration.js';
import { ProjectPath } from './project-paths.dto.js';
import { Project } from './projects.dto.js';

export const PROJECT_TOOLS = [
  tool('read_project', {
    title: 'Read a project',
    description:
      'Reads a project: what it is called and planned towards, its default passport, who takes part in which role, the tenants that it works in and its repositories, each with the plane that it belongs to. Call it when you come new to a project; effective_layers says how work is done there. An id that there is not is ProjectUnknown.',
    route: 'GET /v1/projects/:id',
    path: ProjectPath,
    answer: Project,
    isRead: true,
    names: { id: 'project_id' },
  }),
];
