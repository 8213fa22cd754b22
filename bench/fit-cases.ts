import { utcDay } from '../src/search/bm25.js';
import { bindQuery, type SegmentView } from '../src/search/collection.js';
import { evidenceOf, type FitEvidence } from '../src/search/fit.js';
import { searchTop } from '../src/search/maxscore.js';
import { indexInProcess, termsOf } from './in-process-ranking.js';
import { inputsOf, type Collection } from './judgements.js';
import { pick, seededRandom, type Random } from './random.js';

/** answered: what is relevant is there; removed: the same without it; other: asked of another collection. */
export type CaseKind = 'answered' | 'removed' | 'other';

/** A question as it was put to a collection, and what was found of it. */
export interface FitCase {
  /** Whose question it is. */
  collection: string;
  kind: CaseKind;
  /** Documents of the collection it was put to; Infinity for all. */
  documents: number;
  /** How many of its words were asked; Infinity for all. */
  words: number;
  /** Kept from learning. */
  isHeldOut: boolean;
  evidence: FitEvidence;
}

/** Documents of the collections that questions are put to. */
export const SIZES = [Infinity, 1000, 100, 10];
/** Questions are also cut to so many words, and put to whole collections and to some of this size. */
export const SHORT = [1, 2, 3];
export const SHORT_SIZES = [Infinity, 100];
/** Of the questions, so much is kept from learning. */
const HELD_OUT_SHARE = 0.4;
/** Hits that a search takes: more than the fit looks at. */
const HITS = 9;

interface OpenCollection {
  view: SegmentView;
  /** The chunks of each document, by ordinal. */
  chunksOf: Map<string, number[]>;
  ids: string[];
}

const today = utcDay(new Date());

/** Puts every question of every collection to it and to the next one. The same seed gives the same cases. */
export function casesOf(collections: ReadonlyMap<string, Collection>, seed: number): FitCase[] {
  const random = seededRandom(seed);
  const names = [...collections.keys()];
  const opened = names.map((name) => open(collections.get(name)!));
  return names.flatMap((collection, place) => {
    const own = opened[place]!;
    const other = opened[(place + 1) % names.length]!;
    return collections.get(collection)!.queries.flatMap(({ text, grades }) => {
      const relevant = [...grades].filter(([id, grade]) => grade > 0 && own.chunksOf.has(id)).map(([id]) => id);
      const isHeldOut = random() < HELD_OUT_SHARE;
      if (relevant.length === 0) return [];
      return questionsOf(text, random).flatMap(({ words, question, sizes }) =>
        sizes.flatMap((documents) =>
          viewsFor({ own, other, relevant }, documents, random).map(([kind, view]): FitCase => ({
            ...{ collection, kind, documents, words, isHeldOut },
            evidence: search(view, question),
          })),
        ),
      );
    });
  });
}

function open(collection: Collection): OpenCollection {
  const index = indexInProcess(inputsOf('fit', collection), today);
  if (!index) throw new Error('a collection has no text');
  const chunksOf = new Map<string, number[]>();
  for (const [ordinal, id] of index.docIds.entries()) chunksOf.set(id, [...(chunksOf.get(id) ?? []), ordinal]);
  return { view: index.view, chunksOf, ids: [...chunksOf.keys()] };
}

/** A question whole, and words of it that follow one another; stop words are left out of those. */
function questionsOf(text: string, random: Random): { words: number; question: string; sizes: number[] }[] {
  const words = text.split(/\s+/).filter((word) => termsOf(word).length > 0);
  const cut = SHORT.filter((count) => count < words.length).map((count) => {
    const first = Math.floor(random() * (words.length - count + 1));
    return { words: count, question: words.slice(first, first + count).join(' '), sizes: SHORT_SIZES };
  });
  return [{ words: Infinity, question: text, sizes: SIZES }, ...cut];
}

interface Places {
  own: OpenCollection;
  other: OpenCollection;
  relevant: readonly string[];
}

/** Of a part of a collection only one relevant document is in it, as it is where a few documents are kept. */
function viewsFor({ own, other, relevant }: Places, documents: number, random: Random): [CaseKind, SegmentView][] {
  if (documents === Infinity)
    return [
      ['answered', own.view],
      ['removed', without(own, relevant)],
      ['other', other.view],
    ];
  return [
    ['answered', partOf(own, documents, { random, relevant, wanted: [pick(random, relevant)] })],
    ['removed', partOf(own, documents, { random, relevant, wanted: [] })],
    ['other', partOf(other, documents, { random, relevant: [], wanted: [] })],
  ];
}

const without = (collection: OpenCollection, ids: readonly string[]): SegmentView =>
  withDead(collection, (dead) => ids.forEach((id) => collection.chunksOf.get(id)!.forEach((at) => (dead[at] = 1))));

/** So many documents drawn at random, the wanted ones and no other relevant ones among them. */
function partOf(
  collection: OpenCollection,
  documents: number,
  { random, relevant, wanted }: { random: Random; relevant: readonly string[]; wanted: readonly string[] },
): SegmentView {
  const taken = new Set(wanted);
  const most = Math.min(documents, collection.ids.length - relevant.length);
  while (taken.size < most) {
    const id = pick(random, collection.ids);
    if (!relevant.includes(id)) taken.add(id);
  }
  return withDead(collection, (dead) => {
    dead.fill(1);
    taken.forEach((id) => collection.chunksOf.get(id)!.forEach((at) => (dead[at] = 0)));
  });
}

/** The collection with chunks withdrawn: statistics and ranking are those of the chunks that are left. */
function withDead({ view }: OpenCollection, mark: (dead: Uint8Array) => void): SegmentView {
  const dead = new Uint8Array(view.segment.chunkCount);
  mark(dead);
  let count = 0;
  let length = 0;
  for (const [ordinal, isDead] of dead.entries()) {
    count += isDead;
    length += isDead * view.segment.lengths[ordinal]!;
  }
  return { ...view, tombstones: { dead, count, length } };
}

function search(view: SegmentView, question: string): FitEvidence {
  const query = bindQuery([view], termsOf(question), today);
  const { features, hasAllWords } = evidenceOf(searchTop([view], query, HITS).hits, () => query);
  // Asked at once: the part of the collection is not kept.
  const hasAll = hasAllWords();
  return { features, hasAllWords: () => hasAll };
}
