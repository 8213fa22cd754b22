import { describe, expect, it } from 'vitest';
import type { PassageNow } from '../../knowledge/citations/source-states.types.js';
import { changeOf, isStale, revisionOf } from './stale-pins.rules.js';
import type { PassageDetails, RestingPin } from './stale-pins.store.js';

const now = (state: PassageNow['state'], ...drift: PassageNow['drift']): PassageNow => ({
  state,
  version: state === 'unavailable' ? null : 4,
  standing: null,
  drift,
});
const details: PassageDetails = {
  chunkId: 'chk_1',
  source: 'tenant',
  corpusId: 'handbook',
  docId: 'leave',
  oldVersion: 3,
  excerpt: 'text',
  contentHash: 'blake3:00',
  oldDocumentHash: null,
  newDocumentHash: null,
  changedAt: null,
  replacement: null,
};

describe('a pinned passage', () => {
  it.each([
    [now('drifted', 'source_changed'), 'reingested'],
    [now('unavailable', 'source_deleted'), 'deleted'],
    [now('unavailable', 'access_lost'), 'not_visible'],
    [now('unknown'), 'altered'],
  ] as const)('is stale in any state but holds, and says why', (passage, change) => {
    expect(isStale(passage)).toBe(true);
    const { state, version: newVersion } = passage;
    expect(changeOf(passage, details)).toEqual({ ...details, state, change, newVersion });
  });

  it('is not stale by another title', () => {
    expect(isStale(now('holds', 'metadata_changed'))).toBe(false);
  });
});

describe('a pinned answer', () => {
  const pin = (revision: RestingPin['revision']): RestingPin => ({
    ...{ kind: 'goal', name: 'launch', version: 1, ordinal: 0, chunkId: null, answerId: 'a', answerVersion: 2 },
    ...{ note: null, pinnedAt: new Date(0), passages: [], revision },
  });

  it('has changed when it was recorded again', () => {
    expect(revisionOf(pin({ version: 5, recordedAt: new Date(0) }))).toMatchObject([
      { change: 'answer_revised', state: null, oldVersion: 2, newVersion: 5, changedAt: '1970-01-01T00:00:00.000Z' },
    ]);
    expect(revisionOf(pin(null))).toEqual([]);
  });
});
