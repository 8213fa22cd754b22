import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { quote } from './welcome.js';

it('quotes one word for a shell, whatever is in it', () => {
  for (const text of ['plain', "it's", 'a b', '$HOME `id` "x" \\', "''", 'ä\n€'])
    expect(execFileSync('sh', ['-c', `printf %s ${quote(text)}`], { encoding: 'utf8' })).toBe(text);
});
