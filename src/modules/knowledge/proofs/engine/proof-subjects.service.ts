import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import type { Digest } from '../../../../evidence/digest.js';
import { isUuid } from '../../../../common/ids/uuid-form.js';
import { invalid } from '../../../../common/problem/common-problems.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { AnswersService } from '../../citations/answers.service.js';
import { CitationsService } from '../../citations/citations.service.js';
import type { RecordedSearch, ResolvedCitation, VisibleChunk } from '../../citations/citations.types.js';
import { BindingsService } from '../../ingest/bindings.service.js';
import type { RecordedPassage } from '../../retrieval/retrieval.types.js';
import type { ProofRequest } from '../proofs.dto.js';
import { ProofSubjectUnknown } from '../proofs.problems.js';
import type { ExpectedChunk, Grounds, Subject, Target } from './proof-job.types.js';
import { ProofSubjectsViews } from './proof-subjects.views.js';

export interface FoundSubject {
  subject: Subject;
  target: Target;
}

/** Finds what a request wants proven, and what that rests on. Needs an open unit of work. */
@Injectable()
export class ProofSubjectsService {
  constructor(
    private readonly answers: AnswersService,
    private readonly citations: CitationsService,
    private readonly bindings: BindingsService,
    private readonly views: ProofSubjectsViews,
    private readonly tenancy: Tenancy,
  ) {}

  /** @throws ValidationFailed where members name different things; ProofSubjectUnknown */
  async read(caller: TenantCaller, request: ProofRequest): Promise<FoundSubject> {
    const { answerId, artefact_id: artefact, retrievalId, agentId } = request;
    checkNames(request);
    if (retrievalId !== undefined) {
      return (
        (await this.findRetrieval(caller, retrievalId)) ??
        unknown(
          retrievalId,
          'No retrieval in the lane verified or audit answered this retrievalId; light ones have none',
        )
      );
    }
    if (answerId !== undefined) {
      return (
        (await this.findAnswer(answerId)) ??
        unknown(answerId, 'No answer with this answerId is recorded; POST /v1/citations records one')
      );
    }
    if (artefact === undefined) {
      return (
        (await this.findSearch(caller, agentId)) ??
        unknown(null, `Agent ${agentId} has retrieved nothing yet; name an answerId, artefact_id or retrievalId`)
      );
    }
    return (
      (await this.findAnswer(artefact)) ??
      (await this.findChunk(artefact)) ??
      (await this.findRetrieval(caller, artefact)) ??
      (await this.findDocument(artefact)) ??
      unknown(artefact, 'There is no answer, passage, retrieval or document (as corpusId/docId) of this name')
    );
  }

  /** What the subject rests on, as it was recorded. */
  async readGrounds(target: Target): Promise<Grounds> {
    switch (target.type) {
      case 'answer':
        return this.groundsOfAnswer(target.answerId, target.version);
      case 'document': {
        const { corpusId, docId, version } = target;
        const named = { ownerTenantId: this.tenancy.tenant, corpusId, docId, docVersion: version };
        const chunks = await this.views.findChunks(target);
        return { ...NO_ANSWER, chunks, receiptIds: await this.bindings.findReceipts(named) };
      }
      case 'chunk':
        return { ...NO_ANSWER, chunks: [target.chunk], receiptIds: await this.bindings.findReceipts(target.chunk) };
      case 'retrieval':
        return {
          answerText: null,
          chunks: target.search.results.map(expectFound),
          search: target.search,
          receiptIds: receiptsOf(target.search),
        };
    }
  }

  private async findAnswer(answerId: string): Promise<FoundSubject | undefined> {
    const found = await this.answers.findAnswer(answerId);
    if (!found) return undefined;
    const { version } = found.answer;
    return { subject: { type: 'answer', id: answerId, version }, target: { type: 'answer', answerId, version } };
  }

  private async findChunk(chunkId: string): Promise<FoundSubject | undefined> {
    const chunk = (await this.answers.findChunks([chunkId])).get(chunkId);
    return (
      chunk && {
        subject: { type: 'chunk', id: chunkId, version: null },
        target: { type: 'chunk', chunk: expectPresent(chunk) },
      }
    );
  }

  private async findDocument(written: string): Promise<FoundSubject | undefined> {
    const found = await this.views.findDocument(written);
    return (
      found && {
        subject: { type: 'document', id: written, version: found.version },
        target: { type: 'document', ...found },
      }
    );
  }

  private async findSearch(caller: TenantCaller, agentId: string): Promise<FoundSubject | undefined> {
    return foundSearch(await this.citations.findLastSearch(caller, agentId));
  }

  private async findRetrieval(caller: TenantCaller, retrievalId: string): Promise<FoundSubject | undefined> {
    return isUuid(retrievalId) ? foundSearch(await this.citations.findSearch(caller, retrievalId)) : undefined;
  }

  private async groundsOfAnswer(answerId: string, version: number): Promise<Grounds> {
    const found = await this.answers.readAnswer(answerId, version);
    const { retrieval: search, receiptId, answerText } = found.answer;
    const ranks = new Map(search?.results.map(({ chunkId }, index) => [chunkId, index + 1]));
    return {
      chunks: found.citations.map((citation) => expectCited(citation, ranks)),
      answerText,
      search,
      receiptIds: [receiptId, ...(search ? receiptsOf(search) : [])],
    };
  }
}

function checkNames({ answerId, artefact_id: artefact, retrievalId }: ProofRequest): void {
  const named = answerId ?? artefact;
  if (artefact !== undefined && artefact !== named)
    throw invalid('body.artefact_id', 'names another thing than body.answerId; send one of them');
  if (retrievalId !== undefined && named !== undefined && retrievalId !== named) {
    const member = answerId === undefined ? 'artefact_id' : 'answerId';
    throw invalid('body.retrievalId', `names another thing than body.${member}; send one of them`);
  }
}

const foundSearch = (search: RecordedSearch | undefined): FoundSubject | undefined =>
  search && {
    subject: { type: 'retrieval', id: search.retrievalId, version: null },
    target: { type: 'retrieval', search },
  };

const NO_ANSWER = { answerText: null, search: null };

function unknown(subject: string | null, detail: string): never {
  throw new ProofSubjectUnknown({ subject }, detail);
}

const receiptsOf = ({ receiptId, executionReceiptId }: RecordedSearch): string[] =>
  [receiptId, executionReceiptId].filter((id) => id !== null);

function expectPresent(chunk: VisibleChunk): ExpectedChunk {
  const { chunkId, ownerTenantId, corpusId, docId, docVersion, title, url, contentHash, shareability } = chunk;
  return {
    chunkId,
    ownerTenantId,
    corpusId,
    docId,
    docVersion,
    title,
    url,
    contentHash,
    quote: null,
    shareability,
    recordedRank: null,
  };
}

function expectCited({ chunk, quote }: ResolvedCitation, ranks: ReadonlyMap<string, number>): ExpectedChunk {
  return { ...expectPresent(chunk), quote, recordedRank: ranks.get(chunk.chunkId) ?? null };
}

function expectFound(found: RecordedPassage, index: number): ExpectedChunk {
  const { chunkId, ownerTenantId, corpusId, docId, version, contentHash } = found;
  return {
    chunkId,
    ownerTenantId,
    corpusId,
    docId,
    docVersion: version,
    contentHash: contentHash as Digest,
    quote: null,
    recordedRank: index + 1,
  };
}
