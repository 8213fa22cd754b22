import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { EngramLabelRow } from './engram-label.entity.js';
import type { EngramLabelPath, EngramLabelReply, MoveLabel } from './engrams.dto.js';
import { labelEntry } from './engrams.events.js';
import { EngramLabelMoved, EngramLabelUnknown, EngramUnknown } from './engrams.problems.js';
import { EngramsStore } from './engrams.store.js';
import { ENGRAM_KIND } from './engrams.types.js';
import { labelOf } from './engrams.views.js';

/** What always means the newest version. */
const NEWEST = 'latest';

/** Labels of engrams: each points at a version, and is moved to roll one out or back. */
@Injectable()
export class EngramLabelsService {
  private readonly rows: TenantRepository<EngramLabelRow>;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly store: EngramsStore,
    private readonly audit: AuditTrail,
  ) {
    this.rows = new TenantRepository(tenancy, EngramLabelRow);
  }

  /** In the open unit of work; by name. */
  listOf(name: string): Promise<EngramLabelRow[]> {
    return this.rows.list({ kind: ENGRAM_KIND, id: name }, { order: { label: 'asc' } });
  }

  /** @throws EngramUnknown, EngramLabelMoved; ValidationFailed for `latest` */
  move(caller: DaemonCaller, { name, label }: EngramLabelPath, to: MoveLabel): Promise<EngramLabelReply> {
    if (label === NEWEST) throw invalid('path.label', `must not be ${NEWEST}: that is always the newest version`);
    const key = { kind: ENGRAM_KIND, id: name, label };
    return this.tenants.write(caller, undefined, async () => {
      await this.tenancy.lock('engram label', `${name}/${label}`);
      const known = await this.rows.find(key);
      checkBase(known, to.base_version);
      if (!(await this.store.findVersion(name, to.version))) throw await this.noVersion(name, to.version);
      if (known?.engramVersion === to.version) return replyOf(known, false);
      const version = (known?.version ?? 0) + 1;
      const facts = { name, label, engramVersion: to.version, version, former: known?.engramVersion ?? null };
      const { receiptId } = await this.audit.record(caller, labelEntry('labelled', facts));
      const moved = { engramVersion: to.version, version, receiptId, movedBy: caller.principal };
      const row = known
        ? await this.rows.updateOne(key, { ...moved, movedAt: () => 'now()' })
        : await this.rows.insert({ ...key, ...moved, createdBy: caller.principal });
      return replyOf(row, false);
    });
  }

  /** @throws EngramLabelUnknown */
  remove(caller: DaemonCaller, { name, label }: EngramLabelPath): Promise<EngramLabelReply> {
    const key = { kind: ENGRAM_KIND, id: name, label };
    return this.tenants.write(caller, undefined, async () => {
      await this.tenancy.lock('engram label', `${name}/${label}`);
      const known = await this.rows.find(key);
      if (!known) throw new EngramLabelUnknown({ name, label }, 'GET /v1/engrams/{name} lists its labels');
      await this.rows.delete(key);
      const facts = { name, label, engramVersion: known.engramVersion, version: known.version };
      const { receiptId } = await this.audit.record(caller, labelEntry('unlabelled', facts));
      return replyOf({ ...known, receiptId }, true);
    });
  }

  private async noVersion(name: string, version: number): Promise<Error> {
    const [newest] = await this.store.listVersions(name, undefined, 1);
    if (newest)
      return invalid('body.version', `is ${version}, and ${name} has no such version; the newest is ${newest.version}`);
    return new EngramUnknown({ name }, 'Labels are of engrams that are entities; a file has one version alone');
  }
}

function checkBase(known: EngramLabelRow | undefined, base: number | undefined): void {
  const version = known?.version ?? 0;
  if (base !== undefined && base !== version)
    throw new EngramLabelMoved({ version }, `It is at version ${version} now, not ${base}; read it and decide again`);
}

const replyOf = (row: EngramLabelRow, removed: boolean): EngramLabelReply => ({
  name: row.id,
  label: labelOf(row),
  removed,
  schema: 'svc.engram-label/1',
});
