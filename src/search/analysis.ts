import { type Language, rulesOf } from './languages.js';
import { SpanTable } from './span-table.js';

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
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
const NON_ASCII = /[^\u0000-\u007f]/;

/** Characters that are not shown and may stand within a word (UAX #29, WB4): soft hyphens, joiners, marks of order. */
const HAS_INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/;
/**
 * All of them but those that divide words: U+200C next to Arabic letters, as Persian writes it, and U+200B in scripts
 * without spaces.
 */
const INVISIBLE = new RegExp(
  '[\\u00ad\\u200d\\u2060\\ufeff]+|(?<!\\p{sc=Arab})\\u200c(?!\\p{sc=Arab})' +
    `|(?<![${UNSPACED}])\\u200b(?![${UNSPACED}])`,
  'gu',
);

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
  /** Words of texts in ASCII, and by their numbers their terms; undefined of stop words. */
  private readonly words = new SpanTable();
  private readonly termOf: (string | undefined)[] = [];
  private readonly rules;
  /** Its I without a dot is another letter than its i. */
  private readonly isTurkish: boolean;

  constructor(readonly language: Language) {
    this.rules = rulesOf(language);
    this.isTurkish = language === 'turkish';
  }

  analyze(text: string): string[] {
    const terms: string[] = [];
    if (!NON_ASCII.test(text) && !(this.isTurkish && text.includes('I'))) {
      this.addAsciiWords(text.toLowerCase(), terms);
      return terms;
    }
    for (const run of this.fold(text).match(RUN) ?? []) {
      if (STARTS_UNSPACED.test(run)) addPairs(run, terms);
      else this.addWord(run, terms);
    }
    return terms;
  }

  /** Lower case of \u0130 is i, which JavaScript puts a dot above in languages other than Turkish. */
  private fold(text: string): string {
    const visible = HAS_INVISIBLE.test(text) ? text.replace(INVISIBLE, '') : text;
    const composed = visible.normalize('NFKC');
    const lower = this.isTurkish ? composed.toLocaleLowerCase('tr') : composed.toLowerCase();
    return lower.replaceAll('i\u0307', 'i').replaceAll('\u2019', "'");
  }

  /** The same for text in ASCII only, which most of it is: a run is [a-z0-9]+(?:'[a-z]+)*. */
  private addAsciiWords(text: string, terms: string[]): void {
    for (let at = 0; at < text.length; at++) {
      if (!isLetterOrDigit(text.charCodeAt(at))) continue;
      const start = at;
      while (isLetterOrDigit(text.charCodeAt(++at)));
      const plain = at;
      while (text.charCodeAt(at) === APOSTROPHE && isLetter(text.charCodeAt(at + 1))) {
        at += 2;
        while (isLetter(text.charCodeAt(at))) at++;
      }
      if (at === plain && at - start <= MAX_TERM_LENGTH) this.addKnown(text, start, at, terms);
      else this.addWord(text.slice(start, at), terms);
      at--;
    }
  }

  private addKnown(text: string, start: number, end: number, terms: string[]): void {
    const number = this.words.find(text, start, end) ?? this.remember(text, start, end);
    const term = this.termOf[number];
    if (term !== undefined) terms.push(term);
  }

  private remember(text: string, start: number, end: number): number {
    if (this.words.size >= STEM_CACHE_SIZE) {
      this.words.clear();
      this.termOf.length = 0;
    }
    // A copy: a slice would keep its whole text in memory.
    const word = Buffer.from(text.slice(start, end)).toString();
    const number = this.words.add(text, start, end);
    this.termOf[number] = this.rules.stopWords.has(word) ? undefined : this.stemOf(word);
    return number;
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
      stem = this.stemOf(word.length > MAX_TERM_LENGTH ? cut(word) : word);
      if (this.stems.size >= STEM_CACHE_SIZE) this.stems.clear();
      this.stems.set(word, stem);
    }
    return stem;
  }

  /** Of a word that is not too long for a term. */
  private stemOf(word: string): string {
    return this.rules.stem(word) || word;
  }
}

const APOSTROPHE = 0x27;
const isLetter = (unit: number): boolean => unit >= 0x61 && unit <= 0x7a;
const isLetterOrDigit = (unit: number): boolean => isLetter(unit) || (unit >= 0x30 && unit <= 0x39);

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
