import type { CitedAnswer } from '../../knowledge/citations/answers.service.js';
import type { Attestation } from '../../knowledge/citations/citations.types.js';
import { documentKeyOf } from '../../knowledge/citations/present-documents.views.js';
import {
  categoriesOf,
  worstState,
  type PassageNow,
  type SourceState,
} from '../../knowledge/citations/source-states.types.js';
import { capsuleOf, holds, sourceOf } from './capsule.rules.js';
import { RENDER_STRATEGY, renderAnswer } from './rendering.rules.js';
import type { PlacedPassage } from './replay.types.js';
import type { AnswerValidity, CitedPassage, CurrentAnswer, HistoricalAnswer, LivingObject } from './validity.dto.js';

/** Everything that was found out. */
export interface Findings {
  tenantId: string;
  asked: CitedAnswer;
  newest: CitedAnswer;
  attestation: Attestation;
  search: { isBroken: boolean; detail: string; profile: string | null; ranking: object | null };
  /** Of the citations of the version asked for, and of the newest. */
  placed: readonly PlacedPassage[];
  placedNewest: readonly PassageNow[];
}

export function reportValidity(findings: Findings): AnswerValidity {
  const { tenantId, asked, attestation, search } = findings;
  const evidence = passagesOf(findings);
  const drift = categoriesOf(evidence.flatMap((passage) => passage.drift));
  const state = worstState(evidence.map((passage) => passage.state));
  const isReplayable = attestation.isAsAttested && evidence.every((passage) => passage.hash_holds);
  const isIntact =
    isReplayable &&
    attestation.receiptCheck === 'OK' &&
    !search.isBroken &&
    evidence.every(({ source_intact }) => source_intact !== false);
  return {
    schema: 'svc.answer-validity/1',
    tenant_id: tenantId,
    answer_id: asked.answer.answerId,
    overall: isIntact ? state : 'broken',
    stale: state === 'drifted' || state === 'unavailable',
    drift_categories: drift,
    capsule_hash: capsuleOf(asked, tenantId).capsule_hash,
    current_answer: currentOf(findings),
    historical_answer: historicalOf(findings),
    historical_replay_available: isReplayable,
    evidence,
    living_objects: livingObjectsOf(findings),
    projection_modules: ['answers', 'receipts', 'documents', ...(search.ranking === null ? [] : ['search'])],
    render_strategy: RENDER_STRATEGY,
    semantic_profile: search.profile,
    agent_required: asked.answer.answerText === null,
    llm_required: asked.answer.answerText === null,
  };
}

function passagesOf({ tenantId, asked, placed }: Findings): CitedPassage[] {
  return asked.citations.map((citation, ordinal) => {
    const { chunk } = citation;
    const place = placed[ordinal]!;
    const { hash, quote } = holds(citation);
    return {
      ordinal,
      chunk_id: chunk.chunkId,
      corpus_id: chunk.corpusId,
      doc_id: chunk.docId,
      source: sourceOf(chunk, tenantId),
      content_hash: chunk.contentHash,
      hash_holds: hash && quote,
      source_intact: place.isSourceIntact,
      state: place.state,
      drift: place.drift,
      recorded_rank: place.recordedRank,
      rank: place.rank,
    };
  });
}

/** Each document once, as its worst passage has it. */
function livingObjectsOf({ tenantId, asked, placed }: Findings): LivingObject[] {
  const byDocument = Map.groupBy(
    asked.citations.map(({ chunk }, index) => ({ chunk, place: placed[index]! })),
    ({ chunk }) => JSON.stringify([documentKeyOf(chunk), chunk.docVersion]),
  );
  return [...byDocument.values()].map((cited) => {
    const { chunk, place } = cited[0]!;
    return {
      corpus_id: chunk.corpusId,
      doc_id: chunk.docId,
      source: sourceOf(chunk, tenantId),
      recorded_version: chunk.docVersion,
      current_version: place.version,
      state: worstState(cited.map((one) => one.place.state)),
    };
  });
}

function historicalOf({ asked: { answer, citations }, attestation }: Findings): HistoricalAnswer {
  return {
    version: answer.version,
    recorded_at: answer.recordedAt.toISOString(),
    text: answer.answerText,
    rendered: renderAnswer(answer.answerText, citations),
    receipt_id: answer.receiptId,
    receipt_check: attestation.receiptCheck,
    as_attested: attestation.isAsAttested,
  };
}

function currentOf({ asked, newest, placedNewest, search }: Findings): CurrentAnswer {
  const { answer, citations } = newest;
  return {
    version: answer.version,
    recorded_at: answer.recordedAt.toISOString(),
    text: answer.answerText,
    rendered: renderAnswer(answer.answerText, citations, placedNewest.map(remarkOn)),
    is_historical: asked === newest,
    ranking: search.detail,
  };
}

const REMARKS: Record<SourceState, (now: PassageNow) => string> = {
  holds: () => '',
  unknown: () => 'its stored text is not what was indexed',
  drifted: ({ version }) => `no longer in the document, which has version ${version} now`,
  unavailable: ({ drift }) => LOSSES[drift[0] ?? ''] ?? 'no longer shared with this tenant',
};
const LOSSES: Readonly<Record<string, string>> = {
  source_deleted: 'the document is deleted',
  quarantined: 'the document is set aside by an incident',
};

const remarkOn = (now: PassageNow): string => REMARKS[now.state](now);
