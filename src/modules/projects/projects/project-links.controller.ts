import { Body, Controller, Param } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { AddMember, LinkDeleted, LinkTenant, ProjectMember, TenantLink } from './project-links.dto.js';
import { ProjectLinksService } from './project-links.service.js';
import {
  PlaneMemberPath,
  PlanePath,
  PlaneTenantPath,
  ProjectMemberPath,
  ProjectPath,
  ProjectTenantPath,
} from './project-paths.dto.js';
import { PassportUnknown, PlaneUnknown, ProjectArchived, ProjectFull, ProjectUnknown } from './projects.problems.js';

const tag = 'projects';
const access = anyOf('admin:read');
const problems = [ProjectUnknown, ProjectArchived];
const planeProblems = [...problems, PlaneUnknown];
const added = [PassportUnknown, ProjectFull];
const ABSENT = 'One that is not there is answered with `deleted: false`.';

@Controller()
export class ProjectLinksController {
  constructor(private readonly links: ProjectLinksService) {}

  @Route('POST /v1/projects/:id/passports', {
    ...{ tag, summary: 'Add a passport to a project', access, reply: ok(ProjectMember) },
    description: 'Added again, it has the new role.',
    problems: [...problems, ...added],
  })
  addProjectPassport(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ProjectPath,
    @Body() body: AddMember,
  ): Promise<ProjectMember> {
    return this.links.addMember(caller, { projectId: id, planeId: '' }, body);
  }

  @Route('DELETE /v1/projects/:id/passports/:passportId', {
    ...{ tag, summary: 'Remove a passport from a project', access, reply: ok(LinkDeleted), problems },
    description: ABSENT,
  })
  removeProjectPassport(
    @Caller() caller: DaemonCaller,
    @Param() { id, passportId }: ProjectMemberPath,
  ): Promise<LinkDeleted> {
    return this.links.removeMember(caller, { projectId: id, planeId: '' }, passportId);
  }

  @Route('POST /v1/projects/:id/tenants', {
    ...{ tag, summary: 'Link a tenant to a project', access, reply: ok(TenantLink) },
    description: 'Linked again, it has the new default passport.',
    problems: [...problems, ...added],
  })
  linkProjectTenant(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ProjectPath,
    @Body() body: LinkTenant,
  ): Promise<TenantLink> {
    return this.links.linkTenant(caller, { projectId: id, planeId: '' }, body);
  }

  @Route('DELETE /v1/projects/:id/tenants/:tenantId', {
    ...{ tag, summary: 'Unlink a tenant from a project', access, reply: ok(LinkDeleted), problems },
    description: ABSENT,
  })
  unlinkProjectTenant(
    @Caller() caller: DaemonCaller,
    @Param() { id, tenantId }: ProjectTenantPath,
  ): Promise<LinkDeleted> {
    return this.links.unlinkTenant(caller, { projectId: id, planeId: '' }, tenantId);
  }

  @Route('POST /v1/projects/:id/planes/:planeId/passports', {
    ...{ tag, summary: 'Add a passport to a plane', access, reply: ok(ProjectMember) },
    description: 'Added again, it has the new role.',
    problems: [...planeProblems, ...added],
  })
  addPlanePassport(
    @Caller() caller: DaemonCaller,
    @Param() { id, planeId }: PlanePath,
    @Body() body: AddMember,
  ): Promise<ProjectMember> {
    return this.links.addMember(caller, { projectId: id, planeId }, body);
  }

  @Route('DELETE /v1/projects/:id/planes/:planeId/passports/:passportId', {
    ...{ tag, summary: 'Remove a passport from a plane', access, reply: ok(LinkDeleted) },
    description: ABSENT,
    problems: planeProblems,
  })
  removePlanePassport(
    @Caller() caller: DaemonCaller,
    @Param() { id, planeId, passportId }: PlaneMemberPath,
  ): Promise<LinkDeleted> {
    return this.links.removeMember(caller, { projectId: id, planeId }, passportId);
  }

  @Route('POST /v1/projects/:id/planes/:planeId/tenants', {
    ...{ tag, summary: 'Link a tenant to a plane', access, reply: ok(TenantLink) },
    description: 'Linked again, it has the new default passport.',
    problems: [...planeProblems, ...added],
  })
  linkPlaneTenant(
    @Caller() caller: DaemonCaller,
    @Param() { id, planeId }: PlanePath,
    @Body() body: LinkTenant,
  ): Promise<TenantLink> {
    return this.links.linkTenant(caller, { projectId: id, planeId }, body);
  }

  @Route('DELETE /v1/projects/:id/planes/:planeId/tenants/:tenantId', {
    ...{ tag, summary: 'Unlink a tenant from a plane', access, reply: ok(LinkDeleted) },
    description: ABSENT,
    problems: planeProblems,
  })
  unlinkPlaneTenant(
    @Caller() caller: DaemonCaller,
    @Param() { id, planeId, tenantId }: PlaneTenantPath,
  ): Promise<LinkDeleted> {
    return this.links.unlinkTenant(caller, { projectId: id, planeId }, tenantId);
  }
}
