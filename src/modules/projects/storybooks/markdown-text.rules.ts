import type { Statement } from './storybooks.types.js';

/** Characters of a value that stands in a sentence; a longer one stands below it. */
const MAX_INLINE = 400;
/** Characters of a text that stands below a sentence. */
export const MAX_BLOCK = 4_000;
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

/**
 * Text of others as it stands within a line of Markdown: nothing of it is markup, not in CommonMark, GitHub's form or
 * VitePress, to which two braces in a row are code, unless a tag stands between them.
 */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\\`*~|<[\]$}]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replace(/&(?=#?[\p{L}\p{N}]+;)|!(?=\\?[[-])|:(?=[\w+-]+:|\/\/)/gu, '\\$&')
    .replace(/\{+/g, (braces) => [...braces].map((_, place) => (place % 2 === 0 ? '\\{' : '`{`')).join(''));

/** A block of code whose fence nothing within it can end. Comments by which VitePress would read files are broken. */
export function fencedBlock(text: string, indent: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const lines = text.replace(/@include:/g, '@include :').split(/\r\n|[\r\n]/);
  return [`${fence}text`, ...lines, fence].map((line) => (line === '' ? '' : `${indent}${line}`)).join('\n');
}

/** A sentence as Markdown, as text. */
export const sentenceMarkdown = ({ parts }: Pick<Statement, 'parts'>): string =>
  parts.map((part, place) => (place % 2 === 0 ? part : escapeMarkdown(part))).join('');
export const sentenceText = ({ parts }: Pick<Statement, 'parts'>): string => parts.join('');

/**
 * A sentence with values of others in it: say`The port is ${value}.` A value that is long or of several lines is to
 * come by `withBlock`.
 */
export function say(words: TemplateStringsArray, ...values: (string | number)[]): string[] {
  return words.flatMap((word, place) => (place < values.length ? [word, lineOf(String(values[place]))] : [word]));
}

/** The value within the sentence where it is short, else below it, its beginning where it is very long. */
export function withValue(before: string[], value: string, isCut = false): Pick<Statement, 'parts' | 'block'> {
  const isShort = value.length <= MAX_INLINE && !CONTROL.test(value) && value.trim() !== '' && !isCut;
  if (isShort) return { parts: join(before, say`: ${value}`) };
  if (value === '') return { parts: join(before, say`: nothing.`) };
  const shown = cutTo(value, MAX_BLOCK);
  const said = shown.length < value.length || isCut ? say`, which begins so:` : say`:`;
  return { parts: join(before, said), block: shown };
}

/** Sentences one after the other, each with its pieces in their places. */
export const join = (first: string[], second: string[]): string[] => [
  ...first.slice(0, -1),
  `${first.at(-1)}${second[0]}`,
  ...second.slice(1),
];

/** One line, of at most as many characters as stand in a sentence. */
function lineOf(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return line.length <= MAX_INLINE ? line : `${cutTo(line, MAX_INLINE)}…`;
}

function cutTo(text: string, most: number): string {
  const begun = text.slice(0, most);
  return text.length <= most || begun.isWellFormed() ? begun : begun.slice(0, -1);
}
