import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { SecretScreen } from '../../../common/screening/secret-screen.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { CaseDeleted, CaseList, CaseQuery, CaseReply, FoundCases, RecordCase } from './cases.dto.js';
import { caseEntry } from './cases.events.js';
import { CaseQuarantined, CaseUnknown } from './cases.problems.js';
import { resultOf, wordsOf, wordsOfTask } from './cases.rules.js';
import { CasesStore, type RankedCase } from './cases.store.js';
import type { ScreenedMember } from './cases.types.js';
import { caseOfRow, caseReplyOf, foundCaseOf } from './cases.views.js';
import { MemoryCaseRow } from './memory-case.entity.js';
import { MemoryMeaningService } from '../vectors/memory-meaning.service.js';

/** How many of the nearest cases are looked at; more where those that failed are left out of them. */
const NEAREST = { all: 100, successes: 500 } as const;

/** What is looked for. */
export interface CaseWish {
  task: string;
  top_k: number;
  only_success: boolean;
}

/** The texts of a case, with their secrets masked. */
interface ScreenedTexts {
  task: string;
  action: string;
  outcome: string;
  context: string;
  lesson: string | null;
  tags: string[];
  sourceReceipt: string | null;
}

/** Cases: what was done for a task and how it went, found again for the next one (memory-daemon.md 4.6; D44). */
@Injectable()
export class CasesService {
  private readonly rows: TenantRepository<MemoryCaseRow>;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly audit: AuditTrail,
    private readonly screen: SecretScreen,
    private readonly store: CasesStore,
    private readonly meaning: MemoryMeaningService,
    private readonly tenancy: Tenancy,
  ) {
    this.rows = new TenantRepository(tenancy, MemoryCaseRow);
  }

  async record(caller: DaemonCaller, request: RecordCase): Promise<CaseReply> {
    const { texts, screened } = await this.screenTexts(request);
    const { terms, length } = wordsOf(texts);
    const result = resultOf(request);
    const { sourceReceipt, ...words } = texts;
    const contentHash = blake3Digest(canonicalJson({ ...words, source_receipt: sourceReceipt }));
    return this.tenants.write(caller, undefined, async () => {
      const caseId = uuid();
      const { receiptId } = await this.audit.record(caller, caseEntry('recorded', { caseId, ...result, contentHash }));
      const row = await this.rows.insert({
        ...{ caseId, ...texts, ...result, screened, contentHash, length, receiptId },
        recordedBy: caller.principal,
      });
      await this.store.index(caseId, terms);
      return caseReplyOf(row);
    });
  }

  /** Best first; for a task of stop words or signs alone those near in meaning, where there are vectors, or none. */
  async retrieve(caller: DaemonCaller, wish: CaseWish): Promise<FoundCases> {
    const ranked = await this.findFor(await this.tenants.enter(caller), wish);
    return { schema: 'svc.found_cases/1', cases: ranked.map(foundCaseOf) };
  }

  /** The same of a tenant that the caller may read, outside of any unit of work. */
  async findFor(tenantId: string, wish: CaseWish): Promise<RankedCase[]> {
    const { task, top_k: limit, only_success: onlySuccess } = wish;
    const terms = wordsOfTask(task);
    const near = await this.meaning.findNear(tenantId, 'case', task, onlySuccess ? NEAREST.successes : NEAREST.all);
    if (terms.size === 0 && near.length === 0) return [];
    return this.tenancy.run(tenantId, () => this.store.rank({ terms, near, limit, onlySuccess }));
  }

  list(caller: DaemonCaller, { tag, success, limit, cursor }: CaseQuery): Promise<CaseList> {
    const after = decodeCursor(cursor, ['uuid']);
    return this.tenants.run(caller, undefined, async () => {
      const query = this.rows.select(
        'c',
        { success, quarantined: false },
        { order: { caseId: 'desc' }, after, take: limit + 1 },
      );
      if (tag !== undefined) query.andWhere(':tag = any(c.tags)', { tag });
      const { page, has_more, next_cursor } = takePage(await query.getMany(), limit, ({ caseId }) => [caseId]);
      return { schema: 'svc.cases/1', cases: page.map(caseOfRow), has_more, next_cursor };
    });
  }

  /** @throws CaseUnknown */
  read(caller: DaemonCaller, id: string): Promise<CaseReply> {
    return this.tenants.run(caller, undefined, async () => caseReplyOf(await this.find(id)));
  }

  /** @throws CaseUnknown, CaseQuarantined; LegalHold where one pins it */
  delete(caller: DaemonCaller, id: string): Promise<CaseDeleted> {
    return this.tenants.write(caller, undefined, async () => {
      const row = await this.find(id, 'update');
      if (row.quarantined)
        throw new CaseQuarantined(
          { case_id: id },
          'An incident has it set aside; it can be deleted once that is undone',
        );
      if ((await this.rows.delete({ caseId: id })) === 0) throw unknown(id);
      const { receiptId } = await this.audit.record(caller, caseEntry('deleted', row));
      return { case_id: id, deleted: true, receipt_id: receiptId };
    });
  }

  private async find(id: string, lock?: 'update'): Promise<MemoryCaseRow> {
    const row = await this.rows.find({ caseId: id }, lock);
    if (row) return row;
    throw unknown(id);
  }

  private async screenTexts(request: RecordCase): Promise<{ texts: ScreenedTexts; screened: ScreenedMember[] }> {
    const screened: ScreenedMember[] = [];
    const mask = async (member: string, sent: string): Promise<string> => {
      const { text, screened: found } = await this.screen.mask(sent);
      screened.push(...found.map((secret) => ({ member, ...secret })));
      return text;
    };
    const tags: string[] = [];
    for (const [place, tag] of [...new Set(request.tags)].entries()) tags.push(await mask(`tags[${place}]`, tag));
    const texts = {
      task: await mask('task', request.task),
      action: await mask('action', request.action),
      outcome: await mask('outcome', request.outcome),
      context: await mask('context', request.context ?? ''),
      lesson: request.lesson === undefined ? null : await mask('lesson', request.lesson),
      tags,
      sourceReceipt: request.source_receipt === undefined ? null : await mask('source_receipt', request.source_receipt),
    };
    return { texts, screened };
  }
}

const unknown = (id: string): CaseUnknown => new CaseUnknown({ case_id: id }, 'GET /v1/cases lists those there are');
