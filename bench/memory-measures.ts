import { mean, ndcg, recall } from './measures.js';

/** What one way to remember answered to one question. */
export interface Answered {
  /** Ids of turns, in the order in which the answer shows them, each once. */
  turns: string[];
  /** Of the texts that were answered, o200k_base. */
  tokens: number;
  /** Of the whole answer, as JSON. */
  sent: number;
}

export interface Way {
  recall: number;
  ndcg10: number;
  recall10: number;
  /** By question, on average. */
  tokens: number;
  sent: number;
}

/** Averages over the questions. */
export function rateWay(answers: readonly Answered[], evidence: readonly ReadonlySet<string>[]): Way {
  const average = (of: (answer: Answered, grades: Map<string, number>) => number): number =>
    mean(answers.map((answer, i) => of(answer, new Map([...evidence[i]!].map((id) => [id, 1])))));
  return {
    recall: average(({ turns }, grades) => recall(turns, grades, turns.length)),
    recall10: average(({ turns }, grades) => recall(turns, grades, 10)),
    ndcg10: average(({ turns }, grades) => ndcg(turns, grades, 10)),
    tokens: mean(answers.map(({ tokens }) => tokens)),
    sent: mean(answers.map(({ sent }) => sent)),
  };
}
