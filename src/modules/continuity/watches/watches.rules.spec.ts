import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { passageKey } from './watches.rules.js';

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
