import { describe, expect, it } from 'vitest';
import { HeldPaths } from './held-paths.rules.js';
import { isPartOf, literalPath, storedResource } from './resources.rules.js';

const held = (texts: readonly string[]) => texts.map((text) => ({ text, resource: storedResource(text) }));
const find = (texts: readonly string[], path: string, repo?: string) =>
  new HeldPaths(held(texts)).find(literalPath(repo, path)).map(({ text }) => text);

describe('HeldPaths', () => {
  it.each([
    [['src/a.ts', 'src/b.ts'], 'src/a.ts', ['src/a.ts']],
    [['src', 'srcx', 'test'], 'src/a/b.ts', ['src']],
    [['.'], 'a', ['.']],
    [['vendor/lib/a.c', 'vendor/lib'], 'vendor', []],
    [['src/*.ts', '**/*.sql', 'src'], 'src/a.ts', ['src', 'src/*.ts']],
    [['src/a', 'src/a'], 'src/a', ['src/a', 'src/a']],
    [['src/a'], 'src/*', []],
  ])('finds in %j what holds %j', (texts, path, expected) => {
    expect(find(texts, path)).toEqual(expected);
  });

  it('leaves out what is of another repository', () => {
    const texts = ['acme/shop:src', 'acme/web:src', 'src', 'acme/web:**'];
    expect(find(texts, 'src/a', 'Acme/Shop')).toEqual(['acme/shop:src', 'src']);
    expect(find(texts, 'src/a')).toEqual(texts);
  });

  it('finds what a comparison with each one finds', () => {
    const names = ['a', 'b', 'a/b', 'b/a', 'a/b/a', 'b/b/b', '.', 'a/*', '**/b', '*/a', 'o/r:a', 'o/r:a/*', 'p/r:b'];
    const all = held(names);
    for (const path of ['a', 'b', 'c', 'a/a', 'a/b', 'b/a', 'a/b/a', 'a/b/a/b', 'b/b'])
      for (const repo of [undefined, 'o/r']) {
        const one = literalPath(repo, path);
        const plain = all.filter(({ resource }) => isPartOf(one, resource)).map(({ text }) => text);
        expect([path, repo, find(names, path, repo).sort()]).toEqual([path, repo, plain.sort()]);
      }
  });
});
