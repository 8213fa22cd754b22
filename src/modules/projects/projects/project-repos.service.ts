import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { PlanesService } from './planes.service.js';
import type { LinkDeleted, LinkRepo, PlaneRepoLinks, RepoLink, RepoLinks } from './project-links.dto.js';
import { ProjectWritesService } from './project-writes.service.js';
import { ProjectsService } from './projects.service.js';
import { ProjectsStore } from './projects.store.js';
import { repoLinkOf } from './projects.views.js';

/** The repositories of a project; each belongs to one of its planes, or to none. */
@Injectable()
export class ProjectReposService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly projects: ProjectsService,
    private readonly planes: PlanesService,
    private readonly store: ProjectsStore,
    private readonly writes: ProjectWritesService,
  ) {}

  /** @throws ProjectUnknown */
  list(caller: DaemonCaller, projectId: string, page: PageQuery): Promise<RepoLinks> {
    return this.tenants.run(caller, undefined, async () => {
      await this.projects.find(projectId);
      return this.page({ projectId }, page);
    });
  }

  /** Those that belong to a plane. @throws ProjectUnknown, PlaneUnknown */
  listOfPlane(caller: DaemonCaller, projectId: string, planeId: string, page: PageQuery): Promise<PlaneRepoLinks> {
    return this.tenants.run(caller, undefined, async () => {
      await this.projects.find(projectId);
      await this.planes.find(projectId, planeId);
      return { plane_id: planeId, ...(await this.page({ projectId, planeId }, page)) };
    });
  }

  /**
   * Linked again, it has the new plane and role.
   * @throws ProjectUnknown, ProjectArchived, PlaneUnknown, ProjectFull
   */
  link(caller: DaemonCaller, projectId: string, request: LinkRepo): Promise<RepoLink> {
    const { repo, plane_id: planeId = null, role = null } = request;
    return this.tenants.write(caller, undefined, async () => {
      await this.projects.findOpen(projectId);
      if (planeId !== null) await this.planes.find(projectId, planeId);
      return repoLinkOf(await this.writes.linkRepo(caller, projectId, { repo, planeId, role }));
    });
  }

  /** @throws ProjectUnknown, ProjectArchived */
  unlink(caller: DaemonCaller, projectId: string, repo: string): Promise<LinkDeleted> {
    return this.tenants.write(caller, undefined, async () => {
      await this.projects.findOpen(projectId);
      const deleted = (await this.store.repos.delete({ projectId, repo })) > 0;
      if (deleted) await this.writes.recordChange(caller, projectId, { change: 'repo_unlinked', repo });
      return { deleted };
    });
  }

  private async page(
    filter: { projectId: string; planeId?: string },
    { limit, cursor }: PageQuery,
  ): Promise<RepoLinks> {
    const after = decodeCursor(cursor, ['text']);
    const rows = await this.store.listRepos(filter, after, limit + 1);
    const { page, has_more, next_cursor } = takePage(rows, limit, ({ repo }) => [repo]);
    const links = page.map(repoLinkOf);
    return { project_id: filter.projectId, links, count: links.length, has_more, next_cursor };
  }
}
