import type { PassageNow, SourceState } from '../../knowledge/citations/source-states.types.js';
import type { PinChange } from './continuity.types.js';
import type { PassageDetails, RestingPin } from './stale-pins.store.js';

/** A state in which a pin is stale. */
type StaleState = Exclude<SourceState, 'holds'>;

export const isStale = ({ state }: PassageNow): boolean => state !== 'holds';

const CHANGES: Record<StaleState, PinChange['change']> = {
  drifted: 'reingested',
  unavailable: 'deleted',
  unknown: 'altered',
};

/** For another tenant's document the result does not say whether it was deleted or is no longer shared. */
export function changeOf({ state, drift, version }: PassageNow, details: PassageDetails): PinChange {
  const change = drift.includes('access_lost') ? 'not_visible' : CHANGES[state as StaleState];
  return { state, change, newVersion: version, ...details };
}

/** The pinned answer was recorded again; what its pinned version cites may hold all the same. */
export function revisionOf({ answerVersion, revision }: RestingPin): PinChange[] {
  if (!revision) return [];
  return [
    {
      ...{ state: null, change: 'answer_revised', chunkId: null, source: null, corpusId: null, docId: null },
      ...{ oldVersion: answerVersion!, newVersion: revision.version, excerpt: null, contentHash: null },
      ...{
        oldDocumentHash: null,
        newDocumentHash: null,
        changedAt: revision.recordedAt.toISOString(),
        replacement: null,
      },
    },
  ];
}
