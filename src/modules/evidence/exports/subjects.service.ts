import { Injectable } from '@nestjs/common';
import {
  EvidenceRecords,
  type StoredExecution,
  type StoredRecord,
} from '../../../common/evidence-log/evidence-records.js';
import { ReceiptUnknown } from '../../../common/evidence-log/evidence-log.problems.js';
import { fieldsOf } from '../../../evidence/export/export-fields.js';
import type { DraftItem } from '../../../evidence/export/sign-export.js';
import { RecordChecks } from '../../../common/evidence-log/record-checks.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { AnswersService } from '../../knowledge/citations/answers.service.js';
import { SourceStatesService } from '../../knowledge/citations/source-states.service.js';
import { BindingsService } from '../../knowledge/ingest/bindings.service.js';
import { ContentService } from '../../knowledge/ingest/content.service.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { FactEvidenceService } from '../../memory/facts/fact-evidence.service.js';
import { StreamsService } from '../../memory/streams/streams.service.js';
import type { StreamEvent, StreamName } from '../../memory/streams/streams.types.js';
import {
  answerFinding,
  answerItem,
  citationItem,
  eventItem,
  factItem,
  outboxEventItem,
  recordFinding,
  textFinding,
} from './export-items.rules.js';
import { EvidenceDamaged, ExportTooLarge, SubjectUnknown } from './exports.problems.js';
import type { Evidence, ExportMode } from './exports.types.js';
import { SubjectsViews, type CitedText, type RecordedAnswer } from './subjects.views.js';

/** Receipts, versions or events of the outbox that one export brings together: the newest of them. */
const MAX_RECORDS = 500;
/** Records that are checked again for one export: each takes several queries. */
const MAX_CHECKED = 200;
/** Events of a stream that one export holds, their payloads' bytes as JSON, and their fields. */
export const MAX_EVENTS = 10_000;
const MAX_PAYLOAD_BYTES = 16 * 1024 * 1024;
const MAX_EVENT_FIELDS = 45_000;

/** Events of a stream that are asked for; both ends are included. */
export interface EventRange {
  fromSeq: number;
  toSeq: number | undefined;
  max: number;
}

/** What is gathered in addition to what happened about an id. */
export interface CaseParts {
  id: string;
  receiptIds: readonly string[];
  /** How entities begin. */
  entities: readonly string[];
  about: NonNullable<Evidence['about']>;
  /** Whether these are all receipts that there are of it. */
  complete: boolean;
}

/** Brings together what the database holds of a subject. In the open unit of work of its tenant. */
@Injectable()
export class SubjectsService {
  constructor(
    private readonly records: EvidenceRecords,
    private readonly checks: RecordChecks,
    private readonly views: SubjectsViews,
    private readonly streams: StreamsService,
    private readonly answers: AnswersService,
    private readonly states: SourceStatesService,
    private readonly content: ContentService,
    private readonly bindings: BindingsService,
    private readonly tenancy: Tenancy,
    private readonly facts: FactEvidenceService,
  ) {}

  /** @throws ReceiptUnknown */
  async gatherReceipt(receiptId: string): Promise<Evidence> {
    const stored = await this.records.find(receiptId);
    if (!stored) throw new ReceiptUnknown({ receiptId }, 'No receipt with this id belongs to the tenant.');
    return { subjectId: receiptId, complete: true, records: [stored], items: [] };
  }

  /**
   * The newest version of an answer, in the mode audit all of them: what was said, what was cited, and the receipts of
   * both, of the search behind and of the ingests that brought in what was cited.
   * @throws SubjectUnknown; EvidenceDamaged where the receipt of a version is not there and was not erased
   */
  async gatherAnswer(answerId: string, mode: ExportMode): Promise<Evidence> {
    const most = mode === 'audit' ? MAX_CHECKED : 1;
    const answers = await this.views.findAnswers(answerId, most + 1);
    if (answers.length === 0)
      throw new SubjectUnknown(
        { subject: 'answer', id: answerId },
        'No answer with this id was recorded in the tenant.',
      );
    const shown = answers.slice(-most);
    const cited = await this.views.findCitations(answerId, shown[0]!.version);
    const own = await this.recordsOf(shown);
    const hasAllReceipts = await this.checkReceipts(shown, own);
    const bindings = await this.bindings.bind(cited);
    const ingests = this.bindings.receiptsOf(bindings);
    const records = inChainOrder([...own, ...(await this.records.findMany(ingests))]);
    const { tenant } = this.tenancy;
    const items = [...shown.map(answerItem), ...cited.map((text, n) => citationItem(text, bindings[n]!, tenant))];
    const findings = mode === 'latest' ? [] : await this.findAll(own, cited, shown);
    const isWhole = mode === 'latest' || mode === 'verified' || answers.length <= most;
    return { subjectId: answerId, complete: isWhole && hasAllReceipts, records, items: [...items, ...findings] };
  }

  /**
   * What happened about an id: the newest receipt of each kind, in the mode audit all, with those of the batches that
   * an ingest is in, and the events of the outbox, the shield's decisions and approvals among them.
   * @throws SubjectUnknown
   */
  async gatherAction(actionId: string, mode: ExportMode): Promise<Evidence> {
    const most = mode === 'latest' ? MAX_RECORDS : MAX_CHECKED;
    const about = await this.records.findBySubject(actionId, most + 1, await this.views.findBatchesOf(actionId));
    const events = await this.views.findEvents(actionId, MAX_RECORDS + 1);
    if (about.length + events.length === 0)
      throw new SubjectUnknown({ subject: 'action', id: actionId }, 'The tenant has no receipt and no event about it.');
    const newest = about.slice(-most);
    const records = inChainOrder(mode === 'audit' ? newest : newestOfEachKind(newest));
    const items = events.slice(-MAX_RECORDS).map(outboxEventItem);
    const findings = mode === 'latest' ? [] : await this.findAll(records, []);
    const complete = about.length <= most && events.length <= MAX_RECORDS;
    return { subjectId: actionId, complete, records, items: [...items, ...findings] };
  }

  /**
   * Events of a stream and the receipts of their appends; nothing of one that was never appended to.
   * @throws ExportTooLarge
   */
  async gatherStream(stream: StreamName, range: EventRange): Promise<Evidence> {
    const { events, nextSeq, complete } = await this.readEvents(stream, range);
    const records = await this.records.findMany(events.map(({ receiptId }) => receiptId));
    return {
      subjectId: `${stream.streamType}/${stream.streamId}`,
      complete,
      about: {
        stream_type: stream.streamType,
        stream_id: stream.streamId,
        from_seq: range.fromSeq,
        to_seq: range.toSeq ?? null,
        next_seq: nextSeq,
      },
      records: inChainOrder(records),
      items: events.map((event) => eventItem(stream, event)),
    };
  }

  /**
   * The versions of the facts of an entity that the caller may see, deletions too, the newest of them, and the receipts
   * of their batches. Not complete where some were set aside or compacted.
   * @throws SubjectUnknown; EvidenceDamaged for a fact that is not what its receipt binds
   */
  async gatherEntity(caller: DaemonCaller, entity: string): Promise<Evidence> {
    const { facts, complete, damage } = await this.facts.readEntity(caller, entity);
    if (facts.length === 0 && !damage)
      throw new SubjectUnknown({ subject: 'entity', id: entity }, 'The tenant has no fact of it that you may see.');
    if (damage) throw new EvidenceDamaged({ receipt_id: damage.receiptId ?? '' }, damage.detail);
    const ids = [...new Set(facts.flatMap(({ binding }) => (binding ? [binding.receiptId] : [])))];
    const records = inChainOrder(await this.records.findMany(ids));
    return { subjectId: entity, complete, records, items: facts.map(factItem) };
  }

  /**
   * What happened about an id, with further receipts and the facts of entities that begin so: what a case is made of.
   * Facts that are not what their receipts bind are left out, and the export is not complete then.
   * @throws SubjectUnknown
   */
  async gatherCase(caller: DaemonCaller, { id, receiptIds, entities, about, complete }: CaseParts): Promise<Evidence> {
    const own = await this.gatherAction(id, 'audit');
    const { facts, complete: hasAllFacts } = await this.facts.readBeginning(caller, entities);
    const bound = facts.flatMap(({ binding }) => binding?.receiptId ?? []);
    const known = new Set(own.records.map(({ receiptId }) => receiptId));
    const more = [...receiptIds, ...bound].filter((receiptId) => !known.has(receiptId));
    const records = inChainOrder([...own.records, ...(await this.records.findMany(more))]);
    const isWhole = own.complete && complete && hasAllFacts;
    return { subjectId: id, complete: isWhole, about, records, items: [...facts.map(factItem), ...own.items] };
  }

  /** As many events as one export can hold. */
  private async readEvents(stream: StreamName, { fromSeq, toSeq, max }: EventRange) {
    const budget = new ExportBudget();
    const events: StreamEvent[] = [];
    for (;;) {
      const from = (events.at(-1)?.seq ?? fromSeq - 1) + 1;
      const page = await this.streams.find(stream, { fromSeq: from, toSeq, max: Math.min(max - events.length, PAGE) });
      const nextSeq = page?.nextSeq ?? 0;
      if (!page || page.events.length === 0) return { events, nextSeq, complete: true };
      for (const event of page.events) {
        if (!budget.takes(event)) return { events: expectSome(events, event), nextSeq, complete: false };
        events.push(event);
      }
      const isLast = events.at(-1)!.seq >= Math.min(toSeq ?? Infinity, nextSeq - 1);
      if (isLast || events.length >= max) return { events, nextSeq, complete: isLast };
    }
  }

  /**
   * @returns false where some were erased
   * @throws EvidenceDamaged where one is lost: nothing says that the answer was recorded
   */
  private async checkReceipts(answers: readonly RecordedAnswer[], own: readonly StoredRecord[]): Promise<boolean> {
    const there = new Set(own.map(({ receiptId }) => receiptId));
    const missing = answers.filter(({ receiptId }) => !there.has(receiptId));
    if (missing.length === 0) return true;
    const erased = await this.records.findErased(missing.map(({ receiptId }) => receiptId));
    const lost = missing.find(({ receiptId }) => !erased.has(receiptId));
    if (!lost) return false;
    const { receiptId, version } = lost;
    throw new EvidenceDamaged(
      { receipt_id: receiptId },
      `Receipt ${receiptId}, which version ${version} of the answer names, is not there: it was removed in the database, or the answer was written past the application.`,
    );
  }

  /** Of each version its receipt and those of its search, in the order of their chains. */
  private async recordsOf(answers: readonly RecordedAnswer[]): Promise<StoredRecord[]> {
    const ids = answers.flatMap(({ receiptId, searchReceiptIds }) => [receiptId, ...searchReceiptIds]);
    return inChainOrder(await this.records.findMany(ids));
  }

  private async findAll(
    records: readonly StoredRecord[],
    cited: readonly CitedText[],
    answers: readonly RecordedAnswer[] = [],
  ): Promise<DraftItem[]> {
    const reports = await this.checks.checkAll(records);
    const findings = records.map(({ receiptId }, n) => recordFinding(receiptId, reports[n]!));
    const passages = await this.states.look(cited);
    const contents = await this.content.check(cited);
    const texts = cited.map((text, n) => textFinding(text, passages[n]!, contents[n]!));
    return [...findings, ...(await this.findAnswers(records, answers)), ...texts];
  }

  /** Of each version whose receipt is there: of one that was erased there is nothing to hold it against. */
  private async findAnswers(
    records: readonly StoredRecord[],
    answers: readonly RecordedAnswer[],
  ): Promise<DraftItem[]> {
    const [first] = answers;
    if (!first) return [];
    const there = new Map(records.map(({ receiptId, record }) => [receiptId, record]));
    const receipts = new Map(
      answers.flatMap(({ version, receiptId }) => {
        const record = there.get(receiptId);
        return record ? [[version, record] as const] : [];
      }),
    );
    const attested = await this.answers.areAsAttested(first.answerId, receipts);
    return answers
      .filter(({ version }) => receipts.has(version))
      .map((answer) => answerFinding(answer, attested.get(answer.version)!));
  }
}

/** Events that are read at a time. */
const PAGE = 1000;
/** Fields of an event without those of its payload, and of the receipt of an append. */
const FIELDS_OF_EVENT = 11;
const FIELDS_OF_APPEND = 22;

/** The budget of one export: fields, each of which is salted and hashed, and bytes in memory. */
class ExportBudget {
  private fields = 0;
  private bytes = 0;
  private readonly receipts = new Set<string>();

  takes({ payload, receiptId }: StreamEvent): boolean {
    this.bytes += JSON.stringify(payload).length;
    this.fields += FIELDS_OF_EVENT + fieldsOf(payload).length + (this.receipts.has(receiptId) ? 0 : FIELDS_OF_APPEND);
    this.receipts.add(receiptId);
    return this.bytes <= MAX_PAYLOAD_BYTES && this.fields <= MAX_EVENT_FIELDS;
  }
}

function expectSome(events: StreamEvent[], next: StreamEvent): StreamEvent[] {
  if (events.length > 0) return events;
  throw new ExportTooLarge({}, `The event ${next.seq} alone is larger than an export may be.`);
}

function newestOfEachKind(oldestFirst: readonly StoredExecution[]): StoredExecution[] {
  return [...new Map(oldestFirst.map((record) => [record.kind, record])).values()];
}

/** Receipts of a stream ascend, as the format asks; retrieval receipts, which are in none, come last. */
function inChainOrder(records: readonly StoredRecord[]): StoredRecord[] {
  const executions = records.filter((record) => record.family === 'execution');
  const retrievals = records.filter((record) => record.family === 'retrieval');
  executions.sort((a, b) => (a.stream === b.stream ? a.seq - b.seq : a.stream < b.stream ? -1 : 1));
  return [...executions, ...retrievals];
}
