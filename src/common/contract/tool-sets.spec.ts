import { expect, it } from 'vitest';
import { AGENT_TOOL_NAMES, DAEMON_TOOL_NAMES, TOOL_NAMES } from './tool-names.js';
import { TOOL_SETS } from './tool-sets.js';

const WHOLE = ['default', 'all', 'api', 'daemon'];

it('has every tool of both servers in one domain, and no other', () => {
  const domains = Object.entries(TOOL_SETS).flatMap(([set, names]) => (WHOLE.includes(set) ? [] : names));
  expect([...domains].sort()).toEqual([...TOOL_NAMES, ...DAEMON_TOOL_NAMES].sort());
  expect(TOOL_SETS['all']).toHaveLength(domains.length);
  expect(TOOL_SETS['default']).toEqual(AGENT_TOOL_NAMES);
});
