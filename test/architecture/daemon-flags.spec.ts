import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAEMON_FLAGS } from '../../src/common/config/daemon/flag-table.js';
import { send, type Answer } from '../kit/app.js';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../kit/daemon.js';
import { freshDatabase, type TestDatabase } from '../kit/database.js';

type Off = 404 | 501 | 'reported' | 'by route' | 'none';

/** memory-daemon.md 4.12, the flags that open addresses: variable, default, what is answered while off, addresses. */
const ROWS: [string, 'on' | 'off', Off, ...string[]][] = [
  ['SVCD_FEATURE_PROVENANCE_API', 'off', 404, '/v1/provenance/sign', '/v1/provenance/verify-record'],
  ['SVCD_CONSOLE_ENABLED', 'on', 404, '/console', '/console/app.js'],
  ['SVCD_COORD', 'on', 404, '/v1/coord/active', '/v1/coord/announce'],
  ['SVCD_LOCAL_INGEST', 'on', 404, '/v1/local/ingest'],
  ['SVCD_MCP_ENABLED', 'on', 'none'],
  ['SVCD_INTEGRATIONS_ENABLED', 'on', 404, '/v1/integrations/github/connect'],
  ['SVCD_CONTEXT_SURFACE', 'off', 404, '/v1/context', '/v1/context/pack'],
  ['SVCD_AUTO_CAPTURE', 'off', 404, '/v1/memory/extract', '/v1/memory/candidates', '/v1/memory/candidates/1/promote'],
  ['SVCD_QUOTA', 'off', 404, '/v1/quota'],
  ['SVCD_CREDIT_METER', 'off', 404, '/v1/credits/spend'],
  ['SVC_MEMORY_IMPORT', 'off', 404, '/v1/memory/import'],
  ['SVCD_IDENTITY_LINKS', 'off', 404, '/v1/identity/links', '/v1/identity/links/1', '/v1/identity/candidates/propose'],
  ['SVCD_OPENAI_SHIM', 'off', 404, '/v1/openai/tools.json', '/v1/openai/invoke'],
  ['SVCD_COMPUTE_PROVIDER', 'off', 'by route', '/v1/compute/embed'],
  [
    'SVCD_FEATURE_PASSPORT_MINT_REQUESTS',
    'off',
    404,
    '/v1/passport/mint-requests',
    '/v1/passport/mint-requests/1/approve',
  ],
  ['SVCD_FEATURE_INCIDENTS', 'off', 404, '/v1/incidents', '/v1/incidents/1/export'],
  ['SVCD_FEATURE_LEGAL_HOLD', 'off', 404, '/v1/legal-holds', '/v1/legal-holds/1'],
  // Not its stream, which while it is on does not end.
  ['SVCD_FEATURE_ACTIVITY_LOG', 'off', 404, '/v1/activity'],
  ['SVCD_OBSERVE', 'off', 'reported', '/v1/observe/sessions/1/steps', '/v1/observe/sessions/1/audit/export'],
  ['SVCD_ORCHESTRATORS', 'off', 404, '/v1/orchestrators', '/v1/orchestrators/1/work'],
  // No row of the table: 4.9 says what it answers, D62 what it is called.
  ['SVCD_STATUS_FEED', 'off', 'by route', '/v1/status-feed'],
  ['SVCD_PUNCHCARD', 'off', 501, '/v1/punchcards', '/v1/punchcards/acquire', '/v1/punchcards/1/force-release'],
  ['SVCD_FEATURE_COST_LENS', 'off', 404, '/v1/cost/report'],
  ['SVCD_ADMIN_FORCE_SEAL', 'off', 404, '/v1/admin/force-seal'],
  ['SVCD_ENGINE_BASE_URL', 'off', 404, '/v1/mediation/status', '/v1/mediation/drafts'],
  // Of what these change test/architecture/flags-page.spec.ts holds the table.
  ['SVCD_STREAM_RECEIPTS', 'off', 'by route'],
  ['SVCD_FEATURE_USAGE_RECEIPTS', 'off', 'by route'],
  ['SVCD_GPU1_BASE_URL', 'off', 'by route'],
];

/** What a value is to a flag: its default, on, or off. Blanks are not trimmed (B-4.12-41). */
const VALUES: [string | undefined, 'default' | 'on' | 'off'][] = [
  [undefined, 'default'],
  ['1', 'on'],
  ['true', 'on'],
  ['0', 'off'],
  ['1\n', 'off'],
  [' 1', 'off'],
  ['off', 'off'],
  ['banana', 'off'],
  ['advisory', 'off'],
  ['enforce', 'off'],
];

/** What to set a flag to that takes more than 1, as an answer says it. */
const WORDS: Record<string, string> = {
  SVCD_PUNCHCARD: 'advisory or enforce',
  SVCD_ENGINE_BASE_URL: 'https://...',
};

/** They are no switches: what is set is an address, and unset they are off. */
const ADDRESSES = ['SVCD_ENGINE_BASE_URL', 'SVCD_GPU1_BASE_URL'];

/** Of the flag with words of its own nothing else is on. */
const isOn = (env: string, byDefault: 'on' | 'off', value: string | undefined, reads: string): boolean => {
  if (ADDRESSES.includes(env)) return false;
  if (env === 'SVCD_PUNCHCARD') return value === 'advisory' || value === 'enforce';
  return (reads === 'default' ? byDefault : reads) === 'on';
};

/** The answer of a flag that is off, by what names it in the answer. */
function flagAnswerOf({ status, body }: Answer): [Off, string] | undefined {
  if (status === 200 && body.enabled === false && body.flag !== undefined) return ['reported', body.flag];
  if (status === 404 && body.code === 'FLAG_OFF') return [404, body.flag];
  if (status === 501 && body.code === 'PLANE_OFF') return [501, body.flag];
  return undefined;
}

const adviceOn = (env: string): string => `set ${env}=${WORDS[env] ?? '1'} and`;

/** Each address by three methods, without a credential and with every scope: the flag comes before them. */
const callsTo = (paths: string[]) =>
  paths.flatMap((path) =>
    ['GET', 'POST', 'DELETE'].flatMap((method) =>
      ['', ALL_SCOPES].map((scopes) => ({ method, path, headers: { 'x-svc-scopes': scopes } })),
    ),
  );

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

it('has a row for every flag that opens addresses', () => {
  expect(
    Object.values(DAEMON_FLAGS)
      .map(({ env }) => env)
      .sort(),
  ).toEqual(ROWS.map(([env]) => env).sort());
});

describe.each(['shadow', 'enforce'])('flags under route-auth %s', (mode) => {
  describe.each(VALUES)('all set to %j', (value, reads) => {
    let daemon: TestDaemon;
    beforeAll(async () => {
      const switches = ROWS.map(([env]) => env).filter((env) => !ADDRESSES.includes(env));
      const flags = value === undefined ? {} : Object.fromEntries(switches.map((env) => [env, value]));
      daemon = await startDaemon({ database, env: { SVCD_ROUTE_AUTH: mode, ...flags } });
    });
    afterAll(() => daemon.close());

    it.each(ROWS)('%s, by default %s, answers %s while off', async (env, byDefault, off, ...paths) => {
      const expected = off === 'by route' || isOn(env, byDefault, value, reads) ? undefined : [off, env];
      for (const { method, path, headers } of callsTo(paths)) {
        const answer = await send(daemon.url, method, path, method === 'POST' ? {} : undefined, headers);
        expect([method, path, flagAnswerOf(answer)]).toEqual([method, path, expected]);
        if (expected) expect(answer.body.detail).toContain(adviceOn(env));
      }
    });

    it('leave the MCP listener shut while off', () => {
      expect(daemon.mcpUrl !== '').toBe(isOn('SVCD_MCP_ENABLED', 'on', value, reads));
    });
  });
});

describe('a flag that is off', () => {
  it('cannot be passed by spelling its address otherwise', async () => {
    const daemon = await startDaemon({ database, env: { SVCD_LOCAL_INGEST: '0' } });
    const spellings = ['/v1/local/ingest', '/v1/%6cocal/ingest', '/v1/local/ingest?x=1', '/v1/local/inges%74'];
    for (const path of spellings) {
      const { body } = await send(daemon.url, 'POST', path, {}, { 'x-svc-scopes': ALL_SCOPES });
      expect([path, body.code]).toEqual([path, 'FLAG_OFF']);
    }
    await daemon.close();
  });
});
