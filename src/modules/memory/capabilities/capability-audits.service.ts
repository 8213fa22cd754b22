import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { SecretScreen } from '../../../common/screening/secret-screen.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { AuditCapability, AuditReply, CapabilityAuditList } from './capability-audits.dto.js';
import { capabilityAudited } from './capabilities.events.js';
import { AuditChanged, CapabilityUnknown } from './capabilities.problems.js';
import { auditReplyOf, pagingOf } from './capabilities.views.js';
import { CapabilityAuditRow } from './capability-audit.entity.js';
import { CapabilityRegistry } from './capability-registry.js';

/** What tenants judge of capabilities: rows that are only added to. */
@Injectable()
export class CapabilityAuditsService {
  private readonly rows: TenantRepository<CapabilityAuditRow>;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly registry: CapabilityRegistry,
    private readonly audit: AuditTrail,
    private readonly screen: SecretScreen,
    tenancy: Tenancy,
  ) {
    this.rows = new TenantRepository(tenancy, CapabilityAuditRow);
  }

  /** @throws CapabilityUnknown, AuditChanged */
  async record(caller: DaemonCaller, id: string, request: AuditCapability): Promise<AuditReply> {
    await this.check(id);
    const { status, base_version: base } = request;
    const auditor = request.auditor === undefined ? caller.principal : (await this.screen.mask(request.auditor)).text;
    const masked = request.notes === undefined ? undefined : await this.screen.mask(request.notes);
    return this.tenants.write(caller, undefined, async () => {
      const facts = { status, auditor, noted: masked !== undefined };
      // Others that audit this capability wait from here on: what is read next is the last one.
      const { receiptId } = await this.audit.record(caller, capabilityAudited(id, facts));
      const version = (await this.findLast(id))?.version ?? 0;
      if (base !== undefined && base !== version) throw changed(version, base);
      const row = await this.rows.insert({
        ...{ capabilityId: id, version: version + 1, status, auditor, receiptId, createdBy: caller.principal },
        notes: masked?.text ?? null,
        screened: masked?.screened ?? [],
      });
      return auditReplyOf(row);
    });
  }

  /** Newest first. @throws CapabilityUnknown */
  async list(caller: DaemonCaller, id: string, { limit, cursor }: PageQuery): Promise<CapabilityAuditList> {
    const after = decodeCursor(cursor, ['integer']);
    await this.check(id);
    return this.tenants.run(caller, undefined, async () => {
      const rows = await this.rows.list({ capabilityId: id }, { order: { version: 'desc' }, after, take: limit + 1 });
      const { page, next_cursor } = takePage(rows, limit, ({ version }) => [version]);
      const audits = page.map(auditReplyOf);
      return { schema: 'svc.capability_audits/1', count: page.length, audits, ...pagingOf(next_cursor) };
    });
  }

  /** What holds of each capability that the caller's tenant has audited, by its id. */
  readLast(caller: DaemonCaller, id?: string): Promise<Map<string, CapabilityAuditRow>> {
    return this.tenants.run(caller, undefined, async () => {
      const rows = await this.rows
        .select('audit', { capabilityId: id })
        .distinctOn(['audit.capabilityId'])
        .orderBy({ 'audit.capabilityId': 'ASC', 'audit.version': 'DESC' })
        .getMany();
      return new Map(rows.map((row) => [row.capabilityId, row]));
    });
  }

  private async findLast(id: string): Promise<CapabilityAuditRow | undefined> {
    return (await this.rows.list({ capabilityId: id }, { order: { version: 'desc' }, take: 1 }))[0];
  }

  private async check(id: string): Promise<void> {
    if (!(await this.registry.read()).byId.has(id)) throw unknown(id);
  }
}

export const unknown = (id: string): CapabilityUnknown =>
  new CapabilityUnknown({ capability_id: id }, 'GET /v1/features/capabilities lists those there are');

const changed = (version: number, base: number): AuditChanged =>
  new AuditChanged({ version }, `Its last audit is number ${version} now, not ${base}; read it and decide again`);
