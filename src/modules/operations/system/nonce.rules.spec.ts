import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeNonce, RANDOM_BYTES, readNonce, REMEMBERED_SECONDS, TTL_SECONDS } from './nonce.rules.js';

const KEY = Buffer.alloc(32, 7);
const NOW = 1_800_000_000;
const made = (random = randomBytes(RANDOM_BYTES)): string => makeNonce(KEY, NOW + 0.5, random);

describe('a nonce', () => {
  it('is 32 bytes, known again by the key that made it, and another each time', () => {
    const nonce = made();
    expect(nonce).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(readNonce(KEY, nonce, NOW + 1)).toEqual(Buffer.from(nonce, 'base64url'));
    expect(made()).not.toBe(nonce);
  });

  it('is unknown where a byte of it is another, to another key, and where it is none', () => {
    const bytes = Buffer.from(made(), 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect([at, readNonce(KEY, changed.toString('base64url'), NOW)]).toEqual([at, 'unknown']);
    }
    expect(readNonce(Buffer.alloc(32, 8), made(), NOW)).toBe('unknown');
    for (const text of ['', 'x', 'A'.repeat(43), 'A'.repeat(10_000)]) expect(readNonce(KEY, text, NOW)).toBe('unknown');
  });

  it('has expired 120 seconds later, and is remembered for longer than any clock takes it', () => {
    const nonce = made();
    expect(readNonce(KEY, nonce, NOW + TTL_SECONDS - 1)).toBeInstanceOf(Buffer);
    expect(readNonce(KEY, nonce, NOW + TTL_SECONDS)).toBe('expired');
    expect(readNonce(KEY, nonce, NOW - TTL_SECONDS)).toBeInstanceOf(Buffer);
    expect(readNonce(KEY, nonce, NOW - TTL_SECONDS - 1)).toBe('unknown');
    expect(REMEMBERED_SECONDS).toBeGreaterThan(2 * TTL_SECONDS);
  });
});
