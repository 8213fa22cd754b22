import { type Language, rulesOf } from './languages.js';

/** Turns text into the terms it is indexed and searched under, in text order, repeats kept. */
export interface Analyzer {
  readonly language: Language;
  analyze(text: string): string[];
}

/** Longer runs (base64, generated names) are cut here: they are keys of the index. In UTF-16 units. */
const MAX_TERM_LENGTH = 64;
/** Bound of one language's stem memory; by Zipf's law this many words cover nearly all running text. */
const STEM_CACHE_SIZE = 50_000;

/** Scripts written without spaces between words: indexed as overlapping pairs of characters. */
const UNSPACED = '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}ー';
const RUN = new RegExp(
  `[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+(?:'(?:(?![${UNSPACED}])[\\p{L}\\p{M}])+)*`,
  'gu',
);
/** The same for text in ASCII only, which most of it is: several times faster. */
const ASCII_RUN = /[a-z0-9]+(?:'[a-z]+)*/g;
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
const NON_ASCII = /[^\u0000-\u007f]/;

const analyzers = new Map<Language, Analyzer>();

/** The analyzer of a language; one instance a process, so that its stem memory is shared. */
export function analyzerFor(language: Language): Analyzer {
  let analyzer = analyzers.get(language);
  if (!analyzer) analyzers.set(language, (analyzer = new WordAnalyzer(language)));
  return analyzer;
}

/**
 * NFKC, lower case, runs of letters, marks and digits (UAX #29 in spirit), stop words, stemming; character pairs for
 * scripts without spaces. A word with an apostrophe is a stop word as a whole or is split there, and single letters so
 * split off (l', 's) are dropped.
 */
class WordAnalyzer implements Analyzer {
  private readonly stems = new Map<string, string>();
  private readonly rules;

  constructor(readonly language: Language) {
    this.rules = rulesOf(language);
  }

  analyze(text: string): string[] {
    const terms: string[] = [];
    if (!NON_ASCII.test(text)) {
      for (const word of text.toLowerCase().match(ASCII_RUN) ?? []) this.addWord(word, terms);
      return terms;
    }
    const folded = text.normalize('NFKC').toLowerCase().replaceAll('\u2019', "'");
    for (const run of folded.match(RUN) ?? []) {
      if (STARTS_UNSPACED.test(run)) addPairs(run, terms);
      else this.addWord(run, terms);
    }
    return terms;
  }

  private addWord(word: string, terms: string[]): void {
    if (this.rules.stopWords.has(word)) return;
    if (!word.includes("'")) {
      terms.push(this.stem(word));
      return;
    }
    for (const part of word.split("'")) {
      if (part.length > 1 && !this.rules.stopWords.has(part)) terms.push(this.stem(part));
    }
  }

  private stem(word: string): string {
    let stem = this.stems.get(word);
    if (stem === undefined) {
      const bounded = word.length > MAX_TERM_LENGTH ? cut(word) : word;
      stem = this.rules.stem(bounded) || bounded;
      if (this.stems.size >= STEM_CACHE_SIZE) this.stems.clear();
      this.stems.set(word, stem);
    }
    return stem;
  }
}

/** Cuts to the bound without leaving half a surrogate pair. */
function cut(word: string): string {
  const end = word.codePointAt(MAX_TERM_LENGTH - 1) ?? 0;
  return word.slice(0, end > 0xffff ? MAX_TERM_LENGTH - 1 : MAX_TERM_LENGTH);
}

function addPairs(run: string, terms: string[]): void {
  const characters = Array.from(run);
  if (characters.length === 1) terms.push(run);
  for (let i = 0; i + 1 < characters.length; i++) terms.push(`${characters[i]}${characters[i + 1]}`);
}
