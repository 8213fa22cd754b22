import { describe, expect, it } from 'vitest';
import { findingsOfProbe } from './route-probe.rules.js';

const said = {
  ...{ route: 'GET /v1/facts', route_class: 'Read', route_scopes: ['query:read'], handler_scopes: ['query:read'] },
  handler_rule: 'any',
};
const mode = (name: 'off' | 'shadow' | 'enforce', isRefused: boolean) => ({
  ...{ mode: name, current: name === 'shadow', outcome: isRefused ? ('refused' as const) : ('passes' as const) },
  ...{ status: isRefused ? 403 : null, code: isRefused ? 'MISSING_SCOPE' : null, detail: null },
});
const idsOf = (refused: boolean[], more: Partial<typeof said> & { route?: string | null } = {}) =>
  findingsOfProbe('GET /v1/facts', { ...said, ...more }, [
    mode('off', refused[0]!),
    mode('shadow', refused[1]!),
    mode('enforce', refused[2]!),
  ]).map(({ id, severity }) => `${severity} ${id}`);

describe('a probe of a route', () => {
  it('finds nothing where all pass', () => {
    expect(idsOf([false, false, false])).toEqual([]);
  });

  it('fails where the present mode refuses, and warns of what enforce would', () => {
    expect(idsOf([true, true, true])).toEqual(['fail route.refused']);
    expect(idsOf([false, false, true])).toEqual(['warn route.refused_under_enforce']);
  });

  it('says where no single scope opens both layers', () => {
    expect(idsOf([false, false, false], { route_scopes: ['facts:write'] })).toEqual(['info route.no_single_scope']);
  });

  it('names no list of scopes where none opens it', () => {
    const modes = [mode('off', false), mode('shadow', false), mode('enforce', true)];
    const found = findingsOfProbe('GET /v1/nope', { ...said, route_scopes: [] }, modes);
    expect(found.map(({ fix }) => fix)).toEqual([expect.stringMatching(/^No scope opens it once/)]);
  });

  it('warns of an address without a route', () => {
    expect(idsOf([false, false, false], { route: null as never, handler_rule: 'none' })).toEqual(['warn route.absent']);
  });
});
