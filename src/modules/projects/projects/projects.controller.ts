import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { ProjectPath } from './project-paths.dto.js';
import { ChangeProject, CreateProject, Project, ProjectDeleted, ProjectList, ProjectQuery } from './projects.dto.js';
import { PassportUnknown, ProjectArchived, ProjectChanged, ProjectKnown, ProjectUnknown } from './projects.problems.js';
import { ProjectsService } from './projects.service.js';

const tag = 'projects';
const access = anyOf('admin:read');
const reply = ok(Project);

@Controller()
export class ProjectsController {
  constructor(private readonly projects: ProjectsService) {}

  @Route('GET /v1/projects', { tag, summary: 'List projects', access, reply: ok(ProjectList) })
  listProjects(@Caller() caller: DaemonCaller, @Query() query: ProjectQuery): Promise<ProjectList> {
    return this.projects.list(caller, query);
  }

  @Route('POST /v1/projects', {
    ...{ tag, summary: 'Create a project', access, reply },
    description:
      'What passports, tenants, repositories, planes and layers are gathered under. Passports are looked for once some are registered; until then any name of one is taken.',
    problems: [PassportUnknown, ProjectKnown],
  })
  createProject(@Caller() caller: DaemonCaller, @Body() body: CreateProject): Promise<Project> {
    return this.projects.create(caller, body);
  }

  @Route('GET /v1/projects/:id', {
    ...{ tag, summary: 'Read a project with its links', access, reply },
    problems: [ProjectUnknown],
  })
  readProject(@Caller() caller: DaemonCaller, @Param() { id }: ProjectPath): Promise<Project> {
    return this.projects.read(caller, id);
  }

  @Route('PATCH /v1/projects/:id', {
    ...{ tag, summary: 'Change a project', access, reply },
    description:
      'A member that is absent stays as it is. Of an archived project nothing else is changed than that it is brought back.',
    problems: [ProjectUnknown, PassportUnknown, ProjectChanged, ProjectArchived],
  })
  changeProject(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ProjectPath,
    @Body() body: ChangeProject,
  ): Promise<Project> {
    return this.projects.change(caller, id, body);
  }

  @Route('DELETE /v1/projects/:id', {
    ...{ tag: 'project removal', summary: 'Delete an archived project', access, reply: ok(ProjectDeleted) },
    description:
      'Its links and those of its planes go, and it is not found any more. Facts, layers and receipts stay, and nobody else gets its id. One that is not archived is refused with 400.',
    problems: [ProjectUnknown],
  })
  deleteProject(@Caller() caller: DaemonCaller, @Param() { id }: ProjectPath): Promise<ProjectDeleted> {
    return this.projects.remove(caller, id);
  }
}
