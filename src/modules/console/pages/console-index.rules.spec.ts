import { describe, expect, it } from 'vitest';
import { atConsole, codingFor, policyOf } from './console-index.rules.js';

describe('the page of the console', () => {
  it('has addresses below /console', () => {
    expect(atConsole('<script src="./assets/a.js"></script>')).toBe('<script src="./console/assets/a.js"></script>');
    expect(atConsole('<link href="./console/a.css">')).toBe('<link href="./console/a.css">');
  });

  it('is sent in the smallest coding that the client takes', () => {
    expect(codingFor('gzip, br')).toBe('br');
    expect(codingFor('gzip, br;q=0')).toBe('gzip');
    expect(codingFor(undefined)).toBeUndefined();
  });

  it('asks this server alone, and the identity provider where there is one', () => {
    expect(policyOf(undefined)).toContain("connect-src 'self';");
    expect(policyOf('https://id.example.org/realm')).toContain("connect-src 'self' https://id.example.org;");
  });
});
