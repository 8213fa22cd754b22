import { describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../evidence/digest.js';
import { engramOf } from './engram-payload.rules.js';
import { askerOf, chunkSetHashOf, differing, factsOfSet, setHashOf, statusOf } from './resolve.rules.js';

const hash = blake3Digest('x');
const other = blake3Digest('y');
const engram = (name: string, more: object = {}) =>
  engramOf(
    { name, version: 1, source: 'entity', createdAt: new Date(0), createdBy: 'ada' },
    { content: 'x', ...more },
  )!;

describe('the hash of a set', () => {
  it('is over the bytes of JCS, sorted by name', () => {
    const expected = blake3Digest(`[["a",2,"${hash}"],["b",1,"${hash}"]]`);
    const a = { name: 'a', version: 2, hash };
    const b = { name: 'b', version: 1, hash };
    expect([setHashOf([a, b]), setHashOf([b, a])]).toEqual([expected, expected]);
    expect(setHashOf([])).toBe(blake3Digest('[]'));
    expect(setHashOf([{ ...a, version: 3 }, b])).not.toBe(expected);
  });

  it('of sources counts each once, and is null without any', () => {
    expect(chunkSetHashOf([])).toBeNull();
    expect(chunkSetHashOf([other, hash, other])).toBe(chunkSetHashOf([hash, other]));
  });
});

it('a manifest matches, is stale, or unknown', () => {
  expect([statusOf('a', 'a'), statusOf('b', 'a'), statusOf(undefined, 'a')]).toEqual(['match', 'stale', 'unknown']);
});

describe('two spellings', () => {
  it('may say the same, and not different things', () => {
    expect(differing({ tenant_id: 'a', tenantId: 'a', model_id: 'm' })).toEqual([]);
    expect(differing({ tenant_id: 'a', tenantId: 'b', agent_id: 'x', agentId: 'y' })).toEqual([
      'tenant_id',
      'agent_id',
    ]);
    expect(askerOf({ tenantId: 'a', agent_id: 'b' })).toEqual({ tenantId: 'a', agentId: 'b', modelId: undefined });
  });
});

describe('a set', () => {
  it('is inherited when one of it is, else derived when one is', () => {
    const derived = engram('a', { generated_class: 'derived' });
    const inherited = engram('b', { generated_class: 'inherited', inherited_reason: 'of the mother company' });
    expect(factsOfSet([engram('c')]).generatedClass).toBe('authored');
    expect(factsOfSet([engram('c'), derived]).generatedClass).toBe('derived');
    expect(factsOfSet([derived, inherited])).toMatchObject({
      ...{ generatedClass: 'inherited', inheritedReason: 'of the mother company' },
    });
  });

  it('has the policy that all share, or a hash over several', () => {
    expect(factsOfSet([engram('a', { policy_hash: hash }), engram('b')]).policyHash).toBe(hash);
    const two = factsOfSet([engram('a', { policy_hash: other }), engram('b', { policy_hash: hash })]).policyHash;
    expect(two).toBe(chunkSetHashOf([hash, other]));
    expect(factsOfSet([]).promptHash).toBeNull();
  });
});
