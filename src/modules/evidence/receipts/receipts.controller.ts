import { Controller, Header, Headers, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { anyOf, ok } from '../../../common/contract/contract.js';
import {
  AlgorithmAbsent,
  ReceiptNotLogged,
  ReceiptUnknown,
} from '../../../common/evidence-log/evidence-log.problems.js';
import { ES256_RECEIPT_TYPE, FORM_TYPES } from '../../../common/evidence-log/receipt-forms.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { Route } from '../../../common/contract/route.decorator.js';
import {
  OfTenant,
  ReceiptEnvelope,
  ReceiptListQuery,
  ReceiptPage,
  ReceiptPath,
  VerificationReport,
} from './receipts.dto.js';
import { NotAcceptable, ReceiptDamaged, ReceiptStoreAbsent, ReceiptUnsigned } from './receipts.problems.js';
import { ReceiptsService } from './receipts.service.js';
import { CBOR, COSE, type Shown } from './receipts.types.js';

const tag = 'receipts';
const access = anyOf('receipts:read');
const tenantBound = true as const;
const FAMILIES =
  'Execution receipts are signed and chained; retrieval receipts are addressed by their content and unsigned.';
const ABSENT = 'A build without the store of receipts answers 501 for good; this build has it and never does.';

@Controller()
export class ReceiptsController {
  constructor(private readonly receipts: ReceiptsService) {}

  @Route('GET /v1/receipts/list', {
    tag,
    summary: 'List receipts with counts',
    description: `${FAMILIES} Both are listed, newest first. matched and the counts are exact, whatever the filters and the size of the page.`,
    access,
    tenantBound,
    reply: ok(ReceiptPage),
  })
  async listReceipts(@Caller() caller: DaemonCaller, @Query() query: ReceiptListQuery): Promise<ReceiptPage> {
    return this.receipts.list(caller, query);
  }

  @Route<ReceiptEnvelope | Uint8Array>('GET /v1/receipts/:receiptId', {
    tag,
    summary: 'Read a receipt',
    description: `As JSON, the payload's own bytes (Accept: ${CBOR}), or the signed message (Accept: ${COSE}, execution receipts alone), or with its place in the log in a form that programs of others verify (Accept: ${Object.values(FORM_TYPES).join(', ')}; ${ES256_RECEIPT_TYPE} for a COSE receipt in ES256, where the server has a key for it). The formats are in docs/formats/receipts.md and docs/formats/standard-forms.md. ${ABSENT}`,
    access,
    tenantBound,
    reply: ok(ReceiptEnvelope),
    alsoAs: [CBOR, COSE, ...Object.values(FORM_TYPES)],
    problems: [ReceiptUnknown, ReceiptNotLogged, NotAcceptable, AlgorithmAbsent, ReceiptDamaged, ReceiptStoreAbsent],
  })
  @Header('vary', 'accept')
  async readReceipt(
    @Caller() caller: DaemonCaller,
    @Param() { receiptId }: ReceiptPath,
    @Query() { tenant_id }: OfTenant,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReceiptEnvelope | Uint8Array> {
    return show(reply, await this.receipts.read(caller, { tenantId: tenant_id, receiptId, accept }));
  }

  @Route<ReceiptEnvelope | Uint8Array>('GET /v1/receipts/:receiptId/signature', {
    tag,
    summary: 'Read the signature of a receipt',
    description: `The same envelope; its payload is the signature event: algorithm, key, protected header, signature, and the digest of what was signed. docs/formats/receipts.md says how to verify with it. ${ABSENT}`,
    access,
    tenantBound,
    reply: ok(ReceiptEnvelope),
    alsoAs: [CBOR],
    problems: [ReceiptUnknown, ReceiptUnsigned, NotAcceptable, ReceiptDamaged, ReceiptStoreAbsent],
    tried: { from: { receiptId: 'ingestDocuments#/receipt_id' } },
  })
  @Header('vary', 'accept')
  async readSignature(
    @Caller() caller: DaemonCaller,
    @Param() { receiptId }: ReceiptPath,
    @Query() { tenant_id }: OfTenant,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReceiptEnvelope | Uint8Array> {
    return show(reply, await this.receipts.readSignature(caller, { tenantId: tenant_id, receiptId, accept }));
  }

  @Route('GET /v1/receipts/:receiptId/verification', {
    tag,
    summary: 'Verify a receipt',
    description: `Signature, hash chain and inclusion in the log, computed from the stored bytes on every call. A receipt is tamper-evidence, not proof that an agent did what the record says. ${ABSENT}`,
    access,
    tenantBound,
    reply: ok(VerificationReport),
    problems: [ReceiptUnknown, ReceiptStoreAbsent],
  })
  async verifyReceipt(
    @Caller() caller: DaemonCaller,
    @Param() { receiptId }: ReceiptPath,
    @Query() { tenant_id }: OfTenant,
  ): Promise<VerificationReport> {
    return this.receipts.verify(caller, tenant_id, receiptId);
  }
}

function show(reply: FastifyReply, { contentType, body }: Shown): ReceiptEnvelope | Uint8Array {
  if (contentType !== undefined) void reply.header('content-type', contentType);
  return body;
}
