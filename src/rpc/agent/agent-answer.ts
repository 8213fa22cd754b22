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

  /** Whether it is the answer of an earlier call, which had the effect. */
  get isReplayed(): boolean {
    return this.data['repeated'] === true;
  }

  /** The same, as the answer of a call that repeats this one. */
  get repeated(): AgentAnswer {
    return new AgentAnswer(this.text, { ...this.data, repeated: true });
  }

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
  /** Lines at the end, and members of the data, where so many items are shown. */
  end?: (shown: number) => Ending;
  /** Where the answer goes on, of a tool that takes a place to go on from; of others a larger budget shows more. */
  goesOn?: (shown: Shown) => Ending;
}

interface Ending {
  lines?: readonly string[];
  data?: Record<string, unknown>;
}

/** What of the items an answer shows. */
export interface Shown {
  count: number;
  /** How many characters of the last of them, where it is cut. */
  cutAt?: number;
}

/** Less than this holds no head. */
export const MIN_BUDGET = 200;
/** A text that is cut ends so. */
const CUT = ' [cut]';
/** The same where nothing follows it that says how the rest is reached. */
const CUT_ALL = ' [cut; raise token_budget]';
/** Of the budget, what the members around the text may take. */
const CUT_ROOM = 16;

/**
 * The answer with as many items, from the first, as the budget holds: tokens of the text and of the data as JSON. The
 * first is cut where it alone is too long, and what is left out is counted. No answer is longer than its budget, down
 * to MIN_BUDGET.
 */
export async function fitAnswer(wanted: AnswerParts, budget: number): Promise<AgentAnswer> {
  const parts = wanted.from === undefined ? wanted : fromCursor(wanted, wanted.from);
  const most = await countFitting(parts, budget);
  for (let count = most; count > 0; count--) {
    const answer = answerOf(parts, parts.items.slice(0, count), { count });
    if (await fits(answer, budget)) return answer;
  }
  return (await cutFirst(parts, budget)) ?? cutAll(answerOf(parts, [], { count: 0 }), budget);
}

/** The items after the cursor, and where they go on. */
function fromCursor({ items, limit = Infinity, ...parts }: AnswerParts, from: number): AnswerParts {
  return {
    ...parts,
    items: items.slice(from, from + limit),
    goesOn: (shown) => {
      const next = from + shown.count;
      if (next >= items.length) return { lines: linesOfCut(shown) };
      const more = `${items.length - next} more: call again with cursor ${next}, or with a larger token_budget`;
      return { lines: [...linesOfCut(shown), more], data: { next_cursor: String(next) } };
    },
  };
}

const linesOfCut = ({ cutAt }: Shown): string[] =>
  cutAt === undefined ? [] : ['The end of it was left out; raise token_budget'];

/** Where nothing is shown, to go on would lead to the same place. */
function restOf({ items, goesOn }: AnswerParts, shown: Shown): Ending {
  if (goesOn && (shown.count > 0 || items.length === 0)) return goesOn(shown);
  const left = items.length - shown.count;
  return { lines: [...linesOfCut(shown), ...(left > 0 ? [`${left} more were left out; raise token_budget`] : [])] };
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
  const bare = answerOf(parts, [{ ...first, text: CUT }], { count: 1, cutAt: first.text.length });
  const left = budget - (await countAll(bare, budget)) - CUT_ROOM;
  const text = left < 1 ? '' : await cutToTokens(first.text, left);
  if (text === '') return undefined;
  const answer = answerOf(parts, [{ ...first, text: text + CUT }], { count: 1, cutAt: text.length });
  return (await fits(answer, budget)) ? answer : undefined;
}

const countAll = async ({ text, data }: AgentAnswer, budget: number): Promise<number> =>
  ((await countTokensWithin(text, budget)) || budget) +
  ((await countTokensWithin(JSON.stringify(data), budget)) || budget);

/** Of an answer whose head alone is too long, its beginning. */
async function cutAll(answer: AgentAnswer, budget: number): Promise<AgentAnswer> {
  if (await fits(answer, budget)) return answer;
  return new AgentAnswer((await cutToTokens(answer.text, budget - CUT_ROOM)) + CUT_ALL);
}

function answerOf(parts: AnswerParts, items: readonly AnswerItem[], shown: Shown): AgentAnswer {
  const endings = [parts.end?.(shown.count) ?? {}, restOf(parts, shown)];
  const lines = endings.flatMap((one) => one.lines ?? []);
  const text = [...parts.head, ...items.map((item) => item.text), ...lines].join('\n');
  const data = Object.assign({}, ...endings.map((one) => one.data)) as Record<string, unknown>;
  return new AgentAnswer(text, { [parts.itemsAs]: items.map((item) => item.data), ...data });
}
