import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { readBuild } from '../../../common/build-info.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { articlesView, ConformanceService } from './conformance.service.js';
import type { ExportedReceipt, ExportForm } from './observe-export.dto.js';
import { nodeOf, seesStep } from './observe.views.js';
import { ocsfOf } from './ocsf.rules.js';
import { otlpAround, type OtlpSource, spanOf } from './otlp.rules.js';
import type { CheckedRecord } from './step-receipts.service.js';

/** Writes a session out, batch by batch: of a long one only its JSON is ever whole. */
@Injectable()
export class ObserveExportService {
  private readonly version = readBuild().version;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly conformance: ConformanceService,
  ) {}

  /** @throws ObserveSessionUnknown */
  async write(caller: DaemonCaller, sessionId: string, form: ExportForm): Promise<Uint8Array> {
    if (form === 'json') return this.writeWhole(caller, sessionId);
    const source = { tenantId: await this.tenants.enter(caller), sessionId, version: this.version };
    const items = new JsonItems();
    const write = form === 'ocsf' ? ocsfOf : spanOf;
    await this.conformance.report(caller, sessionId, (steps) => {
      for (const step of steps) items.add(write(nodeOf(step, seesStep(caller, step)), source));
    });
    return form === 'ocsf' ? joined(['[', items, ']']) : joined(aroundSpans(source, items));
  }

  private async writeWhole(caller: DaemonCaller, sessionId: string): Promise<Uint8Array> {
    const [steps, receipts] = [new JsonItems(), new JsonItems()];
    const named = new Set<string>();
    const conformance = await this.conformance.report(caller, sessionId, (rows, records) => {
      for (const row of rows) steps.add(nodeOf(row, seesStep(caller, row)));
      for (const [id, record] of records) if (!named.has(id) && named.add(id)) receipts.add(receiptOf(record));
    });
    const rest = {
      ...{ conformance, contract_version: '1', dataplane_verification_available: true },
      ...{ ai_act_articles: articlesView(), schema: 'svc.observe.export/1' },
    };
    const head = `{"session_id":${JSON.stringify(sessionId)},"steps":[`;
    return joined([head, steps, '],"receipts":[', receipts, '],', JSON.stringify(rest).slice(1)]);
  }
}

/** Members of a JSON array, written as they come. */
class JsonItems {
  readonly parts: Buffer[] = [];

  add(item: object): void {
    this.parts.push(Buffer.from(`${this.parts.length === 0 ? '' : ','}${JSON.stringify(item)}`));
  }
}

function aroundSpans(source: OtlpSource, spans: JsonItems): (string | JsonItems)[] {
  const [before, after] = otlpAround(source);
  return [before, spans, after];
}

const joined = (parts: readonly (string | JsonItems)[]): Buffer =>
  Buffer.concat(parts.flatMap((part) => (typeof part === 'string' ? [Buffer.from(part)] : part.parts)));

const receiptOf = ({ stored, fault }: CheckedRecord): ExportedReceipt => ({
  receipt_id: stored.receiptId,
  family: stored.family,
  verified: fault === undefined,
  record_base64: Buffer.from(stored.record).toString('base64'),
});
