import { describe, expect, it } from 'vitest';
import { quotaSurfaces } from './quota-surfaces.js';

const read = (text: string | undefined) => quotaSurfaces().safeParse(text);

describe('the surfaces of quotas', () => {
  it('are none where nothing is said', () => {
    for (const text of [undefined, '', ' , ']) expect(read(text).data).toEqual([]);
  });

  it('have limits of their own, or the usual ones', () => {
    expect(read('context:100/3600, compute').data).toEqual([
      { surface: 'context', limit: 100, windowSeconds: 3600 },
      { surface: 'compute', limit: 600, windowSeconds: 60 },
    ]);
  });

  it.each(['Context', 'context:0/60', 'context:1/0', 'context:1/86401', 'context:1', 'a/b', 'quota', 'facts,facts'])(
    'are refused: %s',
    (text) => expect(read(text).success).toBe(false),
  );
});
