import type { EdgeRecord } from '../../generated/daemon/types.gen.ts';

export interface Neighbour {
  kind: string;
  id: string;
  edge: EdgeRecord;
  isOutgoing: boolean;
}

export const entityAddress = (kind: string, id: string): string =>
  `/graph/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`;

/** Each edge as seen from the centre; one from it to itself stands once. */
export function neighboursOf(outgoing: readonly EdgeRecord[], incoming: readonly EdgeRecord[]): Neighbour[] {
  const isLoop = (edge: EdgeRecord) => edge.from_kind === edge.to_kind && edge.from_id === edge.to_id;
  return [
    ...outgoing.map((edge) => ({ kind: edge.to_kind, id: edge.to_id, edge, isOutgoing: true })),
    ...incoming
      .filter((edge) => !isLoop(edge))
      .map((edge) => ({ kind: edge.from_kind, id: edge.from_id, edge, isOutgoing: false })),
  ];
}

export interface Place {
  kind: string;
  id: string;
  x: number;
  y: number;
}

/** More on one ring, and their names would stand on each other. */
const RING = 20;
const RING_WIDTH = 110;
/** The most that are drawn. */
export const MOST_DRAWN = 60;

/** Neighbours on rings around the origin, each once. */
export function radialPlaces(neighbours: readonly Neighbour[], centre: { kind: string; id: string }): Place[] {
  const keyOf = ({ kind, id }: { kind: string; id: string }) => JSON.stringify([kind, id]);
  const distinct = [...new Map(neighbours.map((one) => [keyOf(one), one])).values()];
  const others = distinct.filter((one) => keyOf(one) !== keyOf(centre)).slice(0, MOST_DRAWN);
  return others.map(({ kind, id }, index) => {
    const ring = Math.floor(index / RING);
    const onRing = Math.min(RING, others.length - ring * RING);
    const angle = ((index % RING) / onRing) * 2 * Math.PI - Math.PI / 2 + ring * 0.15;
    const radius = RING_WIDTH * (ring + 1.2);
    return { kind, id, x: Math.cos(angle) * radius, y: Math.sin(angle) * radius };
  });
}
