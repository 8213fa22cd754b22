import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pick, seededRandom, type Random } from './random.js';

/** Words of a passage: about 200 tokens as language models count them, and one chunk as this product does. */
const WORDS_A_PASSAGE = 150;
const WORDS_A_QUERY = 20;

/** Where the benchmark's text comes from. The same arguments give the same text. */
export interface TextSource {
  /** What it is, for the report. */
  description: string;
  /** The passage of this number. */
  passage(index: number): { title: string; content: string };
  /** The query of this number: 20 words. */
  query(index: number): string;
}

/** Passages take even seeds and queries odd ones, so that no query is copied from the passage of its number. */
const forPassage = (index: number): Random => seededRandom(index * 2);
const forQuery = (index: number): Random => seededRandom(index * 2 + 1);

/**
 * Sentences of a folder's text, drawn at random: real words with real frequencies. The folder holds corpus.jsonl {id,
 * title, text}, or .txt and .md files.
 */
export function textFromFolder(folder: string): TextSource {
  const sentences = readTexts(folder).flatMap(sentencesOf);
  if (sentences.length < 100)
    throw new Error(`${folder} holds ${sentences.length} sentences of text; at least 100 are needed`);
  const draw = (random: Random, words: number): string[] => {
    const drawn: string[] = [];
    while (drawn.length < words) drawn.push(...pick(random, sentences).split(/\s+/));
    return drawn.slice(0, words);
  };
  return {
    description: `${sentences.length.toLocaleString('en-GB')} sentences of ${folder}, drawn at random`,
    passage: (index) => {
      const words = draw(forPassage(index), WORDS_A_PASSAGE);
      return { title: words.slice(0, 6).join(' '), content: words.join(' ') };
    },
    query: (index) => draw(forQuery(index), WORDS_A_QUERY).join(' '),
  };
}

function readTexts(folder: string): string[] {
  const corpus = join(folder, 'corpus.jsonl');
  if (existsSync(corpus)) {
    const lines = readFileSync(corpus, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => (JSON.parse(line) as { text?: string }).text ?? '');
  }
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(md|txt)$/.test(file));
  return files.map((file) => readFileSync(join(folder, file), 'utf8'));
}

function sentencesOf(text: string): string[] {
  const sentences = text.split(/(?<=[.!?])\s+/).map((sentence) => sentence.trim());
  return sentences.filter((sentence) => sentence.split(/\s+/).length >= 4);
}

const VOCABULARY_SIZE = 50_000;
/**
 * The words every English text is mostly made of take the first ranks, so that stop words cost here what they cost
 * there.
 */
const FUNCTION_WORDS =
  'the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were her all she there would their we him been has when who will more no if out so said what up its about into than them can only other new some could time these two may then do first any my now such like our over me even most made after also did many before must through back years where much your way well down should because each just those people how too little state good very make world still own see men work long get here between both life being under never day same another know while last might us great old year off come since against go came right used take three'.split(
    ' ',
  );
const ONSETS = [
  'b',
  'br',
  'c',
  'ch',
  'd',
  'dr',
  'f',
  'g',
  'gr',
  'h',
  'j',
  'k',
  'l',
  'm',
  'n',
  'p',
  'pl',
  'r',
  's',
  'st',
  't',
  'tr',
  'v',
  'w',
];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ai', 'ea', 'ou'];
const CODAS = ['', '', '', 'l', 'n', 'r', 's', 't', 'x', 'nd', 'rm'];

/**
 * Made-up text: English function words, then 50,000 pronounceable words, with the frequencies of Zipf's law, where the
 * word of rank r comes up in proportion to 1 / (r + 2.7) (Mandelbrot 1953). Needs no file; its words do not keep
 * company as those of real text do.
 */
export function syntheticText(): TextSource {
  const words = vocabulary();
  const cumulative = new Float64Array(words.length);
  words.forEach((_, rank) => (cumulative[rank] = (cumulative[rank - 1] ?? 0) + 1 / (rank + 1 + 2.7)));
  const total = cumulative.at(-1)!;
  const draw = (random: Random, count: number): string[] =>
    Array.from({ length: count }, () => words[firstAtLeast(cumulative, random() * total)]!);
  return {
    description: `made-up text, ${words.length.toLocaleString('en-GB')} words with Zipf's frequencies`,
    passage: (index) => {
      const random = forPassage(index);
      return { title: draw(random, 6).join(' '), content: inSentences(draw(random, WORDS_A_PASSAGE), random) };
    },
    query: (index) => draw(forQuery(index), WORDS_A_QUERY).join(' '),
  };
}

function vocabulary(): string[] {
  const random = seededRandom(1);
  const words = new Set(FUNCTION_WORDS);
  while (words.size < VOCABULARY_SIZE) {
    const syllables = 1 + Math.floor(random() * 3.5);
    const syllable = (): string => pick(random, ONSETS) + pick(random, VOWELS) + pick(random, CODAS);
    words.add(Array.from({ length: syllables }, syllable).join(''));
  }
  return [...words];
}

function firstAtLeast(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function inSentences(words: string[], random: Random): string {
  const sentences: string[] = [];
  for (let start = 0; start < words.length;) {
    const end = Math.min(words.length, start + 8 + Math.floor(random() * 18));
    const sentence = words.slice(start, end).join(' ');
    sentences.push(`${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`);
    start = end;
  }
  return sentences.join(' ');
}
