import { describe, expect, it } from 'vitest';
import { readWitnessRequest, writeWitnessRequest } from './witness-request.js';

// The example of C2SP tlog-witness.
const PUBLISHED =
  'old 20852014\n' +
  'PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n' +
  'jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=\n' +
  '5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=\n' +
  '/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=\n' +
  '\n' +
  'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n' +
  '\u2014 example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n' +
  '\u2014 example.com/behind-the-sofa opLqBQsREYCgu6xQkYQwJr9fo45a62DN9EdmHXnZdXNqlcVGlCum2Wks+49/V6267UEjw6QUXTS5Rovnzv++qbSzm9Q=\n';
const bytes = (text: string) => Buffer.from(text);
const hash = `${Buffer.alloc(32).toString('base64')}\n`;

describe('the request to a witness', () => {
  it('is read and written as C2SP has it', () => {
    const read = readWitnessRequest(bytes(PUBLISHED));
    expect([read.from, read.proof.length, read.checkpoint.slice(0, 11)]).toEqual([20_852_014, 4, 'example.com']);
    expect(writeWitnessRequest(read)).toBe(PUBLISHED);
    expect(readWitnessRequest(bytes('old 0\n\nnote'))).toEqual({ from: 0, proof: [], checkpoint: 'note' });
    expect(readWitnessRequest(bytes(`old 1\n${hash.repeat(63)}\n`)).proof).toHaveLength(63);
  });

  it.each([
    ['nothing', '', /the body is a line/],
    ['no empty line', 'old 0\nnote', /the body is a line/],
    ['another word', 'new 0\n\nnote', /the first line/],
    ['a leading zero', 'old 01\n\nnote', /the first line/],
    ['a sign', 'old -1\n\nnote', /the first line/],
    ['a size past 2^53', 'old 9007199254740993\n\nnote', /the first line/],
    ['two spaces', 'old  0\n\nnote', /the first line/],
    ['a carriage return', 'old 0\r\n\n\nnote', /the first line/],
    ['a hash too short', 'old 1\nAAAA\n\nnote', /32 bytes/],
    ['a hash without padding', `old 1\n${hash.replace('=', '')}\nnote`, /32 bytes/],
    ['too long a proof', `old 1\n${hash.repeat(64)}\nnote`, /more than 63/],
  ])('is refused with %s', (_, text, reason) => {
    expect(() => readWitnessRequest(bytes(text))).toThrow(reason);
  });

  it('is refused when it is not UTF-8', () => {
    expect(() => readWitnessRequest(Uint8Array.of(0x6f, 0xff))).toThrow();
  });
});
