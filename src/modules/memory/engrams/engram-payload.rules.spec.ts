import { describe, expect, it } from 'vitest';
import { engramOf, readEngramPayload } from './engram-payload.rules.js';

const origin = { name: 'a', version: 3, source: 'entity', createdAt: new Date(0), createdBy: 'ada' } as const;

describe('the payload of an engram', () => {
  it('needs a content, and has defaults for the rest', () => {
    expect(readEngramPayload('a', { content: 'x' }, 'p')).toEqual({
      ...{ content: 'x', enabled: true, generated_class: 'authored' },
    });
  });

  it('names every member that is wrong', () => {
    const issues = readEngramPayload('a', { content: '', enabled: 'yes', color: 1 }, 'body.payload');
    expect(Array.isArray(issues) && issues.map(({ path }) => path).sort()).toEqual([
      ...['body.payload.color', 'body.payload.content', 'body.payload.enabled'],
    ]);
  });

  it.each(['', '-a', 'a-', 'A', 'a b', 'ä', 'a'.repeat(65), '../x'])('is of no engram named %j', (name) => {
    expect(readEngramPayload(name, { content: 'x' }, 'p')).toMatchObject([{ path: 'path.id' }]);
  });

  it('of what was stored before the kind had rules makes none', () => {
    for (const payload of [null, 'text', {}, { content: 7 }]) expect(engramOf(origin, payload)).toBeUndefined();
  });
});
