import { charsetOf, FILE_KINDS } from './file-kind.rules.js';
import { decodeText } from './decode-text.js';
import { UnreadableFile, type ExtractedFile, type SentFile } from './extraction.types.js';
import { LocatedText } from './located-text.js';

/** Levels that are indented, each by a space. */
const DEEPEST_INDENT = 64;

/**
 * JSON (RFC 8259) with an indent, each member or element of its top level as a part by its JSON pointer (RFC 6901).
 * Members stand in the order of the file, with those whose name is there twice, and numbers as they are written:
 * objects and numbers of the language would keep neither.
 */
export function readJson({ bytes, mediaType }: SentFile): ExtractedFile {
  const source = decodeText(bytes, charsetOf(mediaType));
  checkJson(source);
  const out = new LocatedText();
  const isObject = source.trimStart().startsWith('{');
  for (const { name, text } of membersOf(source)) {
    const part = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    out.add(`${isObject ? `${name}: ` : ''}${text}\n\n`, { part });
  }
  if (out.text === '') out.add(layOut(tokensOf(source)));
  return { text: out.text, contentType: 'text/plain', mediaType: FILE_KINDS.json, locations: out.locations };
}

function checkJson(source: string): void {
  try {
    JSON.parse(source);
  } catch (error) {
    throw new UnreadableFile('The file is not JSON: it cannot be parsed.', { cause: error });
  }
}

/** The members of an object, or the elements of an array by their numbers; none of an empty one, or of a scalar. */
function* membersOf(source: string): Generator<{ name: string; text: string }> {
  const tokens = tokensOf(source);
  const isObject = tokens.next().value === '{';
  for (let index = 0; ; index += 1) {
    const [first, ...rest] = nextMember(tokens);
    if (first === undefined) return;
    if (isObject) yield { name: JSON.parse(first) as string, text: layOut(rest.slice(1)) };
    else yield { name: String(index), text: layOut([first, ...rest]) };
  }
}

/** The tokens up to the comma or bracket that ends a member of the top level. */
function nextMember(tokens: Iterator<string, undefined>): string[] {
  const member: string[] = [];
  let depth = 0;
  for (let token = tokens.next().value; token !== undefined; token = tokens.next().value) {
    if (depth === 0 && (token === ',' || isCloser(token))) break;
    if (isOpener(token)) depth += 1;
    if (isCloser(token)) depth -= 1;
    member.push(token);
  }
  return member;
}

const isOpener = (token: string): boolean => token === '{' || token === '[';
const isCloser = (token: string): boolean => token === '}' || token === ']';

/** As JSON.stringify with an indent of one space. */
function layOut(tokens: Iterable<string>): string {
  const parts: string[] = [];
  let depth = 0;
  let before = '';
  const breakLine = () => parts.push(`\n${' '.repeat(Math.min(depth, DEEPEST_INDENT))}`);
  for (const token of tokens) {
    if (isCloser(token)) depth -= 1;
    // An empty object or array is on one line.
    if (isOpener(before) ? !isCloser(token) : isCloser(token) || before === ',') breakLine();
    if (isOpener(token)) depth += 1;
    parts.push(token === ':' ? ': ' : token);
    before = token;
  }
  return parts.join('');
}

/** The tokens of a text that is JSON: strings without needless escapes, everything else as it is written. */
function* tokensOf(source: string): Generator<string, undefined> {
  for (let at = 0; at < source.length;) {
    const start = at;
    const first = source.charAt(at);
    if (first === '"') {
      at = endOfString(source, start);
      yield JSON.stringify(JSON.parse(source.slice(start, at)));
    } else if (PUNCTUATION.has(first)) {
      at += 1;
      yield first;
    } else if (WHITE_SPACE.has(first)) at += 1;
    else {
      at = endOfScalar(source, start);
      yield source.slice(start, at);
    }
  }
}

const WHITE_SPACE = new Set(' \t\n\r');
const PUNCTUATION = new Set('{}[]:,');

function endOfString(source: string, start: number): number {
  let at = start + 1;
  while (source.charAt(at) !== '"') at += source.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}

function endOfScalar(source: string, start: number): number {
  let at = start;
  while (at < source.length && !PUNCTUATION.has(source.charAt(at)) && !WHITE_SPACE.has(source.charAt(at))) at += 1;
  return at;
}
