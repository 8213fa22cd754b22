import type { TenantCaller } from '../../../../common/contract/caller.js';
import { ReceiptUnknown } from '../../../../common/evidence-log/evidence-log.problems.js';
import { isDotSegment } from '../../../../common/http/dot-segment.js';
import type { Problem } from '../../../../common/problem/problem.js';
import type { PackQuery, ProofPackFile, ProofReceipt } from '../proof-receipts.dto.js';
import type { ProofOrder, ProofUpstream } from '../proof-upstream.js';
import type { ProofChargesService } from '../proof-charges.service.js';
import type { ProofChunkPage } from '../proof-chunks.dto.js';
import type { ProofJobRecord, ProofRequest } from '../proofs.dto.js';
import { AnswerUnknown, ProofJobUnknown, ProofSubjectUnknown } from '../proofs.problems.js';
import type { Page } from '../proofs.types.js';
import { readAnswer, type ProofAnswer } from './upstream-answers.rules.js';
import type { UpstreamCall, UpstreamClient } from './upstream-client.js';
import type { Claim, UpstreamClaimsStore } from './upstream-claims.store.js';
import { sha256 } from '../../../../evidence/sha256.js';

/** One question to the upstream: the call, what it is about, and what it means when that is not there. */
interface Question extends UpstreamCall {
  about: Claim;
  unknown: () => Problem;
  isPack?: boolean;
}

/** The proof routes answered by another server: requests and answers pass through as they are, tenants stay apart. */
export class HttpProofUpstream implements ProofUpstream {
  readonly isElsewhere = true;

  constructor(
    private readonly client: UpstreamClient,
    private readonly claims: UpstreamClaimsStore,
    private readonly charges: ProofChargesService,
  ) {}

  /** Paid for once the upstream has taken the job: no account is locked while another server is asked. */
  async open(caller: TenantCaller, { request, idempotencyKey }: ProofOrder): Promise<ProofJobRecord> {
    await this.charges.checkFunds(caller, request);
    const about = subjectOf(request);
    const unknown = () =>
      new ProofSubjectUnknown({ subject: about.id }, 'The proof upstream knows nothing of this name');
    // The tenant and the key are this server's: the upstream gets the tenant of its own, and a key that no other tenant
    // can meet.
    const body = { ...request, tenantId: undefined, idempotencyKey: undefined };
    const key = digest([caller.tenantId, caller.principal, idempotencyKey]);
    const job = await this.ask<ProofJobRecord>(caller, {
      method: 'POST',
      path: '/v1/proof/jobs',
      body,
      idempotencyKey: key,
      about,
      unknown,
    });
    const { agentId, mode } = request;
    if (job.jobId) await this.charges.charge(caller, { jobId: job.jobId, agentId, mode });
    return job;
  }

  /** A job that is seen to have failed gives back what it cost. */
  async readJob(caller: TenantCaller, jobId: string): Promise<ProofJobRecord> {
    const job = await this.ask<ProofJobRecord>(caller, jobQuestion(jobId, ''));
    if (job.status === 'failed') await this.charges.refund(caller.tenantId, jobId);
    return job;
  }

  /** Its jobs are known by their ids alone. */
  findNewest(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  readChunks(caller: TenantCaller, jobId: string, { limit, cursor }: Page): Promise<ProofChunkPage> {
    const query = new URLSearchParams({ limit: String(limit), ...(cursor === undefined ? {} : { cursor }) });
    return this.ask<ProofChunkPage>(caller, jobQuestion(jobId, `/chunks?${query.toString()}`));
  }

  readJobReceipt(caller: TenantCaller, jobId: string): Promise<ProofReceipt> {
    return this.ask<ProofReceipt>(caller, jobQuestion(jobId, '/receipt'));
  }

  readAnswerReceipt(caller: TenantCaller, answerId: string): Promise<ProofReceipt> {
    return this.ask<ProofReceipt>(caller, {
      method: 'GET',
      path: `/v1/proof/answers/${encodeURIComponent(answerId)}/receipt`,
      about: { kind: 'artefact', id: answerId },
      unknown: () => new AnswerUnknown({ answerId }, 'The proof upstream has no such answer'),
    });
  }

  readPack(caller: TenantCaller, receiptId: string, query: PackQuery): Promise<ProofPackFile> {
    const search = query.earlier_checkpoint === undefined ? '' : `?${new URLSearchParams({ ...query }).toString()}`;
    return this.ask<ProofPackFile>(caller, {
      method: 'GET',
      path: `/v1/proof/receipts/${encodeURIComponent(receiptId)}/proofpack${search}`,
      about: { kind: 'receipt', id: receiptId },
      unknown: () => new ReceiptUnknown({ receiptId }, 'The proof upstream has no such receipt'),
      isPack: true,
    });
  }

  /**
   * The answer is checked for `ok` and `contract` alone: whatever else the upstream says is between it and the caller.
   */
  private async ask<T>({ tenantId }: TenantCaller, question: Question): Promise<T> {
    const { about, unknown, isPack = false } = question;
    const holder = await this.claims.holder(tenantId, about);
    // A URL parser takes dots for a step up the path, in whatever form they are sent.
    if (holder === 'other' || isDotSegment(about.id)) throw unknown();
    const reply = await this.client.call(question);
    const jobId = about.kind === 'job' ? about.id : undefined;
    const answer = readAnswer({ upstream: this.client.name, isPack, jobId, unknown }, reply);
    const fresh = isPack ? [] : idsOf(answer);
    const claims = holder === 'self' ? fresh : [about, ...fresh];
    if (claims.length > 0 && !(await this.claims.take(tenantId, claims))) throw unknown();
    return answer as unknown as T;
  }
}

function jobQuestion(jobId: string, rest: string): Question {
  return {
    method: 'GET',
    path: `/v1/proof/jobs/${encodeURIComponent(jobId)}${rest}`,
    about: { kind: 'job', id: jobId },
    unknown: () => new ProofJobUnknown({ jobId }, 'The proof upstream has no such job'),
  };
}

function subjectOf({ answerId, artefact_id, retrievalId, agentId }: ProofRequest): Claim {
  const artefact = answerId ?? artefact_id ?? retrievalId;
  return artefact === undefined ? { kind: 'agent', id: agentId } : { kind: 'artefact', id: artefact };
}

/** The ids an answer hands to the tenant, which it may come back with. */
function idsOf({ jobId, receiptId }: ProofAnswer): Claim[] {
  return [
    ...(typeof jobId === 'string' ? [{ kind: 'job', id: jobId } as const] : []),
    ...(typeof receiptId === 'string' ? [{ kind: 'receipt', id: receiptId } as const] : []),
  ];
}

const digest = (parts: string[]): string => sha256(JSON.stringify(parts)).toString('hex');
