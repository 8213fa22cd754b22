import { describe, expect, it } from 'vitest';
import { maskMarks } from '../../../common/screening/marks.js';
import { findPersonalData, isCard, isIban } from './personal-data.rules.js';

const mask = (text: string) => maskMarks(text, findPersonalData(text));

describe('personal data', () => {
  it.each([
    ['mail ada.l+x@mail.example.org now', 'mail [email] now'],
    ['jürgen@müller.de', '[email]'],
    ['IBAN GB29 NWBK 6016 1331 9268 19.', 'IBAN [iban].'],
    ['card 4111 1111 1111 1111', 'card [card]'],
    ['card 4111-1111-1111-1111, 5500000000000004', 'card [card], [card]'],
    ['from 203.0.113.7 and 2001:db8::7', 'from [ip] and [ip]'],
    ['::1, fe80::1%eth0; (::ffff:203.0.113.7) at ::.', '[ip], [ip]%eth0; ([ip]) at [ip].'],
    ['call +44 20 7946 0958 or (030) 1234567 or 0049 30 1234567', 'call [phone] or [phone] or [phone]'],
  ])('%j is masked', (text, expected) => {
    expect(mask(text)).toBe(expected);
  });

  it.each([
    'At 2026-11-23T09:00:00.000Z, v1.2.3.4.5',
    'order 4111111111111112 of 12 items',
    'GB00NWBK60161331926819',
    '00000000-0000-7000-8000-000000000000',
    'a@b, @handle, 12:30:45, f: g, 1::2::3, ::g',
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '999.1.1.1',
  ])('%j is left as it is', (text) => {
    expect(mask(text)).toBe(text);
  });

  it('that overlaps is one mark', () => {
    const marks = [
      { start: 2, end: 6, name: 'a' },
      { start: 4, end: 8, name: 'b' },
      { start: 8, end: 9, name: 'c' },
    ];
    expect(maskMarks('0123456789', marks)).toBe('01[a][c]9');
  });

  it('is known from its like by check digits', () => {
    expect([isIban('DE89370400440532013000'), isIban('DE88370400440532013000')]).toEqual([true, false]);
    expect([isCard('378282246310005'), isCard('378282246310006'), isCard('0'.repeat(12))]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('is looked for in a hostile text without delay', () => {
    for (const part of ['a@', '0 ', '1-', ':', 'f:', 'AA00', '1.'])
      for (const end of ['', 'g']) expect(mask(part.repeat(65_536 / part.length) + end).length).toBeGreaterThan(0);
  });
});
