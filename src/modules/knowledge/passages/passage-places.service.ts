import { Injectable } from '@nestjs/common';
import { bestOf, candidatesFor, type PlaceCandidate } from './passage-places.rules.js';
import type { NamedPassage, ReadablePassage, WantedOutline } from './passages.types.js';
import { ReadablePassagesViews } from './readable-passages.views.js';

/** A passage, and in which version the one in its place is wanted; null: in the newest. */
export interface WantedPlace {
  passage: ReadablePassage;
  version: number | null;
}

/**
 * Finds what stands in the place of a passage in another version of its document: by its headings and place, and by the
 * words in common. Costs what the documents have of passages, however large the tenant. Needs an open unit of work.
 */
@Injectable()
export class PassagePlacesService {
  constructor(private readonly passages: ReadablePassagesViews) {}

  /** In the order of what is wanted; null where nothing stands there that the tenant may read. */
  async find(wanted: readonly WantedPlace[]): Promise<(NamedPassage | null)[]> {
    const outlines = new Map<string, WantedOutline>();
    for (const { passage, version } of wanted) {
      for (const one of [outlineOf(passage, passage.version), outlineOf(passage, version)])
        outlines.set(JSON.stringify(one), one);
    }
    const found = await this.passages.findOutlines([...outlines.values()]);
    const byKey = new Map([...outlines.keys()].map((key, index) => [key, found[index]!]));
    const read = (one: WantedOutline) => byKey.get(JSON.stringify(one))!;
    const candidates = wanted.map(({ passage, version }) =>
      candidatesFor(passage, read(outlineOf(passage, passage.version)), read(outlineOf(passage, version))),
    );
    const texts = await this.passages.find(candidates.flat().map(({ chunkId }) => chunkId));
    return wanted.map(({ passage }, index) => choose(passage, candidates[index]!, texts));
  }
}

const outlineOf = ({ ownerTenantId, corpusId, docId }: ReadablePassage, version: number | null): WantedOutline => ({
  ownerTenantId,
  corpusId,
  docId,
  version,
});

function choose(
  { content }: ReadablePassage,
  candidates: readonly PlaceCandidate[],
  texts: ReadonlyMap<string, ReadablePassage>,
): NamedPassage | null {
  const readable = candidates.flatMap(({ chunkId, isSamePlace }) => {
    const text = texts.get(chunkId);
    return text ? [{ chunkId, content: text.content, isSamePlace }] : [];
  });
  const best = bestOf(content, readable);
  return best && { chunkId: best.chunkId, content: best.content };
}
