import { describe, expect, it } from 'vitest';
import type { DeclaredSystem } from '../../../common/contract/declared-systems.js';
import { capabilitiesOf } from './declared-capabilities.rules.js';

const route = (address: string, tag: string, flag?: string) => ({ address, tag, flag }) as never;
const FLAGS = { variableOf: (flag: string) => flag.toUpperCase(), isOnByDefault: (flag: string) => flag === 'open' };
const SYSTEMS: DeclaredSystem[] = [
  {
    name: 'svc-api',
    tools: [],
    modules: [{ name: 'Search', routes: [route('GET /search', 'retrieval')], imports: [] }],
  },
  {
    name: 'svc-tools',
    tools: [{ name: 'find', routes: ['GET /search'] as never, isRead: true }],
    modules: [{ name: 'Rpc', routes: [route('POST /rpc', 'tools')], imports: [] }],
  },
  {
    name: 'svc-daemon',
    tools: [{ name: 'open_case', routes: ['POST /cases'] as never, isRead: false }],
    modules: [
      { name: 'Cases', routes: [route('POST /cases', 'case files', 'cases')], imports: ['Shared', 'Elsewhere'] },
      { name: 'Shared', routes: [], imports: ['Facts', 'Shared'] },
      { name: 'Facts', routes: [route('GET /facts', 'facts'), route('PUT /facts', 'facts', 'open')], imports: [] },
    ],
  },
];

describe('the capabilities of the product', () => {
  const found = new Map(capabilitiesOf(SYSTEMS, FLAGS, (id) => [`${id}.spec`]).map((one) => [one.id, one]));

  it('are the tags of each app', () => {
    expect([...found.keys()]).toEqual([
      'svc-api.retrieval',
      'svc-tools.tools',
      'svc-daemon.case-files',
      'svc-daemon.facts',
    ]);
    expect(found.get('svc-daemon.case-files')).toEqual({
      ...{ id: 'svc-daemon.case-files', name: 'Case files', system: 'svc-daemon', maturity: 'beta', promises: [] },
      ...{ routes: ['POST /cases'], flags: ['CASES'], tools: ['open_case'], tests: ['svc-daemon.case-files.spec'] },
      upstream: ['svc-daemon.facts'],
    });
  });

  it('are stable where a route needs no switching on', () => {
    expect(found.get('svc-daemon.facts')).toMatchObject({ maturity: 'stable', flags: ['OPEN'] });
  });

  it('of the tool service rest on what its tools call', () => {
    expect(found.get('svc-tools.tools')).toMatchObject({ upstream: ['svc-api.retrieval'], tools: [] });
    expect(found.get('svc-api.retrieval')).toMatchObject({ tools: ['find'] });
  });
});
