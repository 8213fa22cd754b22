import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { ERASURE_STREAM } from '../../../common/evidence-log/removed-records.js';
import { Jobs } from '../../../common/jobs/jobs.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { requestScrub, ScrubSweep } from '../../../common/scrub/scrub.sweep.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { ErasureAnnouncements } from './erasure-announcements.service.js';
import { ErasureList } from './erasure-list.js';
import { type EraseSubject, type ErasureReply, MIN_TEXT } from './erasure.dto.js';
import { ErasureRow } from './erasure.entity.js';
import { ErasureListUnwritable, ErasureNotFound } from './erasure.problems.js';
import type { ErasedCounts, SubjectSelector } from './erasure.types.js';
import { erasureOf, reportOf } from './erasure.views.js';
import { SubjectEraser } from './subject-eraser.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Erases what is stored of a subject (D55): removed in one transaction with its receipt, then scrubbed from the files
 * of the database in the background. What is reported is what goes.
 */
@Injectable()
export class ErasureService {
  private readonly erasures: TenantRepository<ErasureRow>;
  private readonly list: ErasureList;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
    private readonly announcements: ErasureAnnouncements,
    private readonly jobs: Jobs,
    private readonly scrubs: ScrubSweep,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.erasures = new TenantRepository(tenancy, ErasureRow);
    this.list = new ErasureList(settings);
  }

  async erase(
    caller: DaemonCaller,
    { dry_run: isReport, tenant_id: tenantId, ...asked }: EraseSubject,
  ): Promise<ErasureReply> {
    const selector = selectorOf(asked);
    return isReport
      ? this.tenants.run(caller, tenantId, () => this.report(selector))
      : this.tenants.write(caller, tenantId, () => this.remove(caller, selector));
  }

  read(caller: DaemonCaller, erasureId: string, tenantId?: string): Promise<ErasureReply> {
    return this.tenants.run(caller, tenantId, async () => {
      const row = await this.erasures.find({ erasureId });
      if (!row) throw new ErasureNotFound({ erasure_id: erasureId }, 'No erasure of this tenant has this id');
      return { erasure: erasureOf(row) };
    });
  }

  private async report(selector: SubjectSelector): Promise<ErasureReply> {
    await this.takeTime();
    return { erasure: reportOf(await new SubjectEraser(this.query, this.tenancy.tenant).find(selector)) };
  }

  private async remove(caller: DaemonCaller, selector: SubjectSelector): Promise<ErasureReply> {
    const { tenant } = this.tenancy;
    const erasureId = uuid();
    await this.takeTime();
    await this.tenancy.lock('erasure');
    this.prepareList(caller, erasureId, selector);
    const { counts, shards } = await new SubjectEraser(this.query, tenant).erase(erasureId, selector);
    for (const shardId of shards)
      await this.jobs.send(
        'index.merge',
        { tenantId: tenant, shardId, isWhole: true },
        { singletonKey: `whole ${shardId}` },
      );
    await this.announcements.announce(caller.principal, caller.authType);
    const row = await this.keep(caller, erasureId, counts);
    this.tenancy.afterCommit(() => {
      this.list.settle(erasureId);
      this.scrubs.wake();
    });
    return { erasure: erasureOf(row) };
  }

  /** The proof, which has numbers alone. */
  private async keep(caller: DaemonCaller, erasureId: string, counts: ErasedCounts): Promise<ErasureRow> {
    const scrubId = await requestScrub(this.query, 'subject');
    const { receiptId } = await this.audit.record(caller, {
      kind: 'erasure.completed',
      subject: erasureId,
      stream: ERASURE_STREAM,
      facts: { erasureId },
      receipt: { counts },
      event: { counts },
    });
    await this.erasures.insert({ erasureId, erasedBy: caller.principal, counts, receiptId, scrubId });
    return (await this.erasures.find({ erasureId }))!;
  }

  /** On disk before anything is committed. @throws ErasureListUnwritable */
  private prepareList({ principal }: DaemonCaller, erasureId: string, selector: SubjectSelector): void {
    const kept = { erasure_id: erasureId, tenant_id: this.tenancy.tenant, erased_by: principal };
    try {
      this.list.prepare({ ...kept, erased_at: new Date().toISOString() }, selector);
    } catch (error) {
      throw new ErasureListUnwritable(
        {},
        `Nothing was erased, since a restored backup would bring it back: ${(error as NodeJS.ErrnoException).code ?? 'the folder cannot be written'} in the folder of kept checkpoints`,
      );
    }
    this.tenancy.afterRollback(async () => this.list.discard(erasureId));
  }

  /** A subject may stand in many rows: the limit of single statements is for requests of a moment. */
  private async takeTime(): Promise<void> {
    await this.tenancy.query(`set local statement_timeout = '15min'`);
  }

  private readonly query: Query = (sql, parameters) => this.tenancy.query(sql, parameters);
}

/** @throws ValidationFailed */
function selectorOf({ documents = [], ...names }: Omit<EraseSubject, 'dry_run' | 'tenant_id'>): SubjectSelector {
  const selector = { ...names, documents };
  if (Object.values(selector).every((list) => list.length === 0))
    throw invalid('body', 'must name a subject: entities, entity_prefixes, fact_ids, documents, principals or texts');
  for (const [name, list] of Object.entries(names))
    list.forEach((one, place) => {
      if (one === '') throw invalid(`body.${name}[${place}]`, 'must not be empty: it would name everything');
      if (!one.isWellFormed() || one.includes('\0'))
        throw invalid(`body.${name}[${place}]`, 'must be well-formed text without the character U+0000');
    });
  selector.fact_ids.forEach((id, place) => {
    if (!UUID.test(id)) throw invalid(`body.fact_ids[${place}]`, 'must be the UUID of a fact');
  });
  selector.texts.forEach((text, place) => {
    if (Array.from(text).length < MIN_TEXT)
      throw invalid(
        `body.texts[${place}]`,
        `must have ${MIN_TEXT} characters at least, since whatever holds it is erased`,
      );
  });
  return selector;
}
