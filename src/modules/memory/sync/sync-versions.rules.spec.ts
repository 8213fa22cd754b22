import { describe, expect, it } from 'vitest';
import { completeVersion, contentDigest } from './sync-digests.rules.js';
import { BrokenRecord, versionOfRecord } from './sync-versions.rules.js';
import type { SyncRecord } from './sync.dto.js';
import { recordOf } from './sync.views.js';

const content = { value: 'London' };
const made = (vector: Record<string, number>, isDeleted = false): SyncRecord => {
  const contents = { isDeleted, contentDigest: isDeleted ? null : contentDigest(content) };
  const version = completeVersion({
    ...{ target: 'facts', parts: ['user:ada', 'city'], vector, writer: 'a', seq: vector['a']!, ...contents },
  });
  return { ...recordOf(version), content: isDeleted ? null : content };
};
const faultOf = (record: SyncRecord): string => {
  try {
    versionOfRecord(record, 'r');
    return 'none';
  } catch (error) {
    if (error instanceof BrokenRecord) return error.issue.path;
    throw error;
  }
};
const changed = (members: object, record = made({ a: 1 })): string => faultOf({ ...record, ...members });

describe('a record that comes in', () => {
  it('is read where it is what it says of itself, with its content or without', () => {
    expect(versionOfRecord(made({ a: 1 }), 'r')).toMatchObject({ target: 'facts', names: ['user:ada'], content });
    expect(versionOfRecord({ ...made({ a: 1 }), content: undefined }, 'r').content).toBeNull();
    expect(versionOfRecord(made({ a: 2, b: 1 }, true), 'r')).toMatchObject({ isDeleted: true, content: null });
  });

  it('is refused where anything of it was changed', () => {
    expect(changed({ id: ['user:bob', 'city'] })).toBe('r.digest');
    expect(changed({ vector: { a: 1, b: 1 } })).toBe('r.digest');
    expect(changed({ digest: `sha256:${'0'.repeat(64)}` })).toBe('r.digest');
    expect(changed({ content: { value: 'Paris' } })).toBe('r.content');
    expect(changed({ content: [] })).toBe('r.content');
    expect(changed({ content: { value: Infinity } })).toBe('r.content');
    expect(changed({ deleted: true })).toBe('r.collection');
    expect(changed({ collection: 'entities' })).toBe('r.digest');
    expect(changed({ collection: 'cases' })).toBe('r.id');
    expect(changed({ id: ['holds', 'x'] }, made({ a: 1 }, true))).toBe('r.id');
    expect(changed({ id: ['tombstones', 'x'] }, made({ a: 1 }, true))).toBe('r.id[0]');
    expect(changed({ content }, made({ a: 1 }, true))).toBe('r.content');
    expect(changed({ origin: { writer: 'a', seq: 1, hash: null } })).toBe('r.origin.hash');
  });

  it('has a vector that is one', () => {
    expect(faultOf(made({ a: Number.MAX_SAFE_INTEGER }))).toBe('none');
    for (const n of [0, -1, 1.5, 2 ** 53, '1']) expect(faultOf(made({ a: n as number }))).toBe('r.vector.a');
    expect(changed({ vector: {} })).toBe('r.vector');
    expect(changed({ vector: { a: 1, 'b c': 1 } })).toBe('r.vector');
    expect(changed({ vector: { a: 1, ['__proto__']: 1 } })).toBe('r.vector');
    expect(changed({ vector: { a: 2 } })).toBe('r.origin.seq');
    expect(changed({ origin: { writer: 'constructor', seq: 1, hash: made({ a: 1 }).origin.hash } })).toBe(
      'r.origin.seq',
    );
  });
});
