import { describe, expect, it } from 'vitest';
import { inForce, mergeTexts } from './effective.rules.js';
import type { LayerOrigin } from './layers.types.js';

const layer = (origin: LayerOrigin, name: string) => ({ origin, layer: name });

describe('the layers in force', () => {
  it('are of each name the narrowest, from the widest origin to the narrowest, by name', () => {
    const given = [
      layer('session', 'style'),
      layer('project', 'style'),
      layer('workspace', 'tests'),
      layer('plane', 'deploy'),
      layer('project', 'build'),
      layer('workspace', 'style'),
      layer('workspace', 'deploy'),
    ];
    const { parts, overridden } = inForce(given);
    expect(parts.map((one) => `${one.origin} ${one.layer}`)).toEqual([
      ...['workspace tests', 'project build', 'plane deploy', 'session style'],
    ]);
    expect(overridden.map(({ layer: one, by }) => `${one.origin} ${one.layer} by ${by.origin}`)).toEqual([
      ...['workspace deploy by plane', 'workspace style by session', 'project style by session'],
    ]);
  });

  it('are none of none', () => {
    expect(inForce([])).toEqual({ parts: [], overridden: [] });
  });
});

describe('merged texts', () => {
  it('stand one after another with an empty line between, and end with a line end', () => {
    expect(mergeTexts(['Use tabs.\n', '  indented\n\n', 'Last'])).toBe('Use tabs.\n\n  indented\n\nLast\n');
  });

  it('leave out what is empty', () => {
    expect(mergeTexts(['', ' \n', 'a'])).toBe('a\n');
    expect(mergeTexts([])).toBe('');
  });

  it('take no longer where a text is blank for the most part', () => {
    const text = `${' '.repeat(1_000_000)}x`;
    expect(mergeTexts([text])).toBe(`${text}\n`);
  });
});
