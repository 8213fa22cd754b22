import type { PlaneRow } from './plane.entity.js';
import type { Plane, PlaneSummary } from './planes.dto.js';
import type { ProjectMember, RepoLink, TenantLink } from './project-links.dto.js';
import type { ProjectPassportRow } from './project-passport.entity.js';
import type { ProjectRepoRow } from './project-repo.entity.js';
import type { ProjectTenantRow } from './project-tenant.entity.js';
import type { ProjectRow } from './project.entity.js';
import type { Project, ProjectSummary } from './projects.dto.js';

/** What belongs to a project or plane. */
export interface LinkRows {
  passports: ProjectPassportRow[];
  tenants: ProjectTenantRow[];
  repos: ProjectRepoRow[];
}

export const projectSummaryOf = (row: ProjectRow): ProjectSummary => ({
  id: row.projectId,
  name: row.name,
  default_passport_id: row.defaultPassportId,
  planning_target: row.planningTarget,
  working_tenants: row.workingTenants,
  archived: row.archived,
  is_default: row.isDefault,
  tenant_id: row.tenantId,
  version: row.version,
  ...madeOf(row),
  updated_at: row.updatedAt.toISOString(),
});

export const projectOf = (row: ProjectRow, links: LinkRows): Project => ({
  ...projectSummaryOf(row),
  ...linksOf(links),
});

export const planeSummaryOf = (row: PlaneRow): PlaneSummary => ({
  id: row.planeId,
  project_id: row.projectId,
  name: row.name,
  description: row.description,
  default_passport_id: row.defaultPassportId,
  version: row.version,
  ...madeOf(row),
  updated_at: row.updatedAt.toISOString(),
});

export const planeOf = (row: PlaneRow, links: LinkRows): Plane => ({ ...planeSummaryOf(row), ...linksOf(links) });

const linksOf = ({ passports, tenants, repos }: LinkRows) => ({
  passports: passports.map(memberOf),
  tenants: tenants.map(tenantLinkOf),
  repos: repos.map(repoLinkOf),
});

export const memberOf = (row: ProjectPassportRow): ProjectMember => ({
  passport_id: row.passportId,
  role: row.role,
  ...madeOf(row),
});

export const tenantLinkOf = (row: ProjectTenantRow): TenantLink => ({
  tenant_id: row.linkedTenantId,
  default_passport_id: row.defaultPassportId,
  ...madeOf(row),
});

export const repoLinkOf = (row: ProjectRepoRow): RepoLink => ({
  repo: row.repo,
  plane_id: row.planeId,
  role: row.role,
  ...madeOf(row),
});

const madeOf = ({ createdBy, createdAt }: { createdBy: string; createdAt: Date }) => ({
  created_by: createdBy,
  created_at: createdAt.toISOString(),
});
