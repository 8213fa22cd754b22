import { Injectable } from '@nestjs/common';
import { type Actor, AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import type { RowLock } from '../../../common/tenancy/tenant-repository.js';
import { KnownPassports } from './known-passports.js';
import type { ProjectRepoRow } from './project-repo.entity.js';
import type { ProjectRow } from './project.entity.js';
import { projectChange } from './projects.events.js';
import { ProjectFull, ProjectKnown } from './projects.problems.js';
import { ProjectsStore } from './projects.store.js';
import { MAX_LINKS } from './projects.types.js';

export interface NewProject {
  projectId: string;
  name: string;
  defaultPassportId: string;
  planningTarget: string | null;
  workingTenants: readonly string[];
}

export interface NewRepoLink {
  repo: string;
  planeId: string | null;
  role: string | null;
}

/** Writes projects and links in the open unit of work, for routes and for `svc project import`. */
@Injectable()
export class ProjectWritesService {
  constructor(
    private readonly store: ProjectsStore,
    private readonly passports: KnownPassports,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws ProjectKnown, PassportUnknown */
  async create(by: Actor, { workingTenants, ...values }: NewProject): Promise<ProjectRow> {
    const { projectId, name, defaultPassportId } = values;
    const createdBy = by.principal;
    await this.passports.check(defaultPassportId);
    if (!(await this.store.insert({ ...values, createdBy }))) throw taken(projectId);
    await this.store.tenants.insertAll(
      workingTenants.map((linkedTenantId) => ({ projectId, linkedTenantId, createdBy })),
    );
    const row = (await this.store.find(projectId))!;
    await this.audit.record(by, projectChange('created', row, { name, defaultPassportId, workingTenants }));
    return row;
  }

  find(projectId: string, lock?: RowLock): Promise<ProjectRow | undefined> {
    return this.store.find(projectId, lock);
  }

  hasRepo(projectId: string, repo: string): Promise<boolean> {
    return this.store.repos.has({ projectId, repo });
  }

  /** Of a project that is locked. Linked again, it has the new plane and role. @throws ProjectFull */
  async linkRepo(by: Actor, projectId: string, link: NewRepoLink): Promise<ProjectRepoRow> {
    const { repo, planeId, role } = link;
    const known = await this.store.repos.find({ projectId, repo });
    if (known?.planeId === planeId && known.role === role) return known;
    if (!known && (await this.store.repos.count({ projectId })) >= MAX_LINKS) throw projectFull();
    const row = await this.store.repos.put({ projectId, ...link, createdBy: by.principal }, ['planeId', 'role']);
    await this.recordChange(by, projectId, { change: known ? 'repo_changed' : 'repo_linked', ...link });
    return row;
  }

  /** The next version of a project, for a change of its links. */
  async recordChange(by: Actor, projectId: string, facts: object): Promise<void> {
    await this.audit.record(by, projectChange('changed', await this.store.change(projectId), facts));
  }
}

const taken = (project_id: string): ProjectKnown =>
  new ProjectKnown(
    { project_id },
    'Choose another id: there is such a project, or it was deleted, and its layers, facts and receipts are still there under that id',
  );

/** Of one kind of link, or of planes. */
export const projectFull = (): ProjectFull =>
  new ProjectFull({ limit: MAX_LINKS }, 'Remove some of them, or make another project');
