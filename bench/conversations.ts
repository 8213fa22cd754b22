import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What somebody said, under the id by which evidence names it. */
export interface Turn {
  id: string;
  session: string;
  /** As the set has it. */
  date: string;
  speaker: string;
  text: string;
}

/** A question, and the turns that its answer stands in. */
export interface MemoryQuestion {
  id: string;
  text: string;
  category: string;
  evidence: ReadonlySet<string>;
}

/** A memory, and what is asked of it. */
export interface Conversation {
  id: string;
  turns: Turn[];
  questions: MemoryQuestion[];
}

export interface ConversationSet {
  layout: 'locomo' | 'longmemeval';
  /** File names with their bytes, in the order of names. */
  files: { name: string; bytes: Buffer }[];
  conversations: Conversation[];
  /** Questions without evidence among the turns: they cannot be measured. */
  unmeasured: number;
}

/** Files of others: their members are checked where they are read. */
type Json = Record<string, ReturnType<typeof JSON.parse>>;

/**
 * Reads all .json files of a folder, in the layout of LoCoMo (a list of conversations with `session_<n>` and `qa`)
 * or of LongMemEval (a list of questions, each with its own haystack).
 * @throws Error naming the file that is neither
 */
export function readConversations(folder: string): ConversationSet {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
  if (names.length === 0) throw new Error(`${folder} holds no .json file of conversations`);
  const files = names.map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
  const read = files.map(({ name, bytes }) => readFile(name, bytes));
  const layouts = new Set(read.map(({ layout }) => layout));
  if (layouts.size > 1) throw new Error(`${folder} holds files of two layouts; measure them one by one`);
  const all = read.flatMap(({ conversations }) => conversations);
  const conversations = all.map(measurable).filter(({ questions }) => questions.length > 0);
  if (conversations.length === 0)
    throw new Error(`${folder}: no question names evidence among its turns, so that there is nothing to measure`);
  const count = (list: readonly Conversation[]): number =>
    list.reduce((sum, { questions }) => sum + questions.length, 0);
  return { layout: read[0]!.layout, files, conversations, unmeasured: count(all) - count(conversations) };
}

function readFile(name: string, bytes: Buffer): Pick<ConversationSet, 'layout' | 'conversations'> {
  const value = parse(name, bytes);
  const list = (Array.isArray(value) ? value : [value]) as Json[];
  const first = list[0];
  if (first?.['conversation'] !== undefined && Array.isArray(first['qa']))
    return { layout: 'locomo', conversations: list.map(readLocomo) };
  if (Array.isArray(first?.['haystack_sessions']))
    return { layout: 'longmemeval', conversations: list.map(readLongMemEval) };
  throw new Error(`${name} is in neither layout: LoCoMo has conversation and qa, LongMemEval has haystack_sessions`);
}

function parse(name: string, bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new Error(`${name} is no JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** Images are said by their captions: that is all there is of them in text. */
function readLocomo(sample: Json, at: number): Conversation {
  const conversation = sample['conversation'] as Json;
  const numbers = Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
  const turns = numbers.flatMap((number) =>
    (conversation[`session_${number}`] as Json[]).map((turn) => ({
      id: String(turn['dia_id']),
      session: `session_${number}`,
      date: String(conversation[`session_${number}_date_time`] ?? ''),
      speaker: String(turn['speaker']),
      text: [turn['text'], turn['blip_caption'] && `[image: ${turn['blip_caption']}]`].filter(Boolean).join(' '),
    })),
  );
  const id = String(sample['sample_id'] ?? `conversation-${at}`);
  const questions = (sample['qa'] as Json[]).map((one, place) => ({
    id: `${id}/${place}`,
    text: String(one['question']),
    category: String(one['category'] ?? ''),
    evidence: new Set(evidenceOf(one['evidence'])),
  }));
  return { id, turns, questions };
}

/** Some entries name several turns in one text: `D8:6; D9:17`. */
const evidenceOf = (evidence: unknown): string[] =>
  (Array.isArray(evidence) ? evidence : [evidence ?? ''])
    .flatMap((one) => String(one).split(/[;,\s]+/))
    .filter(Boolean);

function readLongMemEval(question: Json): Conversation {
  const ids = question['haystack_session_ids'] as string[];
  const dates = question['haystack_dates'] as string[];
  const evidence = new Set<string>();
  const turns = (question['haystack_sessions'] as Json[][]).flatMap((session, at) =>
    session.map((turn, place) => {
      const id = `${ids[at] ?? at}:${place}`;
      if (turn['has_answer'] === true) evidence.add(id);
      const said = { speaker: String(turn['role']), text: String(turn['content']) };
      return { id, session: String(ids[at] ?? at), date: String(dates[at] ?? ''), ...said };
    }),
  );
  const id = String(question['question_id']);
  const text = String(question['question']);
  return { id, turns, questions: [{ id, text, category: String(question['question_type'] ?? ''), evidence }] };
}

function measurable({ id, turns, questions }: Conversation): Conversation {
  // What nobody said is not stored, so that no way could find it.
  const said = turns.filter(({ text }) => text.trim() !== '');
  const known = new Set(said.map((turn) => turn.id));
  const kept = questions.map((question) => ({
    ...question,
    evidence: new Set([...question.evidence].filter((one) => known.has(one))),
  }));
  return {
    id,
    turns: said,
    questions: kept.filter((one) => one.evidence.size > 0),
  };
}
