import { expect, it } from 'vitest';
import { IgnoreRules } from './ignore-rules.js';

const rules = IgnoreRules.none
  .with('', '*.log\nbuild/\n/top\n!keep.log\n# comment\nDocs\na/**/z\n')
  .with('sub', '!build/\n*.tmp\n/only\n!special.log\n');

it.each<[string, boolean, boolean]>([
  ['a.log', false, true],
  ['x/a.log', false, true],
  ['keep.log', false, false],
  ['build', true, true],
  ['build', false, false],
  ['sub/build', true, false],
  ['sub/build/file', false, false],
  ['sub/build/a.log', false, false],
  ['top', false, true],
  ['x/top', false, false],
  ['sub/a.tmp', false, true],
  ['a.tmp', false, false],
  ['sub/only', true, true],
  ['sub/x/only', true, false],
  ['sub/special.log', false, false],
  ['special.log', false, true],
  ['docs', true, false],
  ['Docs', true, true],
  ['a/b/c/z', false, true],
])('%s (a folder: %s) is left out: %s', (path, isFolder, expected) => {
  const applying = path.startsWith('sub/')
    ? rules
    : IgnoreRules.none.with('', '*.log\nbuild/\n/top\n!keep.log\nDocs\na/**/z\n');
  expect(applying.isIgnored(path, isFolder)).toBe(expected);
});
