import { Inject, Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { LogReader } from '../../../common/evidence-log/log-reader.js';
import { LogSequencer } from '../../../common/evidence-log/log-sequencer.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { ErasureAnnouncements } from '../../governance/erasure/erasure-announcements.service.js';
import { FactSegmentFlush } from '../../memory/facts/fact-search/fact-segment-flush.service.js';
import type { CompactReply, CompactRequest, SealReply, TenantChoice } from './admin.dto.js';
import { factsCompacted, sealed } from './admin.events.js';
import { AdminStore } from './admin.store.js';

/** Sealing and compaction, when an operator asks for them. */
@Injectable()
export class UpkeepService {
  private readonly log: LogReader;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly store: AdminStore,
    private readonly flush: FactSegmentFlush,
    private readonly sequencer: LogSequencer,
    private readonly announcements: ErasureAnnouncements,
    private readonly audit: AuditTrail,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.log = new LogReader((sql, parameters) => tenancy.call(sql, parameters));
  }

  /** Packs the facts that no segment holds, and gives every committed record its leaf under a signed checkpoint. */
  async seal(caller: DaemonCaller, { tenant_id }: TenantChoice): Promise<SealReply> {
    const tenantId = await this.tenants.enter(caller, tenant_id);
    const openBefore = await this.tenancy.run(tenantId, () => this.store.countOpenFacts());
    await this.flush.settle(tenantId);
    await this.sequencer.integrate();
    const head = (await this.log.findHead())!;
    const log = { size: head.size, checkpoint: head.checkpoint };
    return this.tenants.write(caller, tenant_id, async () => {
      const facts = { open_before: openBefore, open_after: await this.store.countOpenFacts() };
      const sealId = uuid();
      const { receiptId } = await this.audit.record(caller, sealed(sealId, { facts, log }));
      return { seal_id: sealId, facts, log, receipt_id: receiptId };
    });
  }

  /** Removes what is deleted, and with SVCD_RETENTION_DAYS what was retired so long ago; in one transaction. */
  compact(caller: DaemonCaller, { tenant_id, limit }: CompactRequest): Promise<CompactReply> {
    const { retentionDays } = this.settings.daemon;
    return this.tenants.write(caller, tenant_id, async () => {
      await this.tenancy.query(`set local statement_timeout = '25s'`);
      await this.tenancy.lock('compact facts');
      const compactionId = uuid();
      const { deleted, retired, held, more } = await this.store.compact(compactionId, retentionDays, limit);
      const isIdle = deleted + retired === 0;
      return {
        ...{ compaction_id: isIdle ? null : compactionId, deleted_removed: deleted, retired_removed: retired, held },
        ...{ complete: !more, retention_days: retentionDays ?? null },
        receipt_id: isIdle ? null : await this.prove(caller, compactionId, { deleted, retired, held }),
        compacted_at: new Date().toISOString(),
      };
    });
  }

  /** The leaves that went are named as an erasure names them, or the look at the evidence would find facts missing. */
  private async prove(
    caller: DaemonCaller,
    compactionId: string,
    counts: { deleted: number; retired: number; held: number },
  ): Promise<string> {
    await this.announcements.announce(compactionId, caller.principal, caller.authType);
    const days = this.settings.daemon.retentionDays ?? null;
    return (await this.audit.record(caller, factsCompacted(compactionId, counts, days))).receiptId;
  }
}
