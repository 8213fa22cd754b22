import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAuthority, type TestAuthority } from '../../../../test/kit/signing-chain.js';
import { parseCertificates } from '../../../evidence/certificate-path.js';
import { chainFaults, describeLeaf, isTrusted, readChain } from './chain.rules.js';

let authority: TestAuthority;
let leaf: string;
beforeAll(async () => {
  authority = await startAuthority();
  leaf = (await authority.certify('P-256')).leaf;
});
afterAll(() => authority.close());

const NOW = () => new Date();
const codesOf = (pem: string, time = NOW()) => chainFaults(readChain(pem), time).map(({ code }) => code);

describe('a chain', () => {
  it('is read in its order, and never with a private key', () => {
    expect(readChain(leaf + authority.intermediate).map(({ issuer }) => issuer)).toEqual([
      'CN=Intermediate',
      'O=Example\nCN=Root',
    ]);
    expect(() => readChain(`${leaf}-----BEGIN EC PRIVATE KEY-----\nAAAA\n`)).toThrow('private key');
    expect(() => readChain('')).toThrow('no certificate');
    expect(() => readChain(leaf.repeat(9))).toThrow('more than 8');
    expect(() => readChain(leaf.replace(/M/, '+'))).toThrow('cannot be read');
  });

  it('has no fault from the leaf as far up as it goes', () => {
    const { intermediate, root } = authority;
    for (const pem of [leaf, leaf + intermediate, leaf + intermediate + root]) expect(codesOf(pem)).toEqual([]);
  });

  it('has a fault for each link and each certificate that does not hold', () => {
    const { intermediate, root } = authority;
    expect(chainFaults([], NOW())).toMatchObject([{ code: 'broken' }]);
    expect(codesOf(leaf + root)).toEqual(['broken']);
    expect(codesOf(intermediate + leaf)).toContain('broken');
    expect(codesOf(leaf + intermediate, new Date('2001-01-01'))).toEqual(['not_yet_valid', 'not_yet_valid']);
    expect(codesOf(leaf + intermediate, new Date('2099-01-01'))).toEqual(['expired', 'expired']);
    expect(codesOf(intermediate)).toEqual(['unfit']);
  });

  it('is trusted where it leads to a root, directly or by what it brings', () => {
    const { intermediate, root } = authority;
    const roots = parseCertificates(root);
    const trusted = (pem: string, time = NOW()) => isTrusted(readChain(pem), roots, time);
    expect([trusted(leaf + intermediate), trusted(leaf + intermediate + root), trusted(root)]).toEqual([
      true,
      true,
      true,
    ]);
    expect([trusted(leaf), trusted(leaf + intermediate, new Date('2099-01-01'))]).toEqual([false, false]);
    expect(isTrusted(readChain(leaf), readChain(leaf), NOW())).toBe(true);
    expect(isTrusted([], roots, NOW())).toBe(false);
  });

  it('is described by its leaf', () => {
    expect(describeLeaf(readChain(leaf)[0]!)).toEqual({
      subject: expect.stringMatching(/^O=Example, CN=leaf-/) as string,
      issuer: 'CN=Intermediate',
      not_before: expect.stringMatching(/Z$/) as string,
      not_after: expect.stringMatching(/Z$/) as string,
    });
  });
});
