import { afterAll, beforeAll, expect, it } from 'vitest';
import { SEAT_ROLES } from '../../../src/common/contract/contract.js';
import type { Tier } from '../../../src/common/contract/caller.js';
import { CAPABILITY_ROUTES } from '../../../src/modules/access/frontdoor/capabilities/capabilities.service.js';
import { startApi, type TestApi } from '../../kit/app.js';
import { givenSeat, signIn, type Browser } from './given.js';

let open: TestApi;
let shut: TestApi;
beforeAll(async () => {
  open = await startApi();
  shut = await startApi({ database: open.database, env: { FEATURE_PROOFS: '0', FEATURE_WATCHES: '0' } });
  await open.addTenant('free-tier', 'free');
});
afterAll(async () => {
  await shut.close();
  await open.close();
});

const NOWHERE = '00000000-0000-4000-8000-000000000000';

/**
 * What the route itself answers: past its guards is whatever is no 403 of theirs and no 412. The request is one that
 * changes nothing.
 */
async function isLetIn(browser: Browser, address: string): Promise<boolean> {
  const [method, path] = address.split(' ') as [string, string];
  const body = method === 'POST' || method === 'PUT' ? { surprise: true } : undefined;
  const answer = await browser.call(method, path.replace(':id', NOWHERE), body);
  const past = [200, 400, 404].includes(answer.status);
  if (!past && ![403, 412].includes(answer.status)) throw new Error(`${address} answered ${answer.status}`);
  return past;
}

/** Every flag as the routes themselves say it. */
async function tryAll(browser: Browser): Promise<Record<string, Record<string, boolean>>> {
  const groups: Record<string, Record<string, boolean>> = {};
  for (const [group, routes] of Object.entries(CAPABILITY_ROUTES)) {
    groups[group] = {};
    for (const [flag, address] of Object.entries(routes)) groups[group][flag] = await isLetIn(browser, address);
  }
  return groups;
}

const cases = (['team', 'free'] as Tier[]).flatMap((tier) =>
  [true, false].map((features): [Tier, boolean] => [tier, features]),
);

it.each(cases)(
  'tier %s with features %s: each flag is what its route answers, for every role',
  async (tier, features) => {
    const api = features ? open : shut;
    const tenantId = tier === 'free' ? 'free-tier' : open.tenant.tenantId;
    for (const role of SEAT_ROLES) {
      const seat = await givenSeat(api, tenantId, role);
      const { status, body } = await seat.call('GET', '/frontdoor/auth/capabilities');
      const said = Object.fromEntries(
        Object.entries<Record<string, boolean>>(body).map(([group, { enabled: _, ...flags }]) => [group, flags]),
      );
      const tried = await tryAll(seat);
      // Let in, and refused by the service whatever there is.
      if (role === 'admin') tried['team']!['canBootstrapOwner'] = false;
      expect([status, role, said]).toEqual([200, role, tried]);
      const enabled = [body.proof.enabled, body.watch.enabled, body.team.enabled];
      expect([role, enabled]).toEqual([role, [features, features && tier !== 'free', true]]);
    }
  },
);

it('a key may do everything that is switched on', async () => {
  const { call } = await signIn(open, open.tenant);
  const { body } = await call('GET', '/frontdoor/auth/capabilities');
  const all = (names: string[]) => Object.fromEntries(names.map((name) => [name, true]));
  expect(body).toEqual({
    proof: all(['enabled', 'canCreateJob', 'canReadJob', 'canReadChunks', 'canReadReceipt']),
    watch: all(['enabled', 'canCreate', 'canList', 'canRevoke', 'canListAlerts']),
    team: all(['enabled', 'canListSeats', 'canInviteSeat', 'canChangeSeatRole', 'canRevokeSeat', 'canBootstrapOwner']),
  });
});
