import { describe, expect, it } from 'vitest';
import { IDENTIFIER_KEYS, normalise, normaliseEmail } from './identifiers.rules.js';

describe('an e-mail address', () => {
  it.each([
    [' Ada@Example.COM ', 'Ada@example.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['ada+lab@example.com', 'ada+lab@example.com'],
    ['a.d.a@example.com', 'a.d.a@example.com'],
  ])('%s is compared as %s', (value, name) => expect(normaliseEmail(value)).toBe(name));

  it.each(['ada', 'ada@', '@example.com', 'a b@example.com', 'ada@exa mple.com', 'a@b@c', '<ada@example.com>', ''])(
    '%s is none',
    (value) => expect(normaliseEmail(value)).toBeUndefined(),
  );
});

describe('an identifier', () => {
  const name = (key: string, value: string) => normalise({ key, value })?.name;

  it('of one service is none of another', () => {
    expect(name('github_id', '42')).not.toBe(name('gitlab_id', '42'));
    expect(name('external_id', 'AB')).not.toBe(name('external_id', 'ab'));
    expect(name('github_login', 'Ada')).toBe(name('github_login', 'ada'));
  });

  it('of a key is read in whatever form it is usually written', () => {
    const hex = '0123456789ABCDEF0123456789ABCDEF01234567';
    expect(name('gpg_fingerprint', hex.replace(/(.{4})/g, '$1 '))).toBe(hex.toLowerCase());
    expect(name('ssh_fingerprint', 'SHA256:abcD=')).toBe('SHA256:abcD');
    expect(name('key_fingerprint', 'abcD')).not.toBe(name('key_fingerprint', 'abcd'));
  });

  it('of git has a name and an address', () => {
    expect(name('git_author', 'Ada  Lovelace <ada@Example.com>')).toBe('Ada Lovelace <ada@example.com>');
    expect([name('git_author', '<ada@example.com>'), name('git_author', 'Ada')]).toEqual([undefined, undefined]);
  });

  it('is under a known key alone, and no longer than one is', () => {
    expect(IDENTIFIER_KEYS.every((key) => !['constructor', 'toString'].includes(key))).toBe(true);
    expect([name('city', 'x'), name('constructor', 'x'), name('external_id', 'x'.repeat(1_025))]).toEqual(
      Array(3).fill(undefined),
    );
    expect(name('external_id', '  ')).toBeUndefined();
  });
});
