import type { TenantCaller } from '../../../common/contract/caller.js';
import type { PackQuery, ProofPackFile, ProofReceipt } from './proof-receipts.dto.js';
import type { ProofChunkPage } from './proof-chunks.dto.js';
import type { ProofJobRecord, ProofRequest } from './proofs.dto.js';
import type { Page } from './proofs.types.js';

/** A request for a proof and the key under which its effect happens once. */
export interface ProofOrder {
  request: ProofRequest;
  idempotencyKey: string;
}

/** Who answers the six proof routes (D20): the built-in evidence engine, or another server over HTTP. */
export interface ProofUpstream {
  /** Whether another server is asked: nothing that others wait for may be locked then. */
  readonly isElsewhere: boolean;
  open(caller: TenantCaller, order: ProofOrder): Promise<ProofJobRecord>;
  readJob(caller: TenantCaller, jobId: string): Promise<ProofJobRecord>;
  /** The newest job of an answer that is known here. */
  findNewest(caller: TenantCaller, answerId: string): Promise<ProofJobRecord | undefined>;
  readChunks(caller: TenantCaller, jobId: string, page: Page): Promise<ProofChunkPage>;
  readJobReceipt(caller: TenantCaller, jobId: string): Promise<ProofReceipt>;
  readAnswerReceipt(caller: TenantCaller, answerId: string): Promise<ProofReceipt>;
  readPack(caller: TenantCaller, receiptId: string, query: PackQuery): Promise<ProofPackFile>;
}
export const PROOF_UPSTREAM = Symbol('proof upstream');
