import { describe, expect, it } from 'vitest';
import { pathFault } from './source-path.rules.js';

describe('the path of a file below a folder', () => {
  it.each(['style.md', 'a/b/c.md', '..a/b..', 'ümlaut/x y.md', '.hidden'])('may be %s', (path) => {
    expect(pathFault(path)).toBeUndefined();
  });

  it.each([
    ['/etc/passwd', 'absolute'],
    ['..', '".."'],
    ['../x', '".."'],
    ['a/../b', '".."'],
    ['a//b', 'empty'],
    ['a/', 'empty'],
    ['./a', '"."'],
    ['a\\..\\b', 'backslash'],
    ['C:\\x', 'backslash'],
    ['a\0b', 'NUL'],
  ])('may not be %j', (path, says) => {
    expect(pathFault(path)).toContain(says);
  });
});
