import { describe, expect, it } from 'vitest';
import { readCapabilities } from './capabilities-file.rules.js';

const PRODUCT = new Set(['svc-daemon.facts']);
const faults = (text: string) => {
  const read = readCapabilities(text, PRODUCT);
  return 'faults' in read ? read.faults.map(({ member, message }) => `${member} ${message}`) : [];
};
const one = (more: string) => `capabilities:\n  - { id: a, name: A, system: s, ${more} }\n`;

describe('the file of capabilities', () => {
  it('keeps all digits of promises', () => {
    const read = readCapabilities(one('promises: [0, 9007199254740993, 18446744073709551615]'), PRODUCT);
    expect('content' in read && read.content.capabilities[0]).toMatchObject({
      ...{ id: 'a', name: 'A', system: 's', maturity: 'experimental', tests: [], upstream: [] },
      promises: [0n, 9007199254740993n, 18446744073709551615n],
    });
  });

  it('adds promises and tests to what the product has', () => {
    const read = readCapabilities('capabilities: [{ id: svc-daemon.facts, promises: [3], tests: [x] }]', PRODUCT);
    expect('content' in read && read.content).toEqual({
      capabilities: [],
      additions: [{ id: 'svc-daemon.facts', promises: [3n], tests: ['x'] }],
    });
  });

  it.each([
    ['', ' expected `capabilities:` with a list'],
    ['capabilities: 7', 'capabilities expected a list of capabilities'],
    [one('promises: [-1]'), 'capabilities[0].promises[0] expected a whole number from 0 to 18446744073709551615'],
    [one('promises: [18446744073709551616]'), 'capabilities[0].promises[0] expected a whole number'],
    [one('promises: ["1"]'), 'capabilities[0].promises[0] expected a whole number'],
    [one('colour: red'), 'capabilities[0].colour is no member here'],
    [one('maturity: old'), 'capabilities[0].maturity expected one of experimental, beta, stable, deprecated'],
    [one('upstream: [b]'), 'capabilities[0].upstream[0] b is no capability of this file or of the product'],
    ['capabilities: [{ id: analysis, name: A, system: s }]', 'capabilities[0].id is the address of the analyses'],
    ['capabilities: [{ id: svc-x.y, name: A, system: s }]', 'capabilities[0].id begins with svc-'],
    ['capabilities: [{ id: a }]', 'capabilities[0].name is needed'],
    ['capabilities: [{ id: a, name: A, system: svc-api }]', 'capabilities[0].system begins with svc-'],
    ['capabilities: [{ id: svc-daemon.facts, name: A }]', 'capabilities[0].name is said by the product itself'],
    [`${one('')}  - { id: a, name: A, system: s }`, 'capabilities[1].id a is there twice'],
    ['capabilities: [', ''],
  ])('refuses %j', (text, message) => {
    expect(faults(text)[0]).toContain(message);
    expect(faults(text)).not.toEqual([]);
  });

  it('names a circle', () => {
    const text = `capabilities:
  - { id: a, name: A, system: s, upstream: [b, svc-daemon.facts] }
  - { id: b, name: B, system: s, upstream: [c] }
  - { id: c, name: C, system: s, upstream: [b] }`;
    expect(faults(text)).toEqual(['capabilities[0].upstream leads in a circle: b > c > b']);
    expect(faults(text.replace('upstream: [b] }', '}'))).toEqual([]);
  });
});
