import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { invalid } from '../../../common/problem/common-problems.js';
import type { RowLock } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { KnownPassports } from './known-passports.js';
import type { PlaneRow } from './plane.entity.js';
import type { CreatePlane, Plane, PlaneDeleted, PlaneList } from './planes.dto.js';
import { projectFull } from './project-writes.service.js';
import { planeChange } from './projects.events.js';
import { PlaneKnown, PlaneUnknown } from './projects.problems.js';
import { ProjectsService } from './projects.service.js';
import { ProjectsStore } from './projects.store.js';
import { MAX_LINKS } from './projects.types.js';
import { planeOf, planeSummaryOf } from './projects.views.js';

/** What the address of sync-layers has in the place of a plane. */
const SYNC_LAYERS = 'sync-layers';

/** The planes of projects: parts with members, tenants, repositories and layers of their own. */
@Injectable()
export class PlanesService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly projects: ProjectsService,
    private readonly store: ProjectsStore,
    private readonly passports: KnownPassports,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws ProjectUnknown, ProjectArchived, ProjectFull, PlaneKnown, PassportUnknown */
  create(caller: DaemonCaller, projectId: string, request: CreatePlane): Promise<Plane> {
    const { id: planeId, name = planeId, description = null, default_passport_id: defaultPassportId = null } = request;
    if (planeId === SYNC_LAYERS) throw invalid('body.id', 'is the address of another route; choose another');
    return this.tenants.write(caller, undefined, async () => {
      await this.projects.findOpen(projectId);
      await this.passports.check(defaultPassportId);
      if ((await this.store.countPlanes(projectId)) >= MAX_LINKS) throw projectFull();
      const values = { projectId, planeId, name, description, defaultPassportId, createdBy: caller.principal };
      const row = await this.store.insertPlane(values);
      if (!row) throw taken(projectId, planeId);
      await this.audit.record(caller, planeChange('created', row, { name, defaultPassportId }));
      return this.show(row);
    });
  }

  /** @throws ProjectUnknown */
  list(caller: DaemonCaller, projectId: string, { limit, cursor }: PageQuery): Promise<PlaneList> {
    const after = decodeCursor(cursor, ['text']);
    return this.tenants.run(caller, undefined, async () => {
      await this.projects.find(projectId);
      const rows = await this.store.listPlanes(projectId, after, limit + 1);
      const { page, has_more, next_cursor } = takePage(rows, limit, ({ planeId }) => [planeId]);
      const planes = page.map(planeSummaryOf);
      return { project_id: projectId, planes, count: planes.length, has_more, next_cursor };
    });
  }

  /** @throws ProjectUnknown, PlaneUnknown */
  read(caller: DaemonCaller, projectId: string, planeId: string): Promise<Plane> {
    return this.tenants.run(caller, undefined, async () => {
      await this.projects.find(projectId);
      return this.show(await this.find(projectId, planeId));
    });
  }

  /**
   * Hides a plane and removes its links; its repositories are the project's alone from then on, and its layers stay.
   * @throws ProjectUnknown, ProjectArchived, PlaneUnknown
   */
  remove(caller: DaemonCaller, projectId: string, planeId: string): Promise<PlaneDeleted> {
    return this.tenants.write(caller, undefined, async () => {
      await this.findOpen(projectId, planeId);
      const { passports, tenants, repos } = this.store;
      const own = { projectId, planeId };
      const links = (await passports.delete(own)) + (await tenants.delete(own));
      const removedLinks = links + (await repos.updateMany(own, { planeId: null }));
      const row = await this.store.changePlane(projectId, planeId, { deletedAt: () => 'now()' });
      await this.audit.record(caller, planeChange('deleted', row, { removedLinks }));
      return { id: planeId, project_id: projectId, deleted: true, removed_links: removedLinks };
    });
  }

  /** In the open unit of work, of a project that was found. @throws PlaneUnknown */
  async find(projectId: string, planeId: string, lock?: RowLock): Promise<PlaneRow> {
    const row = await this.store.findPlane(projectId, planeId, lock);
    if (row) return row;
    throw new PlaneUnknown(
      { project_id: projectId, plane_id: planeId },
      'GET /v1/projects/{id}/planes lists those there are',
    );
  }

  /**
   * In the open unit of work, for a change of what belongs to it: both stay as they are until that ends.
   * @throws ProjectUnknown, ProjectArchived, PlaneUnknown
   */
  async findOpen(projectId: string, planeId: string, lock: RowLock = 'no key update'): Promise<PlaneRow> {
    await this.projects.findOpen(projectId, 'share');
    return this.find(projectId, planeId, lock);
  }

  private async show(row: PlaneRow): Promise<Plane> {
    return planeOf(row, await this.store.listLinks(row));
  }
}

const taken = (project_id: string, plane_id: string): PlaneKnown =>
  new PlaneKnown(
    { project_id, plane_id },
    'Choose another id: there is such a plane, or it was deleted, and its layers are still there under that id',
  );
