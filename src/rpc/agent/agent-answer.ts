import { countTokensWithin } from '../../common/tokens/tokenizer.js';
import { cutToTokens } from '../../common/tokens/cut-text.js';

/** The answer of a tool that is made for a model. */
export class AgentAnswer {
  constructor(
    /** What the model reads. */
    readonly text: string,
    /** For programs: ids and numbers; no text that the model has read already. */
    readonly data: Record<string, unknown> = {},
  ) {}

  /** As the result of plain JSON-RPC: one object. */
  toJSON(): Record<string, unknown> {
    return { text: this.text, ...this.data };
  }
}

/** One thing that an answer shows: whole or left out. */
export interface AnswerItem {
  text: string;
  data: object;
}

/** What an answer is made of. */
export interface AnswerParts {
  /** Lines that are always there. */
  head: readonly string[];
  /** Best first. */
  items: readonly AnswerItem[];
  /** The member of the data that lists those that are shown. */
  itemsAs: string;
  /** How many of the items were shown before, where the tool takes a cursor: the rest is then reached by one. */
  from?: number;
  /** Items at most, after those. */
  limit?: number;
  /** Lines at the end, and members of the data, for so many items of which the rest was left out. */
  end?: (shown: number) => { lines?: readonly string[]; data?: Record<string, unknown> };
}

/** Less than this holds no head. */
export const LEAST_BUDGET = 200;
/** A text that is cut ends so. */
const CUT = ' [cut]';
/** Of the budget, what the members around the text may take. */
const CUT_ROOM = 16;

/**
 * The answer with as many items, from the first, as the budget holds: tokens of the text and of the data as JSON. The
 * first is cut where it alone is too long. No answer is longer than its budget, down to LEAST_BUDGET.
 */
export async function fitAnswer(wanted: AnswerParts, budget: number): Promise<AgentAnswer> {
  const parts = wanted.from === undefined ? wanted : fromCursor(wanted, wanted.from);
  const most = await countFitting(parts, budget);
  for (let shown = most; shown > 0; shown--) {
    const answer = answerOf(parts, parts.items.slice(0, shown));
    if (await fits(answer, budget)) return answer;
  }
  return (await cutFirst(parts, budget)) ?? cutAll(answerOf(parts, []), budget);
}

/** The items after the cursor, and where they go on. */
function fromCursor({ items, end, limit = Infinity, ...parts }: AnswerParts, from: number): AnswerParts {
  return {
    ...parts,
    items: items.slice(from, from + limit),
    end: (shown) => {
      const { lines = [], data = {} } = end?.(shown) ?? {};
      const next = from + shown;
      if (next >= items.length) return { lines, data };
      const more = `${items.length - next} more: call again with cursor ${next}, or with a larger token_budget`;
      return { lines: [...lines, more], data: { ...data, next_cursor: String(next) } };
    },
  };
}

/** How many items fit by the sum of their own counts: near enough to begin with. */
async function countFitting({ items }: AnswerParts, budget: number): Promise<number> {
  let left = budget;
  for (const [index, { text, data }] of items.entries()) {
    const tokens = await countTokensWithin(`${text}\n${JSON.stringify(data)},`, left);
    if (tokens === false) return index;
    left -= tokens;
  }
  return items.length;
}

async function fits({ text, data }: AgentAnswer, budget: number): Promise<boolean> {
  const ofText = await countTokensWithin(text, budget);
  return ofText !== false && (await countTokensWithin(JSON.stringify(data), budget - ofText)) !== false;
}

/** The first item alone, with the beginning of its text. */
async function cutFirst(parts: AnswerParts, budget: number): Promise<AgentAnswer | undefined> {
  const [first] = parts.items;
  if (!first) return undefined;
  const bare = answerOf(parts, [{ ...first, text: CUT }]);
  const taken = await countAll(bare, budget);
  const left = budget - taken - CUT_ROOM;
  if (left < 1) return undefined;
  const answer = answerOf(parts, [{ ...first, text: (await cutToTokens(first.text, left)) + CUT }]);
  return (await fits(answer, budget)) ? answer : undefined;
}

const countAll = async ({ text, data }: AgentAnswer, budget: number): Promise<number> =>
  ((await countTokensWithin(text, budget)) || budget) +
  ((await countTokensWithin(JSON.stringify(data), budget)) || budget);

/** Of an answer whose head alone is too long, its beginning. */
async function cutAll(answer: AgentAnswer, budget: number): Promise<AgentAnswer> {
  if (await fits(answer, budget)) return answer;
  return new AgentAnswer((await cutToTokens(answer.text, budget - CUT_ROOM)) + CUT);
}

function answerOf({ head, itemsAs, end }: AnswerParts, shown: readonly AnswerItem[]): AgentAnswer {
  const { lines = [], data = {} } = end?.(shown.length) ?? {};
  const text = [...head, ...shown.map((item) => item.text), ...lines].join('\n');
  return new AgentAnswer(text, { [itemsAs]: shown.map((item) => item.data), ...data });
}
