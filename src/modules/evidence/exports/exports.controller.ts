import { Controller, Header, Headers, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { allOf, anyOf } from '../../../common/contract/contract.js';
import { ReceiptNotLogged, ReceiptUnknown } from '../../../common/evidence-log/evidence-log.problems.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { Route } from '../../../common/contract/route.decorator.js';
import {
  ActionOfExport,
  AnswerOfExport,
  EntityOfExport,
  type ExportBody,
  ExportQuery,
  ReceiptOfExport,
  StreamExportQuery,
  StreamOfExport,
  SubjectExportQuery,
} from './exports.dto.js';
import { EvidenceDamaged, ExportStoreAbsent, ExportTooLarge, SubjectUnknown } from './exports.problems.js';
import { ExportsService } from './exports.service.js';
import { attach, EXPORT_REPLY } from './exports.views.js';
import { MAX_EVENTS, SubjectsService } from './subjects.service.js';

const COMMON = {
  tag: 'exports',
  tenantBound: true,
  ...EXPORT_REPLY,
} as const;
const FORM =
  'The answer is a file that verifies offline, with `svc verify` or any program that follows docs/formats/export.md. Its manifest and signature are the same whatever is shown or withheld.';
const ABSENT = 'A build without the store answers 501 for good; this build has it and never does.';
const subjectAccess = allOf('exports:read', 'receipts:read');

@Controller()
export class ExportsController {
  constructor(
    private readonly exports: ExportsService,
    private readonly subjects: SubjectsService,
  ) {}

  @Route<ExportBody | Uint8Array>('GET /v1/replay/exports/receipts/:receiptId', {
    ...COMMON,
    summary: 'Export a receipt with its proofs',
    description: `${FORM} ${ABSENT}`,
    access: subjectAccess,
    problems: [ReceiptUnknown, ReceiptNotLogged, ExportTooLarge, EvidenceDamaged, ExportStoreAbsent],
    tried: { from: { receiptId: 'listReceipts#/rows/0/receipt_id' } },
  })
  @Header('vary', 'accept')
  async exportReceipt(
    @Caller() caller: DaemonCaller,
    @Param() { receiptId }: ReceiptOfExport,
    @Query() { tenant_id: tenantId, ...how }: ExportQuery,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportBody | Uint8Array> {
    const gather = () => this.subjects.gatherReceipt(receiptId);
    const request = { tenantId, subject: 'receipt', mode: 'latest', gather } as const;
    return attach(reply, await this.exports.make(caller, request, { ...how, accept }));
  }

  @Route<ExportBody | Uint8Array>('GET /v1/replay/exports/answers/:answerId', {
    ...COMMON,
    summary: 'Export an answer with citations and receipts',
    description: `${FORM} Answers come to be by POST /v1/citations of the tenant API.`,
    access: subjectAccess,
    problems: [SubjectUnknown, ReceiptNotLogged, ExportTooLarge, EvidenceDamaged],
  })
  @Header('vary', 'accept')
  async exportAnswer(
    @Caller() caller: DaemonCaller,
    @Param() { answerId }: AnswerOfExport,
    @Query() { tenant_id: tenantId, mode, ...how }: SubjectExportQuery,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportBody | Uint8Array> {
    const gather = () => this.subjects.gatherAnswer(answerId, mode);
    const request = { tenantId, subject: 'answer', mode, gather } as const;
    return attach(reply, await this.exports.make(caller, request, { ...how, accept }));
  }

  @Route<ExportBody | Uint8Array>('GET /v1/replay/exports/actions/:actionId', {
    ...COMMON,
    summary: 'Export the receipts and events of a subject',
    description: `${FORM} The mode latest has the newest receipt of each kind, audit has all.`,
    access: subjectAccess,
    problems: [SubjectUnknown, ReceiptNotLogged, ExportTooLarge, EvidenceDamaged],
  })
  @Header('vary', 'accept')
  async exportAction(
    @Caller() caller: DaemonCaller,
    @Param() { actionId }: ActionOfExport,
    @Query() { tenant_id: tenantId, mode, ...how }: SubjectExportQuery,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportBody | Uint8Array> {
    const gather = () => this.subjects.gatherAction(actionId, mode);
    const request = { tenantId, subject: 'action', mode, gather } as const;
    return attach(reply, await this.exports.make(caller, request, { ...how, accept }));
  }

  @Route<ExportBody | Uint8Array>('GET /v1/replay/exports/facts/:entity', {
    extension: true,
    ...COMMON,
    summary: 'Export the facts of an entity with receipts',
    description: `${FORM} It has every version of every key that the caller may see, deletions too, each with the path to the receipt that binds it: the newest of them where there are more than one export can hold. Versions that an incident has set aside or that were compacted are not there, nor those of the same key before them: the manifest is not complete then. A fact that is not what its receipt binds is not exported: the answer says which it is.`,
    access: subjectAccess,
    problems: [SubjectUnknown, ReceiptNotLogged, ExportTooLarge, EvidenceDamaged],
    tried: { parameters: { entity: 'user:ada' } },
  })
  @Header('vary', 'accept')
  async exportEntity(
    @Caller() caller: DaemonCaller,
    @Param() { entity }: EntityOfExport,
    @Query() { tenant_id: tenantId, ...how }: ExportQuery,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportBody | Uint8Array> {
    const gather = () => this.subjects.gatherEntity(caller, entity);
    const request = { tenantId, subject: 'entity', mode: 'latest', gather } as const;
    return attach(reply, await this.exports.make(caller, request, { ...how, accept }));
  }

  @Route<ExportBody | Uint8Array>('GET /v1/replay/exports/streams/:streamType/:streamId', {
    ...COMMON,
    summary: 'Export stream events with their append receipts',
    description: `${FORM} A stream that was never appended to gives an export without events. ${ABSENT}`,
    access: anyOf('exports:read'),
    problems: [ReceiptNotLogged, ExportTooLarge, EvidenceDamaged, ExportStoreAbsent],
  })
  @Header('vary', 'accept')
  async exportStream(
    @Caller() caller: DaemonCaller,
    @Param() stream: StreamOfExport,
    @Query() { tenant_id: tenantId, from_seq, to_seq, max_events, ...how }: StreamExportQuery,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportBody | Uint8Array> {
    const range = { fromSeq: countable(from_seq), toSeq: to_seq === undefined ? undefined : countable(to_seq) };
    const gather = () => this.subjects.gatherStream(stream, { ...range, max: Math.min(max_events, MAX_EVENTS) });
    const request = { tenantId, subject: 'stream', mode: 'latest', gather } as const;
    return attach(reply, await this.exports.make(caller, request, { ...how, accept }));
  }
}

const countable = (seq: number): number => Math.min(seq, Number.MAX_SAFE_INTEGER);
