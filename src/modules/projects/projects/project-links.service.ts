import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { KnownPassports } from './known-passports.js';
import { PlanesService } from './planes.service.js';
import type { AddMember, LinkDeleted, LinkTenant, ProjectMember, TenantLink } from './project-links.dto.js';
import { projectFull } from './project-writes.service.js';
import { planeChange, projectChange } from './projects.events.js';
import { ProjectsService } from './projects.service.js';
import { ProjectsStore } from './projects.store.js';
import { MAX_LINKS, type LinkOwner } from './projects.types.js';
import { memberOf, tenantLinkOf } from './projects.views.js';

/** The passports that take part in a project or plane, and the tenants that it works in. */
@Injectable()
export class ProjectLinksService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly projects: ProjectsService,
    private readonly planes: PlanesService,
    private readonly store: ProjectsStore,
    private readonly passports: KnownPassports,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Added again, it has the new role.
   * @throws ProjectUnknown, ProjectArchived, PlaneUnknown, PassportUnknown, ProjectFull
   */
  addMember(caller: DaemonCaller, owner: LinkOwner, request: AddMember): Promise<ProjectMember> {
    const { passport_id: passportId, role } = request;
    const key = { ...owner, passportId };
    return this.tenants.write(caller, undefined, async () => {
      await this.open(owner);
      await this.passports.check(passportId);
      const known = await this.store.passports.find(key);
      if (known?.role === role) return memberOf(known);
      if (!known && (await this.store.passports.count(owner)) >= MAX_LINKS) throw projectFull();
      const row = await this.store.passports.put({ ...key, role, createdBy: caller.principal }, ['role']);
      await this.record(caller, owner, { change: known ? 'member_changed' : 'member_added', passportId, role });
      return memberOf(row);
    });
  }

  /** @throws ProjectUnknown, ProjectArchived, PlaneUnknown */
  removeMember(caller: DaemonCaller, owner: LinkOwner, passportId: string): Promise<LinkDeleted> {
    return this.tenants.write(caller, undefined, async () => {
      await this.open(owner);
      const deleted = (await this.store.passports.delete({ ...owner, passportId })) > 0;
      if (deleted) await this.record(caller, owner, { change: 'member_removed', passportId });
      return { deleted };
    });
  }

  /**
   * Linked again, it has the new default passport.
   * @throws ProjectUnknown, ProjectArchived, PlaneUnknown, PassportUnknown, ProjectFull
   */
  linkTenant(caller: DaemonCaller, owner: LinkOwner, request: LinkTenant): Promise<TenantLink> {
    const { tenant_id: linkedTenantId, default_passport_id: defaultPassportId = null } = request;
    const key = { ...owner, linkedTenantId };
    return this.tenants.write(caller, undefined, async () => {
      await this.open(owner);
      await this.passports.check(defaultPassportId);
      const known = await this.store.tenants.find(key);
      if (known?.defaultPassportId === defaultPassportId) return tenantLinkOf(known);
      if (!known && (await this.store.tenants.count(owner)) >= MAX_LINKS) throw projectFull();
      const values = { ...key, defaultPassportId, createdBy: caller.principal };
      const row = await this.store.tenants.put(values, ['defaultPassportId']);
      const change = known ? 'tenant_changed' : 'tenant_linked';
      await this.record(caller, owner, { change, linkedTenantId, defaultPassportId });
      return tenantLinkOf(row);
    });
  }

  /** @throws ProjectUnknown, ProjectArchived, PlaneUnknown */
  unlinkTenant(caller: DaemonCaller, owner: LinkOwner, linkedTenantId: string): Promise<LinkDeleted> {
    return this.tenants.write(caller, undefined, async () => {
      await this.open(owner);
      const deleted = (await this.store.tenants.delete({ ...owner, linkedTenantId })) > 0;
      if (deleted) await this.record(caller, owner, { change: 'tenant_unlinked', linkedTenantId });
      return { deleted };
    });
  }

  private open({ projectId, planeId }: LinkOwner): Promise<unknown> {
    return planeId === '' ? this.projects.findOpen(projectId) : this.planes.findOpen(projectId, planeId);
  }

  private async record(caller: DaemonCaller, { projectId, planeId }: LinkOwner, facts: object): Promise<void> {
    const entry =
      planeId === ''
        ? projectChange('changed', await this.store.change(projectId), facts)
        : planeChange('changed', await this.store.changePlane(projectId, planeId), facts);
    await this.audit.record(caller, entry);
  }
}
