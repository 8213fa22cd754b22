import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { LinkDeleted, LinkRepo, PlaneRepoLinks, RepoLink, RepoLinks } from './project-links.dto.js';
import { PlanePath, ProjectPath, ProjectRepoPath } from './project-paths.dto.js';
import { ProjectReposService } from './project-repos.service.js';
import { PlaneUnknown, ProjectArchived, ProjectFull, ProjectUnknown } from './projects.problems.js';

const tag = 'projects';
const reads = anyOf('admin:read');
const writes = anyOf('facts:write');

@Controller()
export class ProjectReposController {
  constructor(private readonly repos: ProjectReposService) {}

  @Route('GET /v1/projects/:id/repos', {
    ...{ tag, summary: 'List the repositories of a project', access: reads, reply: ok(RepoLinks) },
    problems: [ProjectUnknown],
  })
  listProjectRepos(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ProjectPath,
    @Query() query: PageQuery,
  ): Promise<RepoLinks> {
    return this.repos.list(caller, id, query);
  }

  @Route('POST /v1/projects/:id/repos', {
    ...{ tag, summary: 'Link a repository to a project', access: writes, reply: ok(RepoLink) },
    description: 'Linked again, it belongs to the new plane, or to none, and has the new role.',
    problems: [ProjectUnknown, ProjectArchived, ProjectFull, PlaneUnknown],
  })
  linkProjectRepo(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ProjectPath,
    @Body() body: LinkRepo,
  ): Promise<RepoLink> {
    return this.repos.link(caller, id, body);
  }

  @Route('DELETE /v1/projects/:id/repos/:owner/:repo', {
    ...{ tag, summary: 'Unlink a repository from a project', access: writes, reply: ok(LinkDeleted) },
    description: 'One that is not there is answered with `deleted: false`.',
    problems: [ProjectUnknown, ProjectArchived],
  })
  unlinkProjectRepo(
    @Caller() caller: DaemonCaller,
    @Param() { id, owner, repo }: ProjectRepoPath,
  ): Promise<LinkDeleted> {
    return this.repos.unlink(caller, id, `${owner}/${repo}`);
  }

  @Route('GET /v1/projects/:id/planes/:planeId/repos', {
    ...{ tag, summary: 'List the repositories of a plane', access: reads, reply: ok(PlaneRepoLinks) },
    problems: [ProjectUnknown, PlaneUnknown],
  })
  listPlaneRepos(
    @Caller() caller: DaemonCaller,
    @Param() { id, planeId }: PlanePath,
    @Query() query: PageQuery,
  ): Promise<PlaneRepoLinks> {
    return this.repos.listOfPlane(caller, id, planeId, query);
  }
}
