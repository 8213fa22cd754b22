import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { changesOf } from '../../../common/fields/changes.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import type { RowLock } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { KnownPassports } from './known-passports.js';
import { ProjectWritesService } from './project-writes.service.js';
import type { ProjectRow } from './project.entity.js';
import type {
  ChangeProject,
  CreateProject,
  Project,
  ProjectDeleted,
  ProjectList,
  ProjectQuery,
} from './projects.dto.js';
import { projectChange } from './projects.events.js';
import { ProjectArchived, ProjectChanged, ProjectUnknown } from './projects.problems.js';
import { ProjectsStore } from './projects.store.js';
import { KEPT_ID } from './projects.types.js';
import { projectOf, projectSummaryOf } from './projects.views.js';

type Changes = Partial<Pick<ProjectRow, 'name' | 'planningTarget' | 'defaultPassportId' | 'archived' | 'isDefault'>>;

/** Projects: what passports, tenants, repositories, planes and layers are gathered under (D65). */
@Injectable()
export class ProjectsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: ProjectsStore,
    private readonly writes: ProjectWritesService,
    private readonly passports: KnownPassports,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws ProjectKnown, PassportUnknown; ValidationFailed for an id that is kept */
  create(caller: DaemonCaller, request: CreateProject): Promise<Project> {
    const { id: projectId, name = projectId, default_passport_id: defaultPassportId, planning_target } = request;
    if (projectId === KEPT_ID) throw invalid('body.id', 'is kept for the layers of sessions; choose another');
    const workingTenants = namedTenants(request.working_tenants);
    return this.tenants.write(caller, undefined, async () => {
      const planningTarget = planning_target ?? null;
      const row = await this.writes.create(caller, {
        projectId,
        name,
        defaultPassportId,
        planningTarget,
        workingTenants,
      });
      return this.show(row);
    });
  }

  list(caller: DaemonCaller, { archived, limit, cursor }: ProjectQuery): Promise<ProjectList> {
    const after = decodeCursor(cursor, ['text']);
    return this.tenants.run(caller, undefined, async () => {
      const rows = await this.store.list(archived, after, limit + 1);
      const { page, has_more, next_cursor } = takePage(rows, limit, ({ projectId }) => [projectId]);
      return {
        projects: page.map(projectSummaryOf),
        count: page.length,
        has_more,
        next_cursor,
      };
    });
  }

  /** @throws ProjectUnknown */
  read(caller: DaemonCaller, id: string): Promise<Project> {
    return this.tenants.run(caller, undefined, async () => this.show(await this.find(id)));
  }

  /**
   * @throws ProjectUnknown, ProjectChanged, PassportUnknown, ProjectArchived; ValidationFailed for an archived default
   */
  change(caller: DaemonCaller, id: string, request: ChangeProject): Promise<Project> {
    return this.tenants.write(caller, undefined, async () => {
      await this.store.lockDefault();
      const row = await this.find(id, 'no key update');
      checkVersion(row, request.base_version);
      const changes = wantedOf(row, request);
      if (Object.keys(changes).length === 0) return this.show(row);
      checkChanges(row, changes);
      await this.passports.check(changes.defaultPassportId);
      if (changes.isDefault) await this.endDefault(caller);
      const changed = await this.store.change(id, changes);
      await this.audit.record(caller, projectChange('changed', changed, changes));
      return this.show(changed);
    });
  }

  /**
   * Hides an archived project with its planes and removes its links; facts, layers and receipts stay.
   * @throws ProjectUnknown; ValidationFailed where it is not archived
   */
  remove(caller: DaemonCaller, id: string): Promise<ProjectDeleted> {
    return this.tenants.write(caller, undefined, async () => {
      const { archived } = await this.find(id, 'update');
      if (!archived)
        throw invalid('path.id', 'is not archived: send PATCH /v1/projects/{id} with "archived": true first');
      const links = [this.store.passports, this.store.tenants, this.store.repos];
      let removedLinks = 0;
      for (const rows of links) removedLinks += await rows.delete({ projectId: id });
      const removedPlanes = await this.store.hidePlanes(id);
      const row = await this.store.change(id, { deletedAt: () => 'now()' });
      await this.audit.record(caller, projectChange('deleted', row, { removedLinks, removedPlanes }));
      return { id, deleted: true, removed_links: removedLinks, removed_planes: removedPlanes };
    });
  }

  /** In the open unit of work. @throws ProjectUnknown */
  async find(id: string, lock?: RowLock): Promise<ProjectRow> {
    const row = await this.store.find(id, lock);
    if (row) return row;
    throw new ProjectUnknown({ project_id: id }, 'GET /v1/projects lists those there are');
  }

  /**
   * In the open unit of work, for a change of what belongs to it: it stays as it is until that ends.
   * @throws ProjectUnknown, ProjectArchived
   */
  async findOpen(id: string, lock: RowLock = 'no key update'): Promise<ProjectRow> {
    const row = await this.find(id, lock);
    if (row.archived) throw archived(id);
    return row;
  }

  /** In the open unit of work: the project whose layers are the workspace's. */
  findDefault(): Promise<ProjectRow | undefined> {
    return this.store.findDefault();
  }

  private async show(row: ProjectRow): Promise<Project> {
    return projectOf(row, await this.store.listLinks({ projectId: row.projectId, planeId: '' }));
  }

  private async endDefault(caller: DaemonCaller): Promise<void> {
    const before = await this.store.findDefault();
    if (!before) return;
    const ended = await this.store.change(before.projectId, { isDefault: false });
    await this.audit.record(caller, projectChange('changed', ended, { isDefault: false }));
  }
}

function namedTenants(named: readonly string[]): string[] {
  const empty = named.indexOf('');
  if (empty >= 0) throw invalid(`body.working_tenants[${empty}]`, 'names no tenant');
  return [...new Set(named)].sort();
}

const wantedOf = (row: ProjectRow, request: ChangeProject): Changes =>
  changesOf<Required<Changes>>(row, {
    ...{ name: request.name, planningTarget: request.planning_target, archived: request.archived },
    ...{ defaultPassportId: request.default_passport_id, isDefault: request.is_default },
  });

/** @throws ProjectChanged */
function checkVersion({ version }: ProjectRow, base: number | undefined): void {
  if (base === undefined || base === version) return;
  throw new ProjectChanged({ version }, `It is at version ${version} now, not ${base}; read it and decide again`);
}

/** @throws ProjectArchived; ValidationFailed where an archived project would be the default */
function checkChanges(row: ProjectRow, changes: Changes): void {
  const after = { ...row, ...changes };
  if (after.archived && after.isDefault)
    throw invalid(
      changes.archived ? 'body.archived' : 'body.is_default',
      'cannot be true of the default project: send "is_default": false with it, or make another one the default first',
    );
  if (row.archived && after.archived) throw archived(row.projectId);
}

const archived = (project_id: string): ProjectArchived =>
  new ProjectArchived({ project_id }, 'Send PATCH /v1/projects/{id} with "archived": false first');
