import { describe, expect, it } from 'vitest';
import { preferredType } from './accept.js';

const OFFERED = ['application/json', 'application/cbor', 'application/cose'] as const;

describe('preferredType', () => {
  it.each([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['application/cbor', 'application/cbor'],
    ['Application/CBOR; charset=utf-8', 'application/cbor'],
    ['application/cose, */*;q=0.1', 'application/cose'],
    ['application/json;q=0.5, application/cbor;q=0.9', 'application/cbor'],
    ['application/json;q=0, */*', 'application/cbor'],
    ['application/cbor;q=0.8, application/cose;q=0.8', 'application/cbor'],
    ['text/html, application/*;q=0.4', 'application/json'],
    ['*/*;q=0.9, application/json;q=0.1', 'application/cbor'],
    ['*/*, application/cose', 'application/cose'],
    ['text/html;level=1;q=0.4, application/cbor;charset="a,b;c";q=0.3', 'application/cbor'],
  ])('%j', (accept, expected) => {
    expect(preferredType(accept, OFFERED)).toBe(expected);
  });

  const VARIANTS = ['application/cose', 'application/cose; profile=es256'] as const;
  it.each([
    ['*/*', VARIANTS[0]],
    ['application/cose', VARIANTS[0]],
    ['application/cose; profile=es256', VARIANTS[1]],
    ['Application/COSE;Profile="es256"; q=0.5', VARIANTS[1]],
    ['application/cose; profile=other', VARIANTS[0]],
    ['application/cose;q=0.9, application/cose;profile=es256;q=0.8', VARIANTS[0]],
    ['application/cose;q=0, application/cose;profile=es256;q=0.1', VARIANTS[1]],
  ])('of a type and the same with a parameter: %j', (accept, expected) => {
    expect(preferredType(accept, VARIANTS)).toBe(expected);
  });

  it.each(['text/html', 'application/cbor;q=0', '*/*;q=0', 'application/cbor;q=nine', 'nonsense', 'image/*, text/*'])(
    'nothing fits %j',
    (accept) => {
      expect(preferredType(accept, OFFERED)).toBeUndefined();
    },
  );
});
