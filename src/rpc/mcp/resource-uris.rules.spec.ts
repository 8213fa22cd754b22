import { describe, expect, it } from 'vitest';
import { partsOfUri, resourceUri } from './resource-uris.rules.js';

describe('the URI of a resource', () => {
  it.each([
    ['documents', 'notes', 'a/b?c#d%'],
    ['facts', 'Ærøskøbing 灯台'],
  ])('keeps its parts: %s', (...parts) => {
    expect(partsOfUri(resourceUri(...parts))).toEqual(parts);
  });

  it.each(['', 'svc:/facts', 'http://facts/a', 'svc://', 'svc://facts/', 'svc://facts/..', 'svc://facts/%2e%2e'])(
    'is none: %j',
    (uri) => {
      expect(partsOfUri(uri)).toBeUndefined();
    },
  );

  it.each(['svc://facts/a?b', 'svc://facts/a#b', 'svc://facts/%zz', 'svc://facts/%ff', 'svc://facts/\ud800'])(
    'is none: %j',
    (uri) => {
      expect(partsOfUri(uri)).toBeUndefined();
    },
  );
});
