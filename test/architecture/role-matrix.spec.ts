import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SEAT_ROLES, type Access, type RouteRecord, type SeatRole } from '../../src/common/contract/contract.js';
import { RouteManifest } from '../../src/common/contract/route-manifest.js';
import { send, startApi, type TestApi } from '../kit/app.js';
import { cookieOf, givenMember } from '../medium/seats/given.js';

/** What a caller finds at a route: let in (whatever it says then), refused for its role, or not known. */
type Verdict = 'in' | '403' | '401';

/** Somebody who calls: by which headers, and what the declaration alone says of a route that asks for a credential. */
interface Who {
  name: string;
  headers: Record<string, string>;
  /** The agent it is: as what an unsponsored one asks, it may ask of itself alone. */
  agentId?: string;
  expected(access: Exclude<Access, { kind: 'anyone' }>): Verdict;
}

let api: TestApi;
let routes: RouteRecord[];
let callers: Who[];

beforeAll(async () => {
  api = await startApi({ env: { FEATURE_SELF_SIGNUP: '1' } });
  routes = api.app.get(RouteManifest).routes;
  callers = [nobody, key(), await keySession(), ...(await seatSessions()), ...(await agents())];
}, 120_000);
afterAll(() => api.close());

const nobody: Who = { name: 'nobody', headers: {}, expected: () => '401' };

/** A key counts as owner, but is no session (tenant-api.md 5, items 10 and 13). */
function key(): Who {
  return {
    name: 'key',
    headers: { 'x-tenant-id': api.tenant.tenantId, 'x-api-key': api.tenant.apiKey },
    expected: (access) => (access.kind === 'seats' && access.session ? '401' : asRole('owner', access)),
  };
}

async function keySession(): Promise<Who> {
  const { tenantId, apiKey } = api.tenant;
  const answer = await send(api.url, 'POST', '/frontdoor/auth/connect', { tenantId, apiKey });
  return {
    name: 'key session',
    headers: { cookie: cookieOf(answer), origin: api.url },
    expected: (access) => asRole('owner', access),
  };
}

/** A seat of every role, invited and accepted over HTTP. */
async function seatSessions(): Promise<Who[]> {
  const found: Who[] = [];
  for (const role of SEAT_ROLES) {
    const { cookie } = await givenMember(api.url, api.tenant, role);
    found.push({ name: role, headers: { cookie, origin: api.url }, expected: (access) => asRole(role, access) });
  }
  return found;
}

const asRole = (role: SeatRole, access: Access): Verdict =>
  access.kind === 'seats' && access.roles.includes(role) ? 'in' : '403';

/** A route for tools takes a key and no session. */
function verdictOf({ name, expected }: Who, access: Access): Verdict {
  if (access.kind === 'anyone') return 'in';
  if (access.kind === 'tool') return name === 'key' ? 'in' : '401';
  return expected(access);
}

/** An agent that registered itself, and one that the tenant sponsors: as a member, but without a session (D15). */
async function agents(): Promise<Who[]> {
  const register = async () =>
    (await send(api.url, 'POST', '/v1/agents/register', { agentFramework: 'role-matrix' })).body;
  const [free, sponsored] = [await register(), await register()];
  const owner = await givenMember(api.url, api.tenant, 'owner');
  const claim = await owner.call('POST', `/v1/agents/${sponsored.agentPrincipalId}/sponsor`, {});
  if (claim.status >= 300) throw new Error(`sponsoring answered ${claim.status}: ${claim.text}`);
  const bearer = ({ sessionToken }: { sessionToken: string }) => ({ authorization: `Bearer ${sessionToken}` });
  return [
    {
      name: 'agent',
      agentId: free.agentPrincipalId,
      headers: bearer(free),
      expected: (access) => (access.kind === 'agent' || (access.kind === 'seats' && access.discovery) ? 'in' : '403'),
    },
    {
      name: 'sponsored',
      headers: bearer(sponsored),
      expected: (access) =>
        access.kind === 'agent' ? 'in' : access.kind === 'seats' && access.session ? '403' : asRole('member', access),
    },
  ];
}

const NOWHERE = '00000000-0000-4000-8000-000000000000';

/** Ids that are nowhere and no idempotency key: the guards are passed or not, and nothing happens behind them. */
async function probe({ verb, path }: RouteRecord, { headers, agentId = NOWHERE }: Who): Promise<Verdict> {
  const target = path.replace(':agentId', agentId).replace(/:\w+/g, NOWHERE).replace(/\*\w*/g, 'x');
  const hasBody = verb !== 'GET' && verb !== 'DELETE';
  const response = await fetch(api.url + target, {
    method: verb,
    headers: { ...headers, ...(hasBody ? { 'content-type': 'application/json' } : {}) },
    body: hasBody ? '{}' : undefined,
  });
  if (response.status !== 401 && response.status !== 403) {
    // A stream of events would not end.
    await response.body?.cancel();
    return 'in';
  }
  const { type } = (await response.json()) as { type: string };
  if (type === 'Unauthorized') return '401';
  return type === 'Forbidden' ? '403' : 'in';
}

/** What only reads or asks for an idempotency key first; then what acts without one, signing out last of all. */
const inOrder = (which: RouteRecord[]): RouteRecord[] => {
  const lateness = ({ verb, idempotent, path }: RouteRecord) =>
    verb === 'GET' || idempotent ? 0 : path.endsWith('/logout') ? 2 : 1;
  return [...which].sort((a, b) => lateness(a) - lateness(b));
};

async function walk(who: Who, which: RouteRecord[]): Promise<Map<string, Verdict>> {
  const found = new Map<string, Verdict>();
  for (const route of inOrder(which)) found.set(route.address, await probe(route, who));
  return found;
}

const table = (rows: [string, ...Verdict[]][]): string => {
  const width = Math.max(...rows.map(([address]) => address.length));
  const head = ['route'.padEnd(width), ...callers.map(({ name }) => name)].join('  ');
  const lines = rows.map(([address, ...cells]) =>
    [address.padEnd(width), ...cells.map((cell, i) => cell.padEnd(callers[i]!.name.length))].join('  ').trimEnd(),
  );
  return `${[head, ...lines].join('\n')}\n`;
};

describe('every route, for every role and every kind of credential', { timeout: 120_000 }, () => {
  it('lets in exactly whom its declaration names: a difference in the golden table is a change of who may do what', async () => {
    const asking = routes.filter(({ access }) => access.kind !== 'anyone');
    const observed = await Promise.all(callers.map((who) => walk(who, asking)));
    const rows = asking.map(({ address }): [string, ...Verdict[]] => [
      address,
      ...observed.map((found) => found.get(address)!),
    ]);
    const declared = asking.map(({ address, access }): [string, ...Verdict[]] => [
      address,
      ...callers.map((who) => verdictOf(who, access)),
    ]);
    expect(rows).toEqual(declared);
    await expect(table(rows)).toMatchFileSnapshot('../golden/role-matrix.txt');
  });

  it('refuses nobody for a role where it asks for none', async () => {
    const open = routes.filter(({ access }) => access.kind === 'anyone');
    for (const who of callers) {
      const refused = [...(await walk(who, open))].filter(([, verdict]) => verdict === '403');
      expect([who.name, refused]).toEqual([who.name, []]);
    }
  });
});
