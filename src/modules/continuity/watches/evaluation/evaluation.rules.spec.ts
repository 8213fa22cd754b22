import { describe, expect, it } from 'vitest';
import type { PassageNow } from '../../../knowledge/citations/source-states.types.js';
import { documentKeyOf, type PresentDocument } from '../../../knowledge/citations/present-documents.views.js';
import {
  judgeDocument,
  judgePassages,
  judgeProofs,
  latestRecording,
  type Match,
  matchesOf,
  MAX_PASSAGES,
  newAnswer,
  newMatches,
  withdrawalsOf,
} from './evaluation.rules.js';
import type { Candidate, Occurrence, PlacedSource } from './evaluation.types.js';

const NAME = { ownerTenantId: 'acme', corpusId: 'handbook', docId: 'leave' };
const source = (members: Partial<PlacedSource> = {}): PlacedSource => ({
  ...NAME,
  ordinal: 0,
  chunkId: null,
  contentHash: null,
  version: 1,
  stands: true,
  ...members,
});
const candidate = (members: Partial<Candidate> = {}): Candidate => ({
  watchId: 'w',
  principal: 'key:1',
  agentId: 'agent',
  targetType: 'document',
  targetId: 'handbook/leave',
  resolvedType: 'document',
  targetVersion: 1,
  query: null,
  note: null,
  sources: [source()],
  known: [],
  ...members,
});
const occurrence = (kind: string, data: Record<string, unknown>, members: Partial<Occurrence> = {}): Occurrence => ({
  owner: 'acme',
  eventId: `${kind} ${String(data.version)}`,
  kind,
  subject: 'subject',
  data,
  occurredAt: new Date(0),
  transaction: '100',
  ...members,
});
const { corpusId, docId } = NAME;
const indexed = (
  version: number,
  texts: string[] = [],
  members: Partial<Occurrence> = {},
  changedCount = texts.length,
) => occurrence('document.indexed', { corpusId, docId, version, changed: texts.map(passageOf), changedCount }, members);
const withdrawn = (version: number | null, members: Partial<Occurrence> = {}) =>
  occurrence('document.withdrawn', { corpusId, docId, version }, members);
const passageOf = (text: string) => ({ chunkId: `chk_${text}`, contentHash: `blake3:${text}` as const });
const presentAt = (version: number): ReadonlyMap<string, PresentDocument> =>
  new Map([[documentKeyOf(NAME), { ...NAME, version }]]);
/** Of passages whose document has these texts in this version; null: it cannot be seen. */
const nowAt = (sources: readonly PlacedSource[], version: number | null, ...texts: string[]) =>
  new Map(
    sources.map((one): [PlacedSource, PassageNow] => {
      const state = version === null ? 'unavailable' : texts.includes(one.contentHash!) ? 'holds' : 'drifted';
      return [one, { state, version, standing: null, drift: [] }];
    }),
  );

describe('a watched document of the tenant', () => {
  const judge = (occurrences: Occurrence[], members: Partial<PlacedSource> = {}, known: string[] = []) =>
    judgeDocument(candidate({ sources: [source(members)], known }), occurrences, {
      tenantId: 'acme',
      present: new Map(),
    });
  const inWords = (occurrences: Occurrence[], members: Partial<PlacedSource> = {}, known: string[] = []) =>
    judge(occurrences, members, known).alerts.map(({ change, from, to }) => `${change} ${from} ${to}`);

  it('is reported in every newer version, each after the one before', () => {
    expect(inWords([indexed(2), indexed(3)])).toEqual(['new_version 1 2', 'new_version 2 3']);
    expect(inWords([indexed(1), indexed(3), indexed(2)])).toEqual(['new_version 1 3']);
  });

  it('is reported as deleted once, and after that as new', () => {
    expect(inWords([withdrawn(1), withdrawn(1)])).toEqual(['deleted 1 null']);
    expect(inWords([withdrawn(1), indexed(2)])).toEqual(['deleted 1 null', 'new_version null 2']);
    expect(inWords([withdrawn(1)], { stands: false })).toEqual([]);
  });

  it('is not deleted by the withdrawal of a version that was replaced', () => {
    expect(inWords([withdrawn(1)], { version: 2 })).toEqual([]);
    expect(inWords([withdrawn(2)], { version: 2 })).toEqual(['deleted 2 null']);
  });

  it('is alone in what is looked at, and only since the watch was made', () => {
    const other = { corpusId: 'handbook', docId: 'pay', version: 2, changed: [], changedCount: 0 };
    expect(inWords([occurrence('document.indexed', other)])).toEqual([]);
    expect(inWords([indexed(2, [], { owner: 'other' })])).toEqual([]);
    expect(inWords([occurrence('answer.recorded', { version: 2 })])).toEqual([]);
    expect(inWords([indexed(2, [], { transaction: '99' }), indexed(3)], {}, ['99'])).toEqual(['new_version 1 3']);
  });

  it('is reported with the passages of its version, and counts those that the event does not name', () => {
    const [alert] = judge([indexed(2, ['a', 'b'], { eventId: 'e', occurredAt: new Date(5) }, 40)]).alerts;
    const place = { corpusId, docId, version: 2 };
    expect(alert).toEqual({
      eventId: 'e',
      occurredAt: new Date(5),
      change: 'new_version',
      ...{ corpusId, docId, from: 1, to: 2, passageCount: 40, proofJobId: null, verdict: null },
      passages: [
        { ...passageOf('a'), ...place },
        { ...passageOf('b'), ...place },
      ],
    });
  });

  it('is kept where it has come to', () => {
    expect(judge([indexed(2), withdrawn(2)])).toMatchObject({
      targetVersion: 2,
      sources: [{ ...source(), version: 2, stands: false }],
    });
    expect(judge([])).toEqual({ alerts: [], targetVersion: 1, sources: [source()] });
  });
});

describe('a watched document of another tenant', () => {
  const judge = (occurrences: Occurrence[], present: ReadonlyMap<string, PresentDocument>) =>
    judgeDocument(candidate(), occurrences, { tenantId: 'reader', present });

  it('counts as deleted once it cannot be seen, whatever became of it', () => {
    for (const one of [indexed(2), indexed(1), withdrawn(1), withdrawn(null)]) {
      const { alerts, sources } = judge([one, indexed(3)], new Map());
      expect(alerts.map(({ eventId, change, from }) => [eventId, change, from])).toEqual([[one.eventId, 'deleted', 1]]);
      expect(sources[0]!.stands).toBe(false);
    }
  });

  it('is reported in the version that can be seen, without saying whose it is', () => {
    const { alerts } = judge([indexed(2, ['a'])], presentAt(2));
    expect(alerts.map(({ change, from, to }) => [change, from, to])).toEqual([['new_version', 1, 2]]);
    expect(JSON.stringify(alerts)).not.toContain('acme');
  });
});

describe('a document that another tenant changed several times before the next look', () => {
  const judge = (occurrences: Occurrence[], present: ReadonlyMap<string, PresentDocument>, version = 1) =>
    judgeDocument(candidate({ sources: [source({ version })] }), occurrences, { tenantId: 'reader', present }).alerts;

  it('is reported in the version that can be seen alone', () => {
    const alerts = judge([indexed(2, ['withheld']), indexed(3, ['a'])], presentAt(3));
    expect(alerts.map(({ change, from, to }) => [change, from, to])).toEqual([['new_version', 1, 3]]);
    expect(JSON.stringify(alerts)).not.toContain('withheld');
  });

  it('is not new by a withdrawal', () => {
    const alerts = judge([withdrawn(2), indexed(3, ['a'])], presentAt(3));
    expect(alerts.map(({ change, to }) => [change, to])).toEqual([['new_version', 3]]);
  });
});

describe('watched passages', () => {
  const passages = (...texts: string[]) =>
    texts.map((text, ordinal) => source({ ordinal, chunkId: `chk_${text}`, contentHash: text, version: ordinal + 1 }));
  const watch = (members: Partial<Candidate>) => candidate({ resolvedType: 'answer', targetVersion: 4, ...members });

  it('that are no longer in the document have drifted, and are named with the version they were of', () => {
    const watched = passages('a', 'b', 'c');
    const { alerts, sources, targetVersion } = judgePassages(
      watch({ sources: watched }),
      [indexed(8), indexed(9)],
      nowAt(watched, 9, 'b'),
    );
    expect(alerts).toMatchObject([{ eventId: 'document.indexed 9', change: 'drifted', from: 3, to: 9 }]);
    expect(alerts[0]!.passages).toEqual([
      { ...passageOf('a'), corpusId, docId, version: 1 },
      { ...passageOf('c'), corpusId, docId, version: 3 },
    ]);
    expect(sources.map(({ stands }) => stands)).toEqual([false, true, false]);
    expect(targetVersion).toBe(4);
  });

  it('of several documents are reported in the order of the last events', () => {
    const other = { ...source({ ordinal: 1, chunkId: 'chk_b', contentHash: 'b' }), docId: 'pay' };
    const otherIndexed = occurrence('document.indexed', { corpusId, docId: 'pay', version: 2 });
    const watched = [...passages('a'), other];
    const { alerts } = judgePassages(
      watch({ sources: watched }),
      [indexed(2), otherIndexed, indexed(3)],
      nowAt(watched, null),
    );
    expect(alerts.map(({ docId: id, eventId }) => [id, eventId])).toEqual([
      ['pay', 'document.indexed 2'],
      ['leave', 'document.indexed 3'],
    ]);
  });

  it('whose document is gone are deleted', () => {
    const watched = passages('a');
    const { alerts } = judgePassages(watch({ sources: watched }), [withdrawn(1)], nowAt(watched, null));
    expect(alerts).toMatchObject([{ change: 'deleted', from: 1, to: null, passageCount: 1 }]);
  });

  it('are reported at each loss, and neither while they are gone nor when they come back', () => {
    const states: [number, ...string[]][] = [[2], [3], [4, 'a'], [5]];
    let sources = passages('a');
    const counts = states.map((now) => {
      const verdict = judgePassages(watch({ sources }), [indexed(2)], nowAt(sources, ...now));
      sources = verdict.sources;
      return verdict.alerts.length;
    });
    expect(counts).toEqual([1, 0, 0, 1]);
  });

  it('are named up to a number and all counted', () => {
    const texts = Array.from({ length: MAX_PASSAGES + 1 }, (_, i) => `t${i}`);
    const watched = passages(...texts);
    const [alert] = judgePassages(watch({ sources: watched }), [indexed(2)], nowAt(watched, 2)).alerts;
    expect([alert!.passages.length, alert!.passageCount]).toEqual([MAX_PASSAGES, MAX_PASSAGES + 1]);
  });

  it('of documents of which nothing happened since the watch was made stay as they are', () => {
    const other = { ...source({ chunkId: 'chk_x', contentHash: 'x' }), docId: 'pay' };
    for (const [sources, known] of [
      [[other], []],
      [passages('a'), ['100']],
    ] as const)
      expect(judgePassages(watch({ sources: [...sources], known: [...known] }), [indexed(2)], new Map())).toEqual({
        ...{ alerts: [], targetVersion: 4, sources },
      });
  });
});

describe('a proof', () => {
  const watch = candidate({ resolvedType: 'answer', targetId: 'answer-1' });
  const proof = (verdict: string, subject = { type: 'answer', id: 'answer-1' }, transaction = '100') =>
    occurrence('proof.completed', { verdict, subject, jobId: `job ${verdict}` }, { transaction });

  it('that did not hold is reported by its job', () => {
    const alerts = judgeProofs(watch, [proof('holds'), proof('drifted'), proof('broken'), proof('unavailable')]);
    expect(alerts.map(({ change, proofJobId, verdict }) => [change, proofJobId, verdict])).toEqual([
      ['drifted', 'job drifted', 'drifted'],
      ['drifted', 'job broken', 'broken'],
      ['deleted', 'job unavailable', 'unavailable'],
    ]);
    expect(alerts[0]).toMatchObject({ corpusId: null, docId: null, passages: [], passageCount: 0 });
  });

  it.each([
    ['another type', proof('broken', { type: 'document', id: 'answer-1' })],
    ['another id', proof('broken', { type: 'answer', id: 'answer-2' })],
    ['the time before the watch', proof('broken', { type: 'answer', id: 'answer-1' }, '99')],
    ['no proof', occurrence('answer.recorded', { verdict: 'broken', subject: { type: 'answer', id: 'answer-1' } })],
  ])('of %s is not', (_what, one) => {
    expect(judgeProofs({ ...watch, known: ['99'] }, [one])).toEqual([]);
  });
});

describe('the recording of a watched answer', () => {
  const watch = candidate({ resolvedType: 'answer', targetId: 'a', targetVersion: 2, known: ['99'] });
  const recorded = (version: number | null, members: Partial<Occurrence> = {}) =>
    occurrence('answer.recorded', { version }, { subject: 'a', ...members });

  it('is the last that is newer than what the watch stands on', () => {
    const [third, fourth] = [recorded(3), recorded(4)];
    expect(latestRecording(watch, [third, fourth, recorded(2)])).toBe(fourth);
    expect(latestRecording({ ...watch, targetVersion: null }, [recorded(1)])).toBeDefined();
    expect(newAnswer(fourth, 2)).toMatchObject({ change: 'new_version', from: 2, to: 4, corpusId: null });
  });

  it.each([
    ['the same version', recorded(2)],
    ['no version', recorded(null)],
    ['another answer', recorded(3, { subject: 'b' })],
    ['the time before the watch', recorded(3, { transaction: '99' })],
    ['another kind', recorded(3, { kind: 'answer.cited' })],
  ])('is none of %s', (_what, one) => {
    expect(latestRecording(watch, [one])).toBeUndefined();
  });
});

describe('what a watched query finds', () => {
  const query = { query: 'leave', corpusIds: [], includeCommons: false, limit: 5, minScore: null };
  const watch = candidate({ resolvedType: 'query', query, known: ['99'] });
  const match = (text: string, version = 2): Match => ({
    ...{ ...NAME, ...passageOf(text), version, key: Buffer.from(text) },
  });
  const eventsOf = (occurrences: Occurrence[], ...found: Match[]) =>
    [...matchesOf(watch, occurrences, { tenantId: 'acme', found })].map(([one, matches]) => [
      one,
      matches.map(({ chunkId }) => chunkId),
    ]);

  it('is new by the last event that brought its text', () => {
    const [second, third] = [indexed(2, ['a', 'b']), indexed(3, ['a'])];
    expect(eventsOf([second, third], match('a'), match('b'), match('c'))).toEqual([
      [third, ['chk_a']],
      [second, ['chk_b']],
    ]);
  });

  it('may be new by an event that names a part of what it changed alone', () => {
    const cut = indexed(2, ['a'], {}, 2);
    expect(eventsOf([cut], match('a'), match('b'))).toEqual([[cut, ['chk_a', 'chk_b']]]);
  });

  it('is not new by another document, another owner, a withdrawal or what came before the watch', () => {
    expect(eventsOf([indexed(2, ['a'])], { ...match('a'), docId: 'pay' })).toEqual([]);
    expect(eventsOf([indexed(2, ['a'], { owner: 'other' })], match('a'))).toEqual([]);
    expect(eventsOf([withdrawn(2), indexed(2, ['a'], { transaction: '99' })], match('a'))).toEqual([]);
    const seen = { tenantId: 'acme', found: [match('a')] };
    expect(matchesOf({ ...watch, query: null }, [indexed(2, ['a'])], seen).size).toBe(0);
  });

  it('is new to others when its document is shared with more of them, and not to its owner', () => {
    const shared = (from: string | null, to: string) =>
      indexed(2, [], { data: { ...indexed(2).data, previousShareability: from, shareability: to } });
    const sizeFor = (tenantId: string, one: Occurrence) =>
      matchesOf(watch, [one], { tenantId, found: [match('a')] }).size;
    expect(sizeFor('reader', shared('owner_only', 'public_safe'))).toBe(1);
    expect(sizeFor('reader', shared('owner_only', 'entitled_only'))).toBe(1);
    expect(sizeFor('reader', shared('public_safe', 'entitled_only'))).toBe(0);
    expect(sizeFor('reader', shared('public_safe', 'public_safe'))).toBe(0);
    expect(sizeFor('reader', indexed(2))).toBe(0);
    expect(sizeFor('acme', shared('owner_only', 'public_safe'))).toBe(0);
  });

  it('is new by the entitlement to its corpus', () => {
    const granted = (publisher: string, corpus: string) =>
      occurrence('entitlement.granted', { publisher, corpusId: corpus }, { owner: 'reader' });
    const sizeBy = (one: Occurrence) =>
      matchesOf(watch, [one], { tenantId: 'reader', found: [match('a'), match('b')] }).get(one)?.length;
    expect(sizeBy(granted('acme', 'handbook'))).toBe(2);
    expect(sizeBy(granted('acme', 'city'))).toBeUndefined();
    expect(sizeBy(granted('other', 'handbook'))).toBeUndefined();
  });

  it('is named up to a number and all counted, without its owner', () => {
    const found = Array.from({ length: MAX_PASSAGES + 1 }, (_, i) => match(`t${i}`, i));
    const alert = newMatches(indexed(2), found);
    expect(alert).toMatchObject({ change: 'new_match', from: null, to: MAX_PASSAGES, passageCount: MAX_PASSAGES + 1 });
    expect(alert.passages).toHaveLength(MAX_PASSAGES);
    expect(alert.passages[0]).toEqual({ ...passageOf('t0'), corpusId, docId, version: 0 });
  });
});

describe('the end of an entitlement', () => {
  const ended = occurrence(
    'entitlement.ended',
    { publisher: 'acme', corpusId },
    { owner: 'reader', eventId: '0198c1de-6f1e-7c3a-9a53-2f4e1f0b7c11' },
  );
  const watched = ['leave', 'pay', 'leave'].map((id, ordinal) =>
    source({ ordinal, docId: id, chunkId: `chk_${ordinal}`, contentHash: String(ordinal) }),
  );

  it('withdraws each watched document of the corpus, by an event of its own', () => {
    const events = withdrawalsOf(candidate({ sources: watched }), [ended, indexed(2)]);
    expect(events.map(({ kind, owner, data }) => [kind, owner, data.docId])).toEqual([
      ['document.withdrawn', 'acme', 'leave'],
      ['document.withdrawn', 'acme', 'pay'],
      ['document.indexed', 'acme', 'leave'],
    ]);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(3);
    expect(withdrawalsOf(candidate({ sources: watched }), [ended])[0]!.eventId).toBe(events[0]!.eventId);
    const { alerts } = judgePassages(
      candidate({ resolvedType: 'answer', sources: watched }),
      events,
      nowAt(watched, null),
    );
    expect(alerts.map(({ change, docId: id }) => [change, id])).toEqual([
      ['deleted', 'pay'],
      ['deleted', 'leave'],
    ]);
  });

  it('leaves other corpora and owners alone', () => {
    const others = [source({ corpusId: 'city' }), source({ ownerTenantId: 'other' })];
    expect(withdrawalsOf(candidate({ sources: others }), [ended])).toEqual([]);
  });

  it('of a tenant that is deleted withdraws all it shared', () => {
    const deleted = { ...ended, kind: 'tenant.deleted', owner: 'acme', data: { tenantId: 'acme' } };
    const others = [...watched, source({ ordinal: 3, corpusId: 'city' }), source({ ownerTenantId: 'other' })];
    const events = withdrawalsOf(candidate({ sources: others }), [deleted]);
    expect(events.map(({ owner, data }) => [owner, data.corpusId, data.docId])).toEqual([
      ['acme', 'handbook', 'leave'],
      ['acme', 'handbook', 'pay'],
      ['acme', 'city', 'leave'],
    ]);
  });
});
