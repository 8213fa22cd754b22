import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isSignedBy, signatureOf } from './payment-signature.rules.js';

const SECRET = 'a secret of the provider';
const NOW = 1_800_000_000;
const BODY = '{"id":"evt_1"}';
const isSigned = (header: string | undefined, body = BODY, now = NOW) =>
  isSignedBy(SECRET, header, Buffer.from(body), now);
const good = signatureOf(SECRET, NOW, BODY);
const hash = good.split('v1=')[1]!;

describe('a payment signature', () => {
  it('is the HMAC of time and body', () => {
    const made = createHmac('sha256', SECRET).update(`${NOW}.${BODY}`).digest('hex');
    expect(good).toBe(`t=${NOW},v1=${made}`);
    expect(isSigned(good)).toBe(true);
  });

  it.each<[string, string]>([
    ['any of several secrets', `t=${NOW},v1=${'0'.repeat(64)},v1=${hash}`],
    ['spaces and other schemes', `t=${NOW}, v0=abc, v1=${hash}`],
    ['capital digits', `t=${NOW},v1=${hash.toUpperCase()}`],
  ])('may have %s', (_what, header) => expect(isSigned(header)).toBe(true));

  it.each<[string, string | undefined]>([
    ['missing', undefined],
    ['empty', ''],
    ['without a time', `v1=${hash}`],
    ['with two times', `t=${NOW},t=${NOW},v1=${hash}`],
    ['with a time that is no number', `t=now,v1=${hash}`],
    ['with a time written otherwise', `t=0${NOW},v1=${hash}`],
    ['with a negative time', `t=-${NOW},v1=${hash}`],
    ['without a signature', `t=${NOW}`],
    ['of another scheme alone', `t=${NOW},v0=${hash}`],
    ['too short', `t=${NOW},v1=${hash.slice(2)}`],
    ['too long', `t=${NOW},v1=${hash}00`],
    ['of another secret', signatureOf('another secret', NOW, BODY)],
    ['of another time', `t=${NOW + 1},v1=${hash}`],
    ['one of far too many', `t=${NOW}${`,v1=${hash}`.repeat(9)}`],
  ])('is refused when %s', (_what, header) => expect(isSigned(header)).toBe(false));

  it('covers every byte of the body', () => {
    expect(isSigned(good, `${BODY} `)).toBe(false);
    expect(isSigned(good, '')).toBe(false);
  });

  it('holds for five minutes either way', () => {
    expect([-301, -300, 300, 301].map((offset) => isSigned(good, BODY, NOW + offset))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});
