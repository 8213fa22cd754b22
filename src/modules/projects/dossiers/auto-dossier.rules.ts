import { blake3Digest } from '../../../evidence/digest.js';
import type { CitedAnswer } from '../../knowledge/citations/answers.service.js';
import type { FactRow } from '../../memory/facts/facts.types.js';
import { nameInProject, topicOf } from './project-facts.rules.js';
import type { Anchor, BasedOn, Claim, Contradiction, Uncertainty } from './dossiers.types.js';
import { MAX_ALL_ANCHORS, MAX_ANCHORS, MAX_CLAIMS, MAX_QUESTIONS, MAX_TEXT } from './dossier-limits.types.js';

/** Below this confidence a claim is named as uncertain. */
const SURE = 0.5;

/** What a dossier says, whoever made it. */
export interface DossierContent {
  claims: Claim[];
  uncertainties: Uncertainty[];
  contradictions: Contradiction[];
  open_questions: string[];
}

/** What a dossier is made of. */
export interface AutoSources {
  projectId: string;
  /** The current ones of the project, in order. */
  facts: readonly FactRow[];
  /** The newest version of each answer, in order. */
  answers: readonly CitedAnswer[];
  /** What work waits for. */
  blocked: readonly { title: string; reason: string }[];
}

/**
 * Makes a dossier without a model: a claim for each fact, and one for each answer, in their order, as many as one may
 * have. The id of a claim stays the same while its fact gets new versions, so that two dossiers can be compared.
 */
export function autoDossier(sources: AutoSources): DossierContent & { based_on: Omit<BasedOn, 'as_of_unix_ms'> } {
  const { projectId } = sources;
  const facts = sources.facts.slice(0, MAX_CLAIMS);
  const answers = withinBounds(sources.answers.slice(0, MAX_CLAIMS - facts.length), MAX_ALL_ANCHORS - facts.length);
  const claims = [...facts.map((fact) => claimOfFact(projectId, fact)), ...answers.map(claimOfAnswer)];
  const questions = facts.filter((fact) => topicOf(projectId, fact) === 'questions').map(({ value }) => value);
  const waiting = sources.blocked.map(({ title, reason }) => `${title}: ${reason}`);
  return {
    claims,
    contradictions: [],
    uncertainties: claims.flatMap(({ claim_id, confidence }) =>
      confidence !== null && confidence < SURE
        ? [{ claim_id, reason: `who wrote the fact was sure of it to ${confidence}` }]
        : [],
    ),
    open_questions: [...questions, ...waiting].slice(0, MAX_QUESTIONS).map((text) => cut(text)),
    based_on: {
      facts: facts.map(({ fact_id }) => fact_id),
      receipts: distinct([
        ...facts.flatMap(({ receipt_id }) => receipt_id ?? []),
        ...answers.map(({ answer }) => answer.receiptId),
      ]),
      chunks: distinct(answers.flatMap(({ citations }) => citations.map(({ chunk }) => chunk.chunkId))),
    },
  };
}

function claimOfFact(projectId: string, fact: FactRow): Claim {
  const quote = cut(fact.value);
  const words = quote === '' ? {} : { start: 0, end: quote.length, quote_blake3: blake3Digest(quote) };
  return {
    claim_id: `fact-${shortDigest(JSON.stringify([fact.entity, fact.key]))}`,
    text: cut(`${nameInProject(projectId, fact)}: ${fact.value}`),
    confidence: fact.confidence,
    anchors: [{ ...WHOLE, kind: 'fact', id: fact.fact_id, ...words }],
  };
}

function claimOfAnswer({ answer, citations }: CitedAnswer): Claim {
  const quoted = citations.map(({ chunk, quote }) => quote ?? chunk.content).join(' … ');
  return {
    claim_id: `answer-${shortDigest(answer.answerId)}`,
    text: cut(answer.answerText ?? quoted),
    confidence: null,
    anchors: citations.slice(0, MAX_ANCHORS).map(({ chunk, start, end, quote }): Anchor => ({
      ...{ kind: 'chunk', id: chunk.chunkId, start, end },
      quote_blake3: blake3Digest(quote ?? chunk.content),
    })),
  };
}

/** Those from the first on that have no more citations together. */
function withinBounds(answers: readonly CitedAnswer[], most: number): CitedAnswer[] {
  let left = most;
  const end = answers.findIndex(({ citations }) => (left -= Math.min(citations.length, MAX_ANCHORS)) < 0);
  return end === -1 ? [...answers] : answers.slice(0, end);
}

const WHOLE = { start: null, end: null, quote_blake3: null };

/** As much of a text as a claim holds; no half of a sign. */
function cut(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const begun = text.slice(0, MAX_TEXT);
  return begun.isWellFormed() ? begun : begun.slice(0, -1);
}

const shortDigest = (name: string): string => blake3Digest(name).slice('blake3:'.length, 'blake3:'.length + 20);
const distinct = (names: readonly string[]): string[] => [...new Set(names)];
