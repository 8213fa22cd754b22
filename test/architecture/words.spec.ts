import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** Words of our own, with the term of docs/language.md that stands for each. */
const FORBIDDEN: Record<string, string> = {
  'mouths?': 'transport',
  house: 'common, architecture',
  'rooms?': 'module; space, capacity',
  'doors?': 'resolver',
  anew: 'again',
  told: 'reported, returned',
  'tells?': 'report, return, say',
  'let(s|ting)? go': 'release, close',
  besides: 'also, in addition',
  beside: 'next to; with',
  'strangers?': 'unknown parameter; anonymous caller',
  'happenings?': 'event',
  'machinery|machineries': 'providers, platform',
  'narrators?': 'progress output',
  'linger(s|ing)?': 'graceful close',
};

/** Where such a word is another's: the name of a data item that is on the wire, or an English word in sample data. */
const ALLOWED: readonly RegExp[] = [/['`]happening['`]/, /front door/i];

const PATTERN = new RegExp(`\\b(${Object.keys(FORBIDDEN).join('|')})\\b`, 'i');
const files = globSync(
  ['{src,bench,test,console}/**/*.{ts,tsx,mjs}', 'docs/**/*.md', 'test/golden/openapi*.json', '*.md'],
  {
    cwd: ROOT,
  },
).filter(
  (file) =>
    !/^src[\\/]migrations[\\/]|[\\/]generated[\\/]|words\.spec\.ts$|docs[\\/]language\.md$|CHANGELOG\.md$/.test(file),
);

describe('plain words', () => {
  it('finds what is read', () => {
    expect(files.length).toBeGreaterThan(1_000);
  });

  it('no word of our own stands where the field has a term', () => {
    const found = files.flatMap((file) =>
      readFileSync(join(ROOT, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => {
          const text = ALLOWED.reduce((rest, allowed) => rest.replaceAll(new RegExp(allowed, 'gi'), ''), line);
          const word = PATTERN.exec(text)?.[0];
          return word === undefined ? [] : [`${file}:${index + 1} ${word}`];
        }),
    );
    expect(found).toEqual([]);
  });

  it('docs/language.md has each term once, and what it names is in the source', () => {
    const rows = readFileSync(join(ROOT, 'docs/language.md'), 'utf8')
      .split('\n')
      .filter((line) => /^\| [^-*]/.test(line))
      .slice(1)
      .map((line) => line.split('|').map((cell) => cell.trim()));
    const terms = rows.map(([, term]) => term!);
    expect(terms.filter((term, index) => terms.indexOf(term) !== index)).toEqual([]);
    const sources = globSync('{src,bench}/**/*.{ts,sql}', { cwd: ROOT });
    const text = sources.map((file) => `${file}\n${readFileSync(join(ROOT, file), 'utf8')}`).join('\n');
    const named = rows.flatMap((row) => [...row.at(-2)!.matchAll(/`@?([\w./-]+)[^`]*`/g)].map(([, name]) => name!));
    expect(named.length).toBeGreaterThan(150);
    const isThere = (name: string): boolean => text.includes(name);
    expect(named.filter((name) => !isThere(name) && !name.split('.').every(isThere))).toEqual([]);
  });

  it('no comment is wider than 120 columns', () => {
    const comments = files.filter((file) => file.endsWith('.ts'));
    const wide = comments.flatMap((file) =>
      readFileSync(join(ROOT, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          line.length > 120 && /^\s*(\/\*\*|\*|\/\/) /.test(line) ? [`${file}:${index + 1}`] : [],
        ),
    );
    expect(wide).toEqual([]);
  });
});
