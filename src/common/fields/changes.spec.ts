import { describe, expect, it } from 'vitest';
import { changesOf } from './changes.js';

describe('what changes', () => {
  it('is what was given and differs, null too', () => {
    const current = { name: 'a', assigneePassport: 'p' as string | null };
    expect(changesOf(current, { name: 'a', assigneePassport: null })).toEqual({ assigneePassport: null });
    expect(changesOf(current, { name: undefined })).toEqual({});
  });
});
