import { Controller, Header, Headers, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ok } from '../../common/contract/contract.js';
import { ReceiptNotLogged, ReceiptUnknown } from '../../common/evidence/evidence.problems.js';
import { Acting, type DaemonCaller } from '../../daemon/auth/daemon-caller.js';
import { DaemonRoute } from '../../daemon/contract/daemon-route.decorator.js';
import { allOf, anyOf } from '../../daemon/contract/scopes.js';
import {
  ActionOfExport,
  AnswerOfExport,
  ExportBody,
  ExportQuery,
  ReceiptOfExport,
  StreamExportQuery,
  StreamOfExport,
  SubjectExportQuery,
} from './exports.dto.js';
import { EvidenceDamaged, ExportStoreAbsent, ExportTooLarge, SubjectUnknown } from './exports.problems.js';
import { ExportsService } from './exports.service.js';
import { EXPORT_TYPES, type SentExport } from './exports.types.js';
import { MOST_EVENTS, SubjectsService } from './subjects.service.js';

const COMMON = {
  tag: 'exports',
  tenantBound: true,
  reply: ok(ExportBody),
  alsoAs: [EXPORT_TYPES.cbor, EXPORT_TYPES.zip],
} as const;
const FORM =
  'The answer is a file that verifies offline, with `svc verify` or any program that follows docs/formats/export.md. Its manifest and signature are the same whatever is shown or withheld.';
const ABSENT = 'A build without the store answers 501 for good; this build has it and never does.';
const subjectScopes = allOf('exports:read', 'receipts:read');

@Controller()
export class ExportsController {
  constructor(
    private readonly exports: ExportsService,
    private readonly subjects: SubjectsService,
  ) {}

  @DaemonRoute<ExportBody | Uint8Array>('GET /v1/replay/exports/receipts/:receiptId', {
    ...COMMON,
    summary: 'Export a receipt with its proofs',
    description: `${FORM} ${ABSENT}`,
    scopes: subjectScopes,
    problems: [ReceiptUnknown, ReceiptNotLogged, ExportTooLarge, EvidenceDamaged, ExportStoreAbsent],
  })
  @Header('vary', 'accept')
  async exportReceipt(
    @Acting() caller: DaemonCaller,
    @Param() { receiptId }: ReceiptOfExport,
    @Query() { tenant_id: tenantId, ...how }: ExportQuery,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportBody | Uint8Array> {
    const gather = () => this.subjects.gatherReceipt(receiptId);
    const request = { tenantId, subject: 'receipt', mode: 'latest', gather } as const;
    return attach(reply, await this.exports.make(caller, request, { ...how, accept }));
  }

  @DaemonRoute<ExportBody | Uint8Array>('GET /v1/replay/exports/answers/:answerId', {
    ...COMMON,
    summary: 'Export an answer: its text, what it cites, and their receipts',
    description: FORM,
    scopes: subjectScopes,
    problems: [SubjectUnknown, ReceiptNotLogged, ExportTooLarge, EvidenceDamaged],
  })
  @Header('vary', 'accept')
  async exportAnswer(
    @Acting() caller: DaemonCaller,
    @Param() { answerId }: AnswerOfExport,
    @Query() { tenant_id: tenantId, mode, ...how }: SubjectExportQuery,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportBody | Uint8Array> {
    const gather = () => this.subjects.gatherAnswer(answerId, mode);
    const request = { tenantId, subject: 'answer', mode, gather } as const;
    return attach(reply, await this.exports.make(caller, request, { ...how, accept }));
  }

  @DaemonRoute<ExportBody | Uint8Array>('GET /v1/replay/exports/actions/:actionId', {
    ...COMMON,
    summary: 'Export what happened about an id: receipts and events',
    description: `${FORM} The mode latest has the newest receipt of each kind, audit has all.`,
    scopes: subjectScopes,
    problems: [SubjectUnknown, ReceiptNotLogged, ExportTooLarge, EvidenceDamaged],
  })
  @Header('vary', 'accept')
  async exportAction(
    @Acting() caller: DaemonCaller,
    @Param() { actionId }: ActionOfExport,
    @Query() { tenant_id: tenantId, mode, ...how }: SubjectExportQuery,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportBody | Uint8Array> {
    const gather = () => this.subjects.gatherAction(actionId, mode);
    const request = { tenantId, subject: 'action', mode, gather } as const;
    return attach(reply, await this.exports.make(caller, request, { ...how, accept }));
  }

  @DaemonRoute<ExportBody | Uint8Array>('GET /v1/replay/exports/streams/:streamType/:streamId', {
    ...COMMON,
    summary: 'Export events of a stream with the receipts of their appends',
    description: `${FORM} A stream that was never appended to gives an export without events. ${ABSENT}`,
    scopes: anyOf('exports:read'),
    problems: [ReceiptNotLogged, ExportTooLarge, EvidenceDamaged, ExportStoreAbsent],
  })
  @Header('vary', 'accept')
  async exportStream(
    @Acting() caller: DaemonCaller,
    @Param() stream: StreamOfExport,
    @Query() { tenant_id: tenantId, from_seq, to_seq, max_events, ...how }: StreamExportQuery,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ExportBody | Uint8Array> {
    const range = { fromSeq: countable(from_seq), toSeq: to_seq === undefined ? undefined : countable(to_seq) };
    const gather = () => this.subjects.gatherStream(stream, { ...range, max: Math.min(max_events, MOST_EVENTS) });
    const request = { tenantId, subject: 'stream', mode: 'latest', gather } as const;
    return attach(reply, await this.exports.make(caller, request, { ...how, accept }));
  }
}

const countable = (seq: number): number => Math.min(seq, Number.MAX_SAFE_INTEGER);

function attach(reply: FastifyReply, { contentType, fileName, bytes }: SentExport): Uint8Array {
  void reply.header('content-type', contentType).header('content-disposition', `attachment; filename="${fileName}"`);
  return bytes;
}
