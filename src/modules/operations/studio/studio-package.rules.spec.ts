import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { actionOf, digestOf, readPackage } from './studio-package.rules.js';

const MANIFEST = 'schema: svc.studio-package/1\nversion: 1.2.0\ntitle: T\ndescription: D\n';
const KIND = 'description: A thing.\npayload_schema: { type: object }\n';
const read = (files: Record<string, string>) =>
  readPackage('p', new Map(Object.entries({ 'package.yaml': MANIFEST, ...files })), (name, text) => ({ name, text }));

describe('a package', () => {
  it('is made of its files', () => {
    const { items, ...rest } = read({
      ...{ 'layers/style.md': 'Short.', 'kinds/thing.yaml': KIND, 'engrams/go/SKILL.md': 'Go.' },
    });
    expect(rest).toMatchObject({ id: 'p', version: '1.2.0', title: 'T', description: 'D' });
    expect(items).toEqual([
      { type: 'engram', name: 'go', content: { name: 'go', text: 'Go.' } },
      { type: 'kind', name: 'thing', content: { description: 'A thing.', payload_schema: { type: 'object' } } },
      { type: 'layer', name: 'style', content: 'Short.' },
    ]);
  });

  it.each<[string, Record<string, string>, string]>([
    ['without a manifest', { 'package.yaml': '' }, 'package.yaml'],
    ['of another form', { 'package.yaml': MANIFEST.replace('/1', '/2') }, 'package.yaml: schema'],
    ['with a version of another form', { 'package.yaml': MANIFEST.replace('1.2.0', 'new') }, 'package.yaml: version'],
    ['with more members', { 'package.yaml': `${MANIFEST}extra: 1\n` }, 'package.yaml'],
    ['that is no YAML', { 'package.yaml': 'a: [' }, 'package.yaml'],
    ['with nothing in it', {}, 'has no engram, kind or layer'],
    ['with a file that is none of it', { 'run.sh': 'rm' }, 'run.sh is no part of a package'],
    ['with a kind without a schema', { 'kinds/thing.yaml': 'description: A.\n' }, 'kinds/thing.yaml: payload_schema'],
    ['with a kind of aliases', { 'kinds/thing.yaml': `${KIND}example: [&a 1, *a]\n` }, 'kinds/thing.yaml'],
    ['with a layer of another name', { 'layers/Style.md': 'x' }, 'layers/Style.md'],
  ])('%s is refused', (_, files, message) => expect(() => read(files)).toThrow(message));

  it('has a digest that anyone can make of its files, in whatever order they are', () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const listing = `{"files":[{"path":"a","sha256":"${sha256('1')}"},{"path":"b","sha256":"${sha256('2')}"}],"schema":"svc.studio-package/1"}`;
    const files = [['b', '2'] as const, ['a', '1'] as const];
    expect(digestOf(new Map(files))).toBe(`sha256:${sha256(listing)}`);
    expect(digestOf(new Map(files.toReversed()))).toBe(`sha256:${sha256(listing)}`);
    expect(digestOf(new Map([['a', '1']]))).not.toBe(digestOf(new Map([['a', '2']])));
  });
});

describe('an item', () => {
  it.each([
    [undefined, false, 'create'],
    ['next', false, 'unchanged'],
    ['former', false, 'update'],
    ['own', false, 'conflict'],
    ['own', true, 'replace'],
    ['former', true, 'update'],
  ] as const)('that is %s (replace: %s): %s', (current, replace, action) =>
    expect(actionOf('next', current, { written: new Set(['former']), replace })).toBe(action),
  );
});
