import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  doOverlap,
  hasWildcards,
  isPartOf,
  literalPath,
  MAX_PATTERN,
  readResource,
  storedResource,
} from './resources.rules.js';

const textOf = (given: string) => {
  const resource = readResource(given);
  return typeof resource === 'string' ? { refused: resource } : resource.text;
};

describe('readResource', () => {
  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['src/', 'src'],
    ['./src//a/./b', 'src/a/b'],
    ['src\\a\\b.ts', 'src/a/b.ts'],
    ['Src/A.ts', 'Src/A.ts'],
    ['cafe\u0301.md', 'caf\u00e9.md'],
    ['.', '.'],
    ['./', '.'],
    ['Acme/Shop:src/A', 'acme/shop:src/A'],
    ['acme/shop:', 'acme/shop:.'],
    ['acme/shop:./', 'acme/shop:.'],
    ['./acme/shop:src', './acme/shop:src'],
    ['src/**/**/x', 'src/**/x'],
    ['src/***', 'src/**'],
    ['src/a**b', 'src/a*b'],
    ['app/[id]/page.tsx', 'app/[id]/page.tsx'],
    ['{{name}}/x', '{{name}}/x'],
    ['..a/b..', '..a/b..'],
    [' a ', ' a '],
  ])('reads %j as %j', (given, text) => {
    expect(textOf(given)).toBe(text);
    expect(textOf(text)).toBe(text);
  });

  it.each([
    ['../a', '".."'],
    ['a/../b', '".."'],
    ['a/..', '".."'],
    ['a\\..\\b', '".."'],
    ['acme/shop:../a', '".."'],
    ['../shop:a', '".."'],
    ['/etc/passwd', 'leading "/"'],
    ['\\\\host\\share', 'leading "/"'],
    ['acme/shop:/etc', 'leading "/"'],
    ['C:\\src\\a.ts', 'leading "/"'],
    ['c:/src/a.ts', 'leading "/"'],
    ['src/{a,b}.ts', 'not expanded'],
    [`${'a'.repeat(MAX_PATTERN)}*`, `${MAX_PATTERN} characters`],
  ])('refuses %j: %s', (given, why) => {
    expect(textOf(given)).toEqual({ refused: expect.stringContaining(why) as string });
  });

  it('says which resources have wildcards', () => {
    const marked = ['a', 'a/*', 'a/?b', '**', 'a/[b]'].map((text) => hasWildcards(storedResource(text)));
    expect(marked).toEqual([false, true, true, true, false]);
  });
});

describe('doOverlap', () => {
  it.each([
    ['src', 'src', true],
    ['src', 'src/a/b.ts', true],
    ['src', 'srcx', false],
    ['src/a', 'src/b', false],
    ['.', 'whatever/there/is', true],
    ['src/A.ts', 'src/a.ts', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/a.js', false],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/*.ts', 'src', true],
    ['src/*.ts', 'test', false],
    ['src/*', 'src/a/b/c.ts', true],
    ['src/**', 'src/a/b/c.ts', true],
    ['src/**', 'src', true],
    ['**/*.sql', 'src/migrations', true],
    ['**/*.sql', 'src/migrations/1.sql', true],
    ['**/x', 'x', true],
    ['*', '.env', true],
    ['src/?.ts', 'src/ab.ts', false],
    ['src/?.ts', 'src/\u{1f600}.ts', true],
    ['src/*.spec.ts', 'src/a*', true],
    ['src/a*', 'src/*b', true],
    ['src/a*c', 'src/*b', false],
    ['src/*a*b*', 'src/b?a?', true],
    ['*.ts', '*.js', false],
    ['src/*/x', 'src/y/*', true],
    ['src/*/x', 'src/y/z', false],
    ['a/**/z', 'a/b', true],
    ['a/**/z', '**/y/z', true],
    ['a/**/z', 'b/**/z', false],
    ['**/a/*', 'b/**/c/d', true],
    ['app/[id]/x', 'app/i/x', false],
    ['app/[id]/x', 'app/[id]/x', true],
    ['acme/shop:src', 'acme/shop:src/a', true],
    ['acme/shop:src', 'acme/web:src', false],
    ['acme/shop:src', 'src/a', true],
    ['acme/shop:src', 'test', false],
  ])('%s and %s: %s', (a, b, expected) => {
    const [left, right] = [storedResource(a), storedResource(b)];
    expect([doOverlap(left, right), doOverlap(right, left)]).toEqual([expected, expected]);
  });

  it('takes each character of a path of git for itself', () => {
    const touches = (card: string, path: string) => isPartOf(literalPath(undefined, path), storedResource(card));
    expect([touches('src/b', 'src/*'), touches('src/*', 'src/*'), touches('src/?', 'src/**')]).toEqual([
      ...[false, true, false],
    ]);
    expect([touches('caf\u00e9', 'cafe\u0301'), touches('a/b:c', 'a/b:c'), touches('./a/b:c', 'a/b:c')]).toEqual([
      ...[true, false, true],
    ]);
  });

  it('ends soon for patterns that a walk through all ways would not end for', () => {
    const pattern = (end: string) => storedResource(`${'*a'.repeat(60)}${end}`);
    expect(doOverlap(pattern('b'), pattern('c'))).toBe(false);
    const deep = (end: string) => storedResource(`${'**/a/'.repeat(40)}${end}`);
    expect(doOverlap(deep('b'), deep('b'))).toBe(true);
  });

  it('finds exactly what a list of all paths and the glob matcher of Node.js find', () => {
    const names = combine(['a', 'b'], 2, '');
    const paths = combine(names, 4, '/');
    const patterns = combine(['a', 'ab', '*', '?', 'a*', '*b', '**', '??', '*a*'], 2, '/');
    const more = ['**/a/*', 'a/**/b', '**/a/**/b', '*/**/b', '**/*b/a', 'a/b/?', 'a/*/b/?'];
    const sets = [...patterns, ...more].map((text) => ({
      text,
      resource: storedResource(text),
      ...closureOf(text, paths),
    }));
    const wrong: string[] = [];
    for (const a of sets)
      for (const b of sets) {
        const isShared = (a.bits & b.bits) !== 0n;
        if (doOverlap(a.resource, b.resource) !== isShared) wrong.push(`${a.text} and ${b.text}: ${isShared}`);
      }
    const files = paths.map((path) => literalPath(undefined, path));
    for (const { text, resource, held } of sets)
      for (const [index, file] of files.entries())
        if (isPartOf(file, resource) !== held.has(paths[index]!)) wrong.push(`${paths[index]} in ${text}`);
    expect(wrong).toEqual([]);
    expect(sets.length).toBe(97);
  });
});

/** All sequences of one to `most` of the parts. */
function combine(parts: readonly string[], most: number, separator: string): string[] {
  let longest = [...parts];
  const all = [...parts];
  for (let length = 2; length <= most; length += 1) {
    longest = longest.flatMap((head) => parts.map((part) => `${head}${separator}${part}`));
    all.push(...longest);
  }
  return all;
}

/** The paths that a pattern matches or that are below one that it matches; `a/**` takes in `a` itself. */
function closureOf(pattern: string, paths: readonly string[]): { bits: bigint; held: Set<string> } {
  const forms = [pattern, pattern.replace(/\/\*\*$/, '')];
  const held = new Set<string>();
  const isHeld = paths.map((path) => {
    if (!held.has(posix.dirname(path)) && !forms.some((form) => posix.matchesGlob(path, form))) return '0';
    held.add(path);
    return '1';
  });
  return { bits: BigInt(`0b${isHeld.join('')}`), held };
}
