import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { FactQuarantined } from '../facts/facts.problems.js';
import {
  CandidateList,
  CandidatePath,
  CandidateQuery,
  CandidateReply,
  ChangeCandidate,
  PromoteCandidate,
} from './candidates.dto.js';
import {
  CandidateChanged,
  CandidateDecided,
  CandidateNotEligible,
  CandidateUnknown,
  OperationReused,
  CandidateNotPromoted,
  PromotionOverwritten,
} from './candidates.problems.js';
import { CandidatesService } from './candidates.service.js';
import {
  DecideCandidates,
  CandidateDecidedReply,
  CandidateDecisionsReply,
  CandidatePromotedReply,
  RejectCandidate,
  UndoPromotion,
} from './candidate-decisions.dto.js';
import { CandidateDecisionsService } from './candidate-decisions.service.js';
import { ExtractReply, ExtractRequest } from './extraction.dto.js';
import { ExtractionsService } from './extractions.service.js';
import { PromotionsService } from './promotions.service.js';

const COMMON = { tag: 'candidates', flag: 'autoCapture' } as const;
const reads = anyOf('query:read', 'admin:read');
const writes = anyOf('facts:write', 'admin:write');

@Controller()
export class CandidatesController {
  constructor(
    private readonly extractions: ExtractionsService,
    private readonly candidates: CandidatesService,
    private readonly promotions: PromotionsService,
    private readonly decisions: CandidateDecisionsService,
  ) {}

  @Route('POST /v1/memory/extract', {
    ...COMMON,
    summary: 'Extract candidates from a text',
    description:
      'Looks through a text for statements worth remembering. Each becomes a pending candidate with its exact quote, unless a fact or another candidate says it already; nothing becomes a fact before it is promoted. Credentials are masked before anything is stored.',
    access: writes,
    reply: ok(ExtractReply),
    problems: [OperationReused],
    tried: { body: { text: 'We decided to use PostgreSQL. Ada lives in London. Grace lives in Paris.' } },
  })
  extractCandidates(@Caller() caller: DaemonCaller, @Body() body: ExtractRequest): Promise<ExtractReply> {
    return this.extractions.extract(caller, body);
  }

  @Route('GET /v1/memory/candidates', {
    ...COMMON,
    summary: 'List candidates',
    access: reads,
    reply: ok(CandidateList),
  })
  listCandidates(@Caller() caller: DaemonCaller, @Query() query: CandidateQuery): Promise<CandidateList> {
    return this.candidates.list(caller, query);
  }

  @Route('POST /v1/memory/candidates/decide', {
    ...COMMON,
    extension: true,
    summary: 'Decide on many candidates',
    description: 'Each decision is taken on its own, and has a result of its own.',
    access: writes,
    reply: ok(CandidateDecisionsReply),
    problems: [FactQuarantined],
    tried: { from: { 'body/decisions/0/candidate_id': 'extractCandidates#/candidates/2/candidate_id' } },
  })
  decideCandidates(@Caller() caller: DaemonCaller, @Body() body: DecideCandidates): Promise<CandidateDecisionsReply> {
    return this.decisions.decide(caller, body);
  }

  @Route('GET /v1/memory/candidates/:id', {
    ...COMMON,
    extension: true,
    summary: 'Read a candidate',
    access: reads,
    reply: ok(CandidateReply),
    problems: [CandidateUnknown],
    tried: { from: { id: 'extractCandidates#/candidates/0/candidate_id' } },
  })
  readCandidate(@Caller() caller: DaemonCaller, @Param() { id }: CandidatePath): Promise<CandidateReply> {
    return this.candidates.read(caller, id);
  }

  @Route('PATCH /v1/memory/candidates/:id', {
    ...COMMON,
    extension: true,
    summary: 'Edit a pending candidate',
    description: 'Its quote stays as it is; the receipt says what was changed.',
    access: writes,
    reply: ok(CandidateReply),
    problems: [CandidateUnknown, CandidateDecided, CandidateChanged, CandidateNotEligible],
    tried: { from: { id: 'extractCandidates#/candidates/0/candidate_id' } },
  })
  changeCandidate(
    @Caller() caller: DaemonCaller,
    @Param() { id }: CandidatePath,
    @Body() body: ChangeCandidate,
  ): Promise<CandidateReply> {
    return this.candidates.change(caller, id, body);
  }

  @Route('POST /v1/memory/candidates/:id/promote', {
    ...COMMON,
    summary: 'Promote a candidate to a fact',
    description:
      'Stores the fact with the receipt of the extraction as its source, in one transaction with the decision. 422 says what keeps it from being promoted, as `obstacle`: below_threshold, conflict, duplicate, secret_found.',
    access: writes,
    reply: ok(CandidatePromotedReply),
    problems: [CandidateUnknown, CandidateDecided, CandidateChanged, CandidateNotEligible, FactQuarantined],
    tried: { from: { id: 'extractCandidates#/candidates/0/candidate_id' } },
  })
  promoteCandidate(
    @Caller() caller: DaemonCaller,
    @Param() { id }: CandidatePath,
    @Body() body: PromoteCandidate,
  ): Promise<CandidatePromotedReply> {
    return this.promotions.promote(caller, id, body);
  }

  @Route('POST /v1/memory/candidates/:id/reject', {
    ...COMMON,
    summary: 'Reject a candidate',
    access: writes,
    reply: ok(CandidateDecidedReply),
    problems: [CandidateUnknown, CandidateDecided, CandidateChanged],
    tried: { from: { id: 'extractCandidates#/candidates/1/candidate_id' } },
  })
  rejectCandidate(
    @Caller() caller: DaemonCaller,
    @Param() { id }: CandidatePath,
    @Body() body: RejectCandidate,
  ): Promise<CandidateDecidedReply> {
    return this.decisions.reject(caller, id, body);
  }

  @Route('POST /v1/memory/candidates/:id/undo', {
    ...COMMON,
    extension: true,
    summary: 'Undo a promotion',
    description:
      'Retires the fact, and stores again the value that it superseded, where there was one. The candidate is rejected with the reason.',
    access: writes,
    reply: ok(CandidateDecidedReply),
    problems: [CandidateUnknown, CandidateNotPromoted, PromotionOverwritten, FactQuarantined],
    tried: { from: { id: 'promoteCandidate#/candidate_id' } },
  })
  undoPromotion(
    @Caller() caller: DaemonCaller,
    @Param() { id }: CandidatePath,
    @Body() { reason }: UndoPromotion,
  ): Promise<CandidateDecidedReply> {
    return this.promotions.undo(caller, id, reason);
  }
}
