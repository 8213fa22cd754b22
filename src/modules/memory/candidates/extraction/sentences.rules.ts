/** A sentence of a text, in UTF-16 units: what was said, without the marks of a list or the name of a speaker. */
export interface Sentence {
  start: number;
  end: number;
  text: string;
  /** Who says it, where the line begins so: `Ada: I prefer tea.` */
  speaker: string | undefined;
  /** An open box before it: `- [ ] call Ada`. */
  isTodo: boolean;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Longer ones are no statements that a pattern could read. */
const MAX_SENTENCE = 1_000;
const MIN_SENTENCE = 4;

/** After these a full stop ends no sentence. */
const ABBREVIATION =
  /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|e\.g|i\.e|approx|Fig|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)\.\s*$/;

/** The marks of quotations, lists and boxes before the words of a line. */
const MARKS = /^[\s>]{0,40}(?:(?:[-*•+]|\d{1,3}[.)])\s{1,4})?(?<box>\[[ xX]\]\s{1,4})?/;
const SPEAKER = /^(?<name>\p{Lu}[\p{L}'-]{0,30}(?: \p{Lu}[\p{L}'-]{0,30})?|user|human|assistant|system)\s?:\s{1,4}/u;
/** What stands before a colon and is nobody. */
const NO_SPEAKER = new Set(
  ['todo', 'fixme', 'action', 'action item', 'decision', 'note', 'next step', 'to do', 'preference', 'summary'].concat([
    ...['important', 'warning', 'example', 'question', 'answer', 'date', 'subject', 'from', 'agreed', 'decided'],
  ]),
);

/** The sentences of a text. A line ends one; how a line is divided is that of Unicode (UAX 29). */
export function* sentencesOf(text: string): Generator<Sentence> {
  for (const { 0: line, index } of text.matchAll(/[^\n\r\u2028\u2029]+/g)) yield* sentencesOfLine(line, index);
}

function* sentencesOfLine(line: string, at: number): Generator<Sentence> {
  const marks = MARKS.exec(line.slice(0, 80))!;
  const isTodo = /\[ \]/.test(marks.groups?.box ?? '');
  const speaker = speakerOf(line.slice(marks[0].length, marks[0].length + 80));
  let start = marks[0].length + speaker.length;
  for (const end of endsOf(line, start)) {
    const sentence = trimmed(line, start, end);
    start = end;
    const length = sentence.end - sentence.start;
    if (length < MIN_SENTENCE || length > MAX_SENTENCE) continue;
    const said = line.slice(sentence.start, sentence.end);
    yield { start: at + sentence.start, end: at + sentence.end, text: said, speaker: speaker.name, isTodo };
  }
}

function speakerOf(words: string): { name: string | undefined; length: number } {
  const found = SPEAKER.exec(words);
  const name = found?.groups?.name;
  if (!found || name === undefined || NO_SPEAKER.has(name.toLowerCase())) return { name: undefined, length: 0 };
  return { name, length: found[0].length };
}

function* endsOf(line: string, from: number): Generator<number> {
  const body = line.slice(from);
  let last = 0;
  for (const { segment, index } of segmenter.segment(body)) {
    const end = index + segment.length;
    if (end < body.length && ABBREVIATION.test(segment.slice(-12)) && end - last < MAX_SENTENCE) continue;
    yield from + end;
    last = end;
  }
  if (last < body.length) yield from + body.length;
}

function trimmed(line: string, from: number, to: number): { start: number; end: number } {
  let [start, end] = [from, to];
  while (start < end && isSpace(line, start)) start++;
  while (end > start && isSpace(line, end - 1)) end--;
  return { start, end };
}

const isSpace = (line: string, at: number): boolean => line[at]!.trim() === '';
