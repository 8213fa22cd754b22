import { describe, expect, it } from 'vitest';
import { SecretScreen } from './secret-screen.js';

const screen = new SecretScreen();

describe('the screen for secrets', () => {
  it.each([
    ['token: ghp_abcdefghijklmnopqrstuvwxyz0123456789', /\[secret:/],
    [
      'My AWS key is AKIAIOSFODNN7EXAMPLE and the password=hunter2222',
      /\[secret:aws-access-key-id\].*\[secret:assigned\]/,
    ],
    ['secret: hunter2-in-words]', /\[secret:assigned\]/],
  ])('masks, and leaves what it masked as it is: %s', async (text, expected) => {
    const once = await screen.mask(text);
    expect(once.text).toMatch(expected);
    expect(once.screened.length).toBeGreaterThan(0);
    expect(await screen.mask(once.text)).toEqual({ text: once.text, screened: [] });
  });
});
