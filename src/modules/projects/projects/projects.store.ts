import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository, type RowLock, type Values } from '../../../common/tenancy/tenant-repository.js';
import { PlaneRow } from './plane.entity.js';
import { ProjectPassportRow } from './project-passport.entity.js';
import { ProjectRepoRow } from './project-repo.entity.js';
import { ProjectTenantRow } from './project-tenant.entity.js';
import { ProjectRow } from './project.entity.js';
import { MAX_LINKS, type LinkOwner } from './projects.types.js';
import type { LinkRows } from './projects.views.js';

const STEP = { version: () => 'version + 1', updatedAt: () => 'now()' };
const SHOWN = { deletedAt: IsNull() } as const;

/** Projects and planes that are not deleted, and what belongs to them, of the open unit of work's tenant. */
@Injectable()
export class ProjectsStore {
  readonly passports: TenantRepository<ProjectPassportRow>;
  readonly tenants: TenantRepository<ProjectTenantRow>;
  readonly repos: TenantRepository<ProjectRepoRow>;
  private readonly projects: TenantRepository<ProjectRow>;
  private readonly planes: TenantRepository<PlaneRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.projects = new TenantRepository(tenancy, ProjectRow);
    this.planes = new TenantRepository(tenancy, PlaneRow);
    this.passports = new TenantRepository(tenancy, ProjectPassportRow);
    this.tenants = new TenantRepository(tenancy, ProjectTenantRow);
    this.repos = new TenantRepository(tenancy, ProjectRepoRow);
  }

  /** @returns undefined where the id is taken, if only by one that is deleted */
  insert(values: Values<ProjectRow>): Promise<ProjectRow | undefined> {
    return this.projects.insertNew(values);
  }

  find(projectId: string, lock?: RowLock): Promise<ProjectRow | undefined> {
    return this.projects.find({ projectId, ...SHOWN }, lock);
  }

  findDefault(): Promise<ProjectRow | undefined> {
    return this.projects.find({ isDefault: true, ...SHOWN });
  }

  /** By id. */
  list(archived: boolean | undefined, after: [string] | undefined, take: number): Promise<ProjectRow[]> {
    return this.projects.list({ archived, ...SHOWN }, { order: { projectId: 'asc' }, after, take });
  }

  /** The next version, with these members. */
  change(projectId: string, values: Values<ProjectRow> = {}): Promise<ProjectRow> {
    return this.projects.updateOne({ projectId }, { ...values, ...STEP });
  }

  /** One at a time of a tenant becomes the default, or ceases to be it. */
  lockDefault(): Promise<void> {
    return this.tenancy.lock('default project');
  }

  /** @returns undefined where the id is taken, if only by one that is deleted */
  insertPlane(values: Values<PlaneRow>): Promise<PlaneRow | undefined> {
    return this.planes.insertNew(values);
  }

  findPlane(projectId: string, planeId: string, lock?: RowLock): Promise<PlaneRow | undefined> {
    return this.planes.find({ projectId, planeId, ...SHOWN }, lock);
  }

  /** By id. */
  listPlanes(projectId: string, after: [string] | undefined, take: number): Promise<PlaneRow[]> {
    return this.planes.list({ projectId, ...SHOWN }, { order: { planeId: 'asc' }, after, take });
  }

  countPlanes(projectId: string): Promise<number> {
    return this.planes.count({ projectId, ...SHOWN });
  }

  changePlane(projectId: string, planeId: string, values: Values<PlaneRow> = {}): Promise<PlaneRow> {
    return this.planes.updateOne({ projectId, planeId }, { ...values, ...STEP });
  }

  /** @returns how many there were */
  hidePlanes(projectId: string): Promise<number> {
    return this.planes.updateMany({ projectId, ...SHOWN }, { ...STEP, deletedAt: () => 'now()' });
  }

  /** All of a project or plane, each by name. */
  async listLinks({ projectId, planeId }: LinkOwner): Promise<LinkRows> {
    const own = { projectId, planeId };
    return {
      passports: await this.passports.list(own, { order: { passportId: 'asc' } }),
      tenants: await this.tenants.list(own, { order: { linkedTenantId: 'asc' } }),
      repos: await this.listRepos({ projectId, planeId: planeId || undefined }, undefined, MAX_LINKS),
    };
  }

  /** By name; with a plane only those that belong to it. */
  listRepos(
    filter: { projectId: string; planeId?: string | undefined },
    after: [string] | undefined,
    take: number,
  ): Promise<ProjectRepoRow[]> {
    return this.repos.list(filter, { order: { repo: 'asc' }, after, take });
  }
}
