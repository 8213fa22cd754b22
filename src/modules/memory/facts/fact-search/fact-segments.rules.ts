import { mergeSegments } from '../../../../search/merge.js';
import type { SegmentData } from '../../../../search/segment.js';
import { VISIBILITY } from '../facts.types.js';
import type { FactColumns } from './fact-columns.js';
import { buildFactSegment, FactSegment, type FactToIndex, type PackedSegment, packSegment } from './fact-segment.js';

/**
 * Packs a run of facts: per visibility the current ones with what they retire elsewhere, and as history those that
 * others of the run retire.
 * Tombstones only retire.
 */
export function flushFacts(facts: readonly FactToIndex[]): PackedSegment[] {
  const retired = new Set(facts.map(({ retires }) => retires));
  const here = new Set(facts.map(({ seq }) => seq));
  return Object.values(VISIBILITY).flatMap((visibility) => {
    const own = facts.filter((fact) => fact.visibility === visibility);
    const found = own.filter(({ isTombstone }) => !isTombstone);
    const live = found.filter(({ seq }) => !retired.has(seq));
    const past = found.filter(({ seq }) => retired.has(seq));
    const retires = own.flatMap((fact) => (fact.retires !== null && !here.has(fact.retires) ? [fact.retires] : []));
    return [
      ...(live.length + retires.length > 0 ? [buildFactSegment({ visibility, isHistory: false }, live, retires)] : []),
      ...(past.length > 0 ? [buildFactSegment({ visibility, isHistory: true }, past, [])] : []),
    ];
  });
}

interface Source {
  packed: PackedSegment;
  open: FactSegment;
  data: SegmentData;
}

/**
 * Makes one segment of several of one kind. Those of current facts give the facts that one of them retires to a second
 * segment, of history;
 * what they retire in segments that are not among them stays noted.
 * @param isAll there are no other segments of this kind
 * @throws SegmentCorrupted when a source is not what was written
 */
export function mergeFactSegments(inputs: readonly PackedSegment[], isAll: boolean): PackedSegment[] {
  const first = inputs[0];
  if (!first) throw new RangeError('nothing to merge');
  const { visibility, isHistory } = first;
  const sources = inputs.map(openSource).sort((a, b) => (a.open.seqs[0] ?? 0) - (b.open.seqs[0] ?? 0));
  const retires = [...new Set(sources.flatMap(({ open }) => [...open.columns.retires]))];
  const isHere = (seq: number) => sources.some(({ open }) => open.ordinalOf(seq) !== undefined);
  const retired = new Set(retires.filter(isHere));
  const elsewhere = isAll ? [] : retires.filter((seq) => !retired.has(seq));
  const live = select(
    sources,
    (seq) => !retired.has(seq),
    (data, columns) => packSegment({ visibility, isHistory }, data, { ...columns, retires: elsewhere }),
  );
  if (retired.size === 0) return [live];
  const past = select(
    sources,
    (seq) => retired.has(seq),
    (data, columns) => packSegment({ visibility, isHistory: true }, data, { ...columns, retires: [] }),
  );
  return live.factCount + live.retireCount > 0 ? [live, past] : [past];
}

function openSource(packed: PackedSegment): Source {
  const open = new FactSegment(packed, packed, packed.postings);
  const { segment, offsets } = open;
  const { header, headerDigest: digest, postings, factCount: chunkCount } = packed;
  const data: SegmentData = {
    language: segment.language,
    chunkCount,
    header,
    digest,
    rows: segment.rowNames,
    postings,
    offsets: Uint32Array.from(offsets),
  };
  return { packed, open, data };
}

type Selected = Omit<FactColumns, 'postingSizes' | 'retires'>;

/** The facts of the sources that are kept, in the order in which the engine merges them. */
function select(
  sources: readonly Source[],
  isKept: (seq: number) => boolean,
  pack: (data: SegmentData, columns: Selected) => PackedSegment,
): PackedSegment {
  const owners = [...new Set(sources.flatMap(({ open }) => [...open.columns.owners]))];
  const indexes = new Map(owners.map((owner, i) => [owner, i]));
  const columns = { ownerOf: [] as number[], confidence: [] as number[], horizonOf: [] as number[] };
  const merged = mergeSegments(
    sources.map(({ open, data }) => {
      const withdrawn = new Set<string>();
      open.seqs.forEach((seq, ordinal) => {
        if (!isKept(seq)) return withdrawn.add(open.segment.chunkIdOf(ordinal));
        columns.ownerOf.push(indexes.get(open.columns.owners[open.columns.ownerOf[ordinal]!]!)!);
        columns.confidence.push(open.columns.confidence[ordinal]!);
        return columns.horizonOf.push(open.columns.horizonOf[ordinal]!);
      });
      return { segment: data, withdrawn };
    }),
  );
  return pack(merged, {
    owners,
    ownerOf: Uint32Array.from(columns.ownerOf),
    confidence: Float32Array.from(columns.confidence),
    horizonOf: Uint8Array.from(columns.horizonOf),
  });
}

/** Facts as memory keeps them before they are flushed: per visibility one segment, with the retired among them. */
export function tailSegments(facts: readonly FactToIndex[]): PackedSegment[] {
  return Object.values(VISIBILITY).flatMap((visibility) => {
    const found = facts.filter((fact) => fact.visibility === visibility && !fact.isTombstone);
    return found.length > 0 ? [buildFactSegment({ visibility, isHistory: false }, found, [])] : [];
  });
}

/** Makes one segment of several of one kind, with all their facts. */
export function joinFactSegments(inputs: readonly PackedSegment[]): PackedSegment {
  const { visibility, isHistory } = inputs[0]!;
  const sources = inputs.map(openSource);
  const retires = [...new Set(sources.flatMap(({ open }) => [...open.columns.retires]))];
  return select(
    sources,
    () => true,
    (data, columns) => packSegment({ visibility, isHistory }, data, { ...columns, retires }),
  );
}
