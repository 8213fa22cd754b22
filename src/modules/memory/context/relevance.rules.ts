import type { Analyzer } from '../../../search/analysis.js';
import { scoreTexts } from '../../../search/few-texts.js';

/** What one that stands so far from a match gets of the match's worth. */
const SHARES = [0.5, 0.3, 0.1] as const;
/** What stands right after a question gets more of the question's: it may be the answer. */
const ANSWER = 0.75;
/** What is of, or is said by, whom the task names is worth more; what only asks is worth less. */
const NAMED = 1.5;
const ASKING = 0.7;
/** What a piece gets of the worth of its passage. */
const OF_PASSAGE = 0.3;

/** A question mark at its end; what stands in brackets after it is no sentence. */
const ASKS = /[?？؟]["'”’»)]{0,3}\s*(?:\[[^\]]*\]\s*)?$/u;
/** `Ada: I prefer tea.` */
const SAYS = /^\s{0,8}(\p{L}[\p{L}\p{M}\p{N} .'_-]{0,40}):\s/u;

/** Whether a text ends with a question. */
export const asks = (text: string): boolean => ASKS.test(text.slice(-400));

/**
 * What of a match's worth one gets that stands next to it.
 * @param distance 1 for the next one, negative for what stands before the match
 */
export function shareFor(distance: number, isQuestion: boolean): number {
  return distance === 1 && isQuestion ? ANSWER : (SHARES[Math.abs(distance) - 1] ?? 0);
}

/** What the task is about, for whom it names. */
export class Asked {
  private readonly terms: ReadonlySet<string>;

  constructor(
    private readonly analyzer: Analyzer,
    readonly task: string,
  ) {
    this.terms = new Set(analyzer.analyze(task));
  }

  /** What the worth of a text is multiplied by. @param name whose it is; undefined where nobody is named */
  factorFor(name: string | undefined, text: string): number {
    return (this.names(name) ? NAMED : 1) * (asks(text) ? ASKING : 1);
  }

  scores(texts: readonly string[]): number[] {
    return scoreTexts(this.analyzer, this.task, texts);
  }

  private names(name = ''): boolean {
    const terms = this.analyzer.analyze(name);
    return terms.length > 0 && terms.every((term) => this.terms.has(term));
  }
}

/** The name in `speaker:Ada`, `people/ada`: what stands after the last colon or slash. */
export const nameOf = (entity: string): string =>
  entity.slice(Math.max(...[':', '/'].map((c) => entity.lastIndexOf(c))) + 1);

/** A passage that was found, divided: its pieces in their order. */
interface DividedPassage {
  score: number;
  pieces: readonly string[];
}

/**
 * How much each piece of the passages is worth for the task, from 0 to 1: what its words are worth among all pieces
 * (BM25, squared), shares of what is said next to it, and one of its passage.
 */
export function worthOfPieces(asked: Asked, passages: readonly DividedPassage[]): number[][] {
  const scores = asked.scores(passages.flatMap(({ pieces }) => pieces));
  const most = Math.max(...scores, Number.MIN_VALUE);
  const best = Math.max(...passages.map(({ score }) => score), Number.MIN_VALUE);
  let from = 0;
  const worth = passages.map(({ score, pieces }) => {
    const own = pieces.map((_, i) => (scores[from + i]! / most) ** 2);
    from += pieces.length;
    const ofPassage = OF_PASSAGE * (Math.max(score, 0) / best) ** 2;
    return pieces.map(
      (piece, i) => (withNeighbours(own, pieces, i) + ofPassage) * asked.factorFor(SAYS.exec(piece)?.[1], piece),
    );
  });
  const greatest = Math.max(...worth.flat(), Number.MIN_VALUE);
  return worth.map((of) => of.map((value) => value / greatest));
}

function withNeighbours(own: readonly number[], pieces: readonly string[], at: number): number {
  let worth = own[at]!;
  for (let distance = -SHARES.length; distance <= SHARES.length; distance++) {
    const of = own[at - distance];
    if (distance !== 0 && of) worth += of * shareFor(distance, distance === 1 && asks(pieces[at - 1]!));
  }
  return worth;
}
