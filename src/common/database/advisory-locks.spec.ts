import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ADVISORY_LOCKS } from './advisory-locks.js';

const SRC = join(import.meta.dirname, '..', '..');

describe('keys of advisory locks', () => {
  it('has another key for each, and the log keeps the one that earlier releases take', () => {
    const keys = Object.values(ADVISORY_LOCKS);
    expect(new Set(keys).size).toBe(keys.length);
    expect(ADVISORY_LOCKS.log).toBe(7_389_214_656);
  });

  it('stands in no other file', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.startsWith('migrations') && !file.endsWith('advisory-locks.ts'),
    );
    const texts = files
      .filter((file) => !file.endsWith('.spec.ts'))
      .map((file) => [file, readFileSync(join(SRC, file), 'utf8')] as const);
    const takers = texts.filter(([, text]) => /advisory_(?:xact_)?lock(?:_shared)?\(/.test(text));
    expect(takers.length).toBeGreaterThan(10);
    const own = takers.filter(([, text]) =>
      /lock(?:_shared)?\(\d|\b(?:0x[\da-f_]{5,}|\d{1,3}(?:_\d{3}){3,})\b/i.test(text),
    );
    expect(own.map(([file]) => file)).toEqual([]);
  });
});
