import { Body, Controller, Headers, Inject, Param, Query, UseGuards } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { accepted, ok, seats, type RouteDeclaration } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { ReceiptNotLogged, ReceiptUnknown } from '../../../common/evidence-log/evidence-log.problems.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { SearchBehindGuard } from '../citations/search-behind.guard.js';
import { CreditsExhausted } from '../../economy/ledger/economy.problems.js';
import { AnswerPath, PackQuery, ProofPackFile, ProofReceipt, ReceiptPath } from './proof-receipts.dto.js';
import { PROOF_UPSTREAM, type ProofUpstream } from './proof-upstream.js';
import { ProofChunkPage } from './proof-chunks.dto.js';
import { ProofJobPath, ProofJobRecord, ProofRequest } from './proofs.dto.js';
import {
  AnswerUnknown,
  ProofJobFailed,
  ProofJobUnfinished,
  ProofJobUnknown,
  ProofSubjectUnknown,
  UpstreamContractDrift,
  UpstreamRefused,
} from './proofs.problems.js';

const SHARED = {
  tag: 'proofs',
  flag: 'proofs',
  access: seats('owner', 'admin', 'member'),
} satisfies Partial<RouteDeclaration<unknown>>;
const UPSTREAM = [UpstreamContractDrift, UpstreamRefused];

@Controller()
export class ProofsController {
  constructor(@Inject(PROOF_UPSTREAM) private readonly proofs: ProofUpstream) {}

  @UseGuards(SearchBehindGuard)
  @Route('POST /v1/proof/jobs', {
    ...SHARED,
    summary: 'Start a proof job',
    description:
      'What is proven: an answer, a document, a passage or a retrieval, by answerId, artefact_id or retrievalId; with none of them, the last retrieval of the agent. It must exist now (404 ProofSubjectUnknown). The job runs in the background: ' +
      'poll links.self until status is completed or failed, then fetch links.proofpack. Further members are taken and kept. ' +
      'A job costs the agent 1 credit in mode light, 5 in verified, 20 in audit: once, however often it is tried, and given back when it fails; 429 CreditsExhausted without them.',
    reply: accepted(ProofJobRecord),
    problems: [ProofSubjectUnknown, CreditsExhausted, ...UPSTREAM],
  })
  openProofJob(
    @Caller() caller: TenantCaller,
    @Body() request: ProofRequest,
    @Headers('x-idempotency-key') key: string | undefined,
  ): Promise<ProofJobRecord> {
    return this.proofs.open(caller, { request, idempotencyKey: key || request.idempotencyKey || '' });
  }

  @Route('GET /v1/proof/jobs/:id', {
    ...SHARED,
    summary: 'Get a proof job',
    description: 'Its status and, once it has ended, its findings.',
    reply: ok(ProofJobRecord),
    problems: [ProofJobUnknown, ...UPSTREAM],
  })
  readProofJob(@Caller() caller: TenantCaller, @Param() { id }: ProofJobPath): Promise<ProofJobRecord> {
    return this.proofs.readJob(caller, id);
  }

  @Route('GET /v1/proof/jobs/:id/chunks', {
    ...SHARED,
    summary: 'List the passages a proof job checked',
    reply: ok(ProofChunkPage),
    problems: [ProofJobUnknown, ...UPSTREAM],
  })
  listProofChunks(
    @Caller() caller: TenantCaller,
    @Param() { id }: ProofJobPath,
    @Query() page: PageQuery,
  ): Promise<ProofChunkPage> {
    return this.proofs.readChunks(caller, id, page);
  }

  @Route('GET /v1/proof/jobs/:id/receipt', {
    ...SHARED,
    summary: 'Get the receipt of a proof job',
    description:
      'The signed receipt of a completed job. 409 ProofJobUnfinished, with retry-after, until the job ends; 409 ProofJobFailed when it failed.',
    reply: ok(ProofReceipt),
    problems: [ProofJobUnknown, ProofJobUnfinished, ProofJobFailed, ...UPSTREAM],
  })
  readProofJobReceipt(@Caller() caller: TenantCaller, @Param() { id }: ProofJobPath): Promise<ProofReceipt> {
    return this.proofs.readJobReceipt(caller, id);
  }

  @Route('GET /v1/proof/answers/:answerId/receipt', {
    ...SHARED,
    summary: 'Get the receipt of an answer',
    description: 'The signed receipt of its newest recording.',
    reply: ok(ProofReceipt),
    problems: [AnswerUnknown, ...UPSTREAM],
  })
  readAnswerReceipt(@Caller() caller: TenantCaller, @Param() { answerId }: AnswerPath): Promise<ProofReceipt> {
    return this.proofs.readAnswerReceipt(caller, answerId);
  }

  @Route('GET /v1/proof/receipts/:receiptId/proofpack', {
    ...SHARED,
    summary: 'Download the proof pack of a receipt',
    description:
      'One file that verifies offline. The body is the file: save it as it is (curl -o pack.json) and check it with `svc verify pack.json`. Every byte of it is covered, so do not reformat it. ' +
      'Any execution receipt of the tenant has a pack; that of a proof.completed receipt holds the passages and everything the proof rests on. ' +
      'The members shown are those a reader looks at; docs/formats specifies all of them.',
    reply: ok(ProofPackFile),
    problems: [ReceiptUnknown, ReceiptNotLogged, ...UPSTREAM],
  })
  readProofPack(
    @Caller() caller: TenantCaller,
    @Param() { receiptId }: ReceiptPath,
    @Query() query: PackQuery,
  ): Promise<ProofPackFile> {
    return this.proofs.readPack(caller, receiptId, query);
  }
}
