import { describe, expect, it } from 'vitest';
import { isSignature, isSignedByGithub } from './github-signature.rules.js';

// The example of GitHub's page "Validating webhook deliveries".
const SECRET = "It's a Secret to Everybody";
const BODY = Buffer.from('Hello, World!');
const SIGNATURE = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

describe('X-Hub-Signature-256', () => {
  it('fits the example of GitHub', () => expect(isSignedByGithub(SECRET, SIGNATURE, BODY)).toBe(true));

  it.each<[string, string | undefined]>([
    ['nothing', undefined],
    ['an empty one', ''],
    ['the digest alone', SIGNATURE.slice(7)],
    ['SHA-1', `sha1=${SIGNATURE.slice(7, 47)}`],
    ['too short a digest', SIGNATURE.slice(0, -2)],
    ['more than a digest', `${SIGNATURE}00`],
    ['another digest', SIGNATURE.replace('75', '76')],
  ])('is not %s', (_, header) => expect(isSignedByGithub(SECRET, header, BODY)).toBe(false));

  it('is known by its form before its secret is', () => {
    expect([SIGNATURE, SIGNATURE.replace('75', '76')].map(isSignature)).toEqual([true, true]);
    expect([undefined, '', SIGNATURE.slice(7), `${SIGNATURE}00`].map(isSignature)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('is not of another body or another secret', () => {
    expect(isSignedByGithub(SECRET, SIGNATURE, Buffer.from('Hello, World'))).toBe(false);
    expect(isSignedByGithub('another', SIGNATURE, BODY)).toBe(false);
  });
});
