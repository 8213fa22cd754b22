import { Injectable } from '@nestjs/common';
import { setTimeout as wait } from 'node:timers/promises';
import { isUuid } from '../../../common/ids/uuid-form.js';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { invalid, ServiceUnavailable } from '../../../common/problem/common-problems.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { FairQueue, QueueFull } from '../../../common/workers/fair-queue.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { type EraseSubject, type ErasureReply, MIN_TEXT } from './erasure.dto.js';
import { ErasureRequestRow } from './erasure-request.entity.js';
import { ErasureRow } from './erasure.entity.js';
import { ErasureNotFound } from './erasure.problems.js';
import { ErasureRuns } from './erasure-runs.service.js';
import type { SubjectSelector } from './erasure.types.js';
import { erasureOf, reportOf, requestOf } from './erasure.views.js';
import { SubjectEraser } from './subject-eraser.js';

/** A caller waits for so long, and then is answered that the erasure runs. */
const WAIT_MS = 15_000;
/** Reports of a process at once: each has a connection for as long as it looks, which may be minutes. */
const REPORTS = { atOnce: 2, ofClient: 1, places: 64, waitMs: WAIT_MS };

/**
 * Takes erasures (D55): the request is committed before the work begins, so that the work ends whatever becomes of the
 * caller or the process. What is reported is what goes.
 */
@Injectable()
export class ErasureService {
  private readonly erasures: TenantRepository<ErasureRow>;
  private readonly requests: TenantRepository<ErasureRequestRow>;
  private readonly reports = new FairQueue(REPORTS);

  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly runs: ErasureRuns,
  ) {
    this.erasures = new TenantRepository(tenancy, ErasureRow);
    this.requests = new TenantRepository(tenancy, ErasureRequestRow);
  }

  async erase(
    caller: DaemonCaller,
    { dry_run: isReport, tenant_id: tenantId, ...asked }: EraseSubject,
  ): Promise<ErasureReply> {
    const selector = selectorOf(asked);
    if (isReport) return this.reportInTurn(caller, tenantId, selector);
    const taken = await this.tenants.write(caller, tenantId, () => this.take(caller, selector));
    await this.waitFor(this.runs.run(taken.tenantId, taken.erasureId));
    return this.read(caller, taken.erasureId, tenantId);
  }

  read(caller: DaemonCaller, erasureId: string, tenantId?: string): Promise<ErasureReply> {
    return this.tenants.run(caller, tenantId, async () => {
      // One transaction removes the request and inserts the erasure: the other order could miss both.
      const request = await this.requests.find({ erasureId });
      const row = await this.erasures.find({ erasureId });
      if (row) return { erasure: erasureOf(row) };
      if (request) return { erasure: requestOf(request) };
      throw new ErasureNotFound({ erasure_id: erasureId }, 'No erasure of this tenant has this id');
    });
  }

  /** @throws ServiceUnavailable while others are looked for */
  private async reportInTurn(
    caller: DaemonCaller,
    tenantId: string | undefined,
    selector: SubjectSelector,
  ): Promise<ErasureReply> {
    const client = tenantId ?? caller.homeTenant ?? '';
    const report = () => this.tenants.run(caller, tenantId, () => this.report(selector));
    try {
      return await this.reports.run(client, 0, report);
    } catch (error) {
      if (!(error instanceof QueueFull)) throw error;
      throw new ServiceUnavailable({ retryAfterSec: 15 }, 'Other dry runs of erasures are at work; ask again');
    }
  }

  private async report(selector: SubjectSelector): Promise<ErasureReply> {
    const { tenant } = this.tenancy;
    await this.tenancy.query(`set local statement_timeout = '15min'`);
    const found = await new SubjectEraser(this.query, tenant).find(selector);
    const [row] = await this.tenancy.query<{ hold_ids: string[] }>('select svc_found_holds($1) as hold_ids', [tenant]);
    return { erasure: reportOf(found, row!.hold_ids) };
  }

  private async take(
    { principal: requestedBy, authType: authMode, agentSession }: DaemonCaller,
    selector: SubjectSelector,
  ): Promise<{ tenantId: string; erasureId: string }> {
    const erasureId = uuid();
    await this.requests.insert({ erasureId, selector, requestedBy, authMode, sessionId: agentSession ?? null });
    return { tenantId: this.tenancy.tenant, erasureId };
  }

  /** What fails later is said by the request's row. @throws as the run does, while somebody waits */
  private async waitFor(run: Promise<void>): Promise<void> {
    run.catch(() => undefined);
    const waiting = new AbortController();
    await Promise.race([run, wait(WAIT_MS, undefined, { signal: waiting.signal, ref: false })]).finally(() =>
      waiting.abort(),
    );
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
    if (!isUuid(id)) throw invalid(`body.fact_ids[${place}]`, 'must be the UUID of a fact');
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
