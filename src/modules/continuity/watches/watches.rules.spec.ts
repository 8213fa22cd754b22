import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { namedTarget, passageKey, passageOf, stateAfter } from './watches.rules.js';
import { FAULTY_VERDICTS } from './watches.types.js';

const HASH: Uint8Array = Buffer.alloc(32, 0xab);
const passage = { ownerTenantId: 'acme', corpusId: 'handbook', docId: 'leave', contentHash: HASH };
const key = (members: Partial<typeof passage> = {}) => passageKey({ ...passage, ...members }).toString('hex');

describe('the key of a passage', () => {
  it('is the same for the same text in the same document, whatever else is known of it', () => {
    expect(passageKey(passage)).toHaveLength(32);
    expect(key({ contentHash: Uint8Array.from(HASH) })).toBe(key());
    const another = { ...passage, chunkId: 'chk_2', version: 7, title: 'Leave' };
    expect(passageKey(another).toString('hex')).toBe(key());
  });

  it('is another one for another owner, corpus, document or text', () => {
    const keys = [
      key(),
      key({ ownerTenantId: 'other' }),
      key({ corpusId: 'other' }),
      key({ docId: 'other' }),
      key({ contentHash: Buffer.alloc(32, 0xac) }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('keeps names apart that read the same one after another', () => {
    const keys = [
      key({ corpusId: 'a', docId: 'bc' }),
      key({ corpusId: 'ab', docId: 'c' }),
      key({ corpusId: 'a","b', docId: 'c' }),
      key({ corpusId: 'a', docId: 'b","c' }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('has the form that is stored with the watches there are', () => {
    const text = `["acme","handbook","leave","${'ab'.repeat(32)}"]`;
    expect(key()).toBe(createHash('sha256').update(text).digest('hex'));
  });
});

describe('a passage that a watch stands on', () => {
  it('is asked about by its digest, with the name of the algorithm', () => {
    const stored = { ...passage, chunkId: 'chk_1', contentHash: 'ab'.repeat(32), version: 7, stands: true };
    expect(passageOf(stored)).toEqual({ ...passage, contentHash: `blake3:${'ab'.repeat(32)}` });
  });
});

describe('a change', () => {
  it('says whether what is watched still holds where it is about that', () => {
    const after = (['deleted', 'drifted', 'new_version', 'new_match'] as const).map((change) =>
      stateAfter({ change, verdict: null }),
    );
    expect(after).toEqual(['unavailable', 'drifted', null, null]);
  });

  it('that a proof found is what the proof said of the sources', () => {
    const after = FAULTY_VERDICTS.map((verdict) => stateAfter({ change: 'drifted', verdict }));
    expect(after).toEqual(['unknown', 'drifted', 'unavailable', null]);
  });
});

describe('the target that a request names', () => {
  const question = { query: 'leave', corpusIds: ['a'], includeCommons: true, limit: 10 };
  const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const named = (request: object, by = key) => namedTarget({ agentId: 'a', targetType: 'query', ...request }, by);

  it('is its type and name, in one spelling', () => {
    const artifact = { targetType: 'artifact', targetId: 'a/b' };
    expect(named({ targetType: 'artefact', targetId: 'a/b' })).toEqual(artifact);
    expect(named(artifact)).toEqual(artifact);
    expect(named({ targetId: 'mine', query: question })).toEqual({ targetType: 'query', targetId: 'mine' });
  });

  it('of a question without a name is the same for the same question alone', () => {
    const { targetId } = named({ query: question })!;
    expect(targetId).toMatch(/^query:[0-9a-f]{32}$/);
    const reversed = Object.fromEntries(Object.entries(question).reverse());
    expect(named({ query: reversed })).toEqual({ targetType: 'query', targetId });
    expect(named({ query: { ...question, minScore: 1 } })!.targetId).not.toBe(targetId);
    expect(named({ query: question }, other)!.targetId).not.toBe(targetId);
  });

  it('is none where it has neither', () => {
    expect(named({})).toBeUndefined();
    expect(named({ targetType: 'answer', query: question })).toBeUndefined();
  });
});
