import { readTextBelow } from '../../../../common/config/text-below.js';
import { SCAN_LIMITS } from '../workspace-scan.rules.js';
import type { FoundSymbol } from '../workspace-scan.types.js';
import { readByGrammar } from './grammar-symbols.js';
import { languageOf, type Language } from './symbol-languages.js';
import type { FileSymbols } from './symbols.types.js';
import { readTypescript } from './typescript-symbols.js';

/** Characters of a name. */
const MAX_NAME = 300;

/** The symbols of a file below a folder, in the order in which they stand there. */
export async function readSymbols(root: string, path: string): Promise<FileSymbols> {
  const language = languageOf(path);
  if (language === undefined) return { path, symbols: [] };
  let text: string;
  try {
    text = await readTextBelow(root, path, SCAN_LIMITS.symbolFileBytes);
  } catch {
    return { path, symbols: [], problem: 'unreadable' };
  }
  try {
    return { path, symbols: (await parse(language, path, text)).map(storable) };
  } catch {
    return { path, symbols: [], problem: 'not_parsed' };
  }
}

const parse = async (language: Language, path: string, text: string): Promise<FoundSymbol[]> =>
  language === 'typescript' || language === 'javascript' ? readTypescript(path, text) : readByGrammar(language, text);

/** PostgreSQL keeps no NUL; a name is one line. */
const storable = (symbol: FoundSymbol): FoundSymbol => ({
  ...symbol,
  name: symbol.name.slice(0, MAX_NAME).toWellFormed().replaceAll('\0', '').replaceAll(/\s+/g, ' '),
});
