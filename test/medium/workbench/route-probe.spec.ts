import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTE_AUTH_MODES, type RouteAuthMode } from '../../../src/common/config/daemon/daemon-settings.js';
import { send } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

const daemons = new Map<RouteAuthMode, TestDaemon>();
/** The ids of the requests that shadow would have refused. */
const marked = new Set<string>();
const ENV = { SVCD_ENABLED_PRO_SERVICES: 'route_probe:lab', SVCD_PUNCHCARD: 'off', SVCD_FEATURE_INCIDENTS: '0' };

beforeAll(async () => {
  const log = pino({ level: 'warn' }, { write: (line) => note(line) });
  for (const mode of ROUTE_AUTH_MODES) {
    const database = daemons.get('off')?.database;
    daemons.set(mode, await startDaemon({ env: { ...ENV, SVCD_ROUTE_AUTH: mode }, database, log }));
  }
});
afterAll(async () => {
  for (const mode of [...ROUTE_AUTH_MODES].reverse()) await daemons.get(mode)?.close();
});

function note(line: string): void {
  const { msg, request_id } = JSON.parse(line) as { msg: string; request_id: string };
  if (msg === 'route_auth_shadow_mismatch') marked.add(request_id);
}

/** Built, unbuilt and unknown addresses; public ones, flagged ones, and such of a service. */
const ADDRESSES = [
  ...['GET /healthz', 'GET /v1/facts/list', 'PUT /v1/facts', 'GET /v1/facts/0198c0de-0000-7000-8000-000000000001'],
  ...['POST /v1/facts/aggregate', 'GET /v1/receipts/list', 'GET /v1/work', 'POST /v1/work', 'GET /v1/incidents'],
  ...[
    'GET /v1/punchcards',
    'POST /v1/workbench/brief',
    'GET /v1/workbench/contract',
    'GET /v1/workbench/command-ledger',
  ],
  ...['GET /v1/query/x', 'GET /v1/nope', 'GET /v1/facts/a/b/c', 'POST /v1/audit/bundle/verify', 'GET /v1/coord/active'],
  ...['DELETE /v1/entities/a/b', 'POST /v1/exports/actions', 'GET /v1/projects/a%2Fb', 'POST /v1/provenance/sign'],
];
const SCOPES = [
  ...['', 'query:read', 'facts:write', 'admin:read', 'admin:write', 'agent_brief:pro', 'replication:write'],
  'exports:read receipts:read',
];

/** As the daemon of a mode really answers. */
async function real(mode: RouteAuthMode, address: string, scopes: string, id: string) {
  const [method, path] = address.split(' ') as [string, string];
  const body = ['GET', 'DELETE'].includes(method) ? undefined : {};
  const headers = { 'x-request-id': id, ...(scopes === '' ? {} : { 'x-svc-scopes': scopes }) };
  const { status, body: answer } = await send(daemons.get(mode)!.url, method, path, body, headers);
  return { status, code: answer?.code as string | undefined };
}

/** What the guards refuse with; the handler may answer 404 or 400 too. */
const REFUSALS = ['MISSING_SCOPE', 'UNAUTHORIZED', 'ROUTE_UNCLASSIFIED', 'NOT_BUILT', 'FLAG_OFF', 'PLANE_OFF'];
const isRefusal = (address: string, code: string | undefined): boolean =>
  code !== undefined &&
  (REFUSALS.includes(code) ||
    code === 'pro_service_not_enabled' ||
    (code === 'NOT_FOUND' && ['GET /v1/nope', 'GET /v1/facts/a/b/c', 'POST /v1/exports/actions'].includes(address)));

describe.each(ADDRESSES)('a probe of %s', (address) => {
  it('says what each mode really answers, whatever the scopes', async () => {
    const [method, path] = address.split(' ') as [string, string];
    for (const scopes of SCOPES) {
      const answer = await daemons.get('shadow')!.as({ scopes: 'admin:read' })('POST', '/v1/workbench/route-probe', {
        ...{ method, path, scopes: scopes.split(' ').filter((one) => one !== '') },
      });
      expect([answer.status, answer.body.modes?.length]).toEqual([200, 3]);
      for (const { mode, outcome, status, code, marked: isMarked } of answer.body.modes) {
        const id = crypto.randomUUID();
        const found = await real(mode, address, scopes, id);
        const expected = isRefusal(address, found.code)
          ? { outcome: 'refused', status: found.status, code: found.code }
          : { outcome: 'passes', status: null, code: null };
        expect({ address, scopes, mode, outcome, status, code }).toEqual({ address, scopes, mode, ...expected });
        expect({ address, scopes, mode, isMarked }).toEqual({ address, scopes, mode, isMarked: marked.has(id) });
      }
    }
  });
});
