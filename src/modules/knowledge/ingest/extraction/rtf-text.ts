import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Tokenize } from 'rtf-stream-parser';
import { ToPlainText } from 'rtf-stream-parser/dist/src/ToPlainText.js';
import { FILE_KINDS } from './file-kind.rules.js';
import { UnreadableFile, type ExtractedFile, type SentFile } from './extraction.types.js';

/** Code pages that the WHATWG Encoding Standard has under another name than `windows-<number>`. */
const CODE_PAGES: Readonly<Record<string, string>> = {
  ...{ cp932: 'shift_jis', cp936: 'gbk', cp949: 'euc-kr', cp950: 'big5', cp10000: 'macintosh', cp65001: 'utf-8' },
  ...{ cp20866: 'koi8-r', cp21866: 'koi8-u', cp28591: 'iso-8859-1', cp28592: 'iso-8859-2', cp28595: 'iso-8859-5' },
};

/** Groups that hold something about the document, or a picture of it, and not its text. */
const NOT_TEXT = new Set([
  'info',
  'stylesheet',
  'pict',
  'listtable',
  'listoverridetable',
  'revtbl',
  'xmlnstbl',
  'rsidtbl',
]);

/** What the tokenizer makes of RTF, as far as it is looked at: the numbers are its own. */
const GROUP_START = 0;
const GROUP_END = 1;
interface RtfToken {
  readonly type: number;
  readonly word?: string;
}

/** Words of the file's group that say in which character set it is. */
const CHARACTER_SET = new Set(['rtf', 'ansi', 'mac', 'pc', 'pca', 'ansicpg']);

/** Words that part what stands around them, as words that the reader knows. */
const PARTING: ReadonlyMap<string, string> = new Map([
  ...['cell', 'nestcell'].map((word) => [word, 'tab'] as const),
  ...['row', 'nestrow', 'sect', 'page'].map((word) => [word, 'par'] as const),
]);

const BROKEN = 'The RTF file is damaged or broken off; open it and save it again.';

/**
 * Passes tokens on, but for groups that are no text; ends of cells and rows become tabs and ends of paragraphs. A file
 * that ends within a group is broken off.
 */
function textTokens(): Transform {
  let open = 0;
  let depth = 0;
  let opening: RtfToken | undefined;
  return new Transform({
    objectMode: true,
    transform(token: RtfToken, _encoding, done) {
      open += token.type === GROUP_START ? 1 : token.type === GROUP_END ? -1 : 0;
      const begins = opening;
      opening = undefined;
      if (depth > 0) depth += token.type === GROUP_START ? 1 : token.type === GROUP_END ? -1 : 0;
      else if (begins && NOT_TEXT.has(token.word ?? '')) depth = 1;
      else {
        if (begins) this.push(begins);
        if (token.type === GROUP_START) opening = token;
        else this.push({ ...token, word: PARTING.get(token.word ?? '') ?? token.word });
      }
      done();
    },
    flush: (done) => done(open > 0 ? new UnreadableFile(BROKEN) : null),
  });
}

/** Passes on the title among what the file says of the document, as if it were its text. */
function titleTokens(): Transform {
  /** The words that the open groups begin with. */
  const groups: string[] = [];
  return new Transform({
    objectMode: true,
    transform(token: RtfToken, _encoding, done) {
      const { type, word = ' ' } = token;
      if (type === GROUP_START) groups.push('');
      else if (groups.at(-1) === '') groups.splice(-1, 1, word);
      const isBracket = type === GROUP_START || type === GROUP_END;
      const isOfTitle = groups[1] === 'info' && groups[2] === 'title';
      const isKept = isOfTitle
        ? groups.length > 3 || !(isBracket || word === 'title')
        : groups.length === 1 && (isBracket || CHARACTER_SET.has(word));
      if (isKept) this.push(token);
      if (type === GROUP_END) groups.pop();
      done();
    },
  });
}

/** The text of a document in the Rich Text Format, without pictures, fields and notes to the format itself. */
export async function readRtf({ bytes }: SentFile): Promise<ExtractedFile> {
  const text = (await plainTextOf(bytes, textTokens())).replace(/\r\n?/g, '\n').trim();
  if (text === '') throw new UnreadableFile('The RTF file has no text.');
  const title = (await plainTextOf(bytes, titleTokens())).trim() || undefined;
  return { text: `${text}\n`, contentType: 'text/plain', mediaType: FILE_KINDS.rtf, title, locations: [] };
}

/** @param tokens what of the file is its text */
async function plainTextOf(bytes: Uint8Array, tokens: Transform): Promise<string> {
  const parts: string[] = [];
  try {
    const reader = new ToPlainText({ decode: decodePage, outputMode: 'string', warn: () => undefined });
    await pipeline(Readable.from([Buffer.from(bytes)]), new Tokenize(), tokens, reader, async (chunks) => {
      for await (const chunk of chunks) parts.push(String(chunk));
    });
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile(BROKEN, { cause: error });
  }
  return parts.join('');
}

function decodePage(bytes: Buffer, codePage: string): string {
  const charset = CODE_PAGES[codePage] ?? codePage.replace(/^cp/, 'windows-');
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    throw new UnreadableFile(`The RTF file is in code page ${codePage}, which is not read; save it as DOCX.`, {
      cause: error,
    });
  }
}
