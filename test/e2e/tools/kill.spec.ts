import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { caller, type TestTenant } from '../../kit/app.js';
import type { ServerProcess } from '../../kit/server-process.js';
import { until } from '../processes/svc-process.js';
import { callTool, isToRepeat, startFleet, type Fleet, type Went } from './fleet.js';
import { must } from './given.js';

const CLIENTS = 16;
/** Raise these for a longer trial. */
const KILLS = 4;
const APPROVED = 6;

let fleet: Fleet;
let owner: TestTenant['call'];
beforeAll(async () => {
  fleet = await startFleet(2);
  const ownerUrl = fleet.database.url;
  // Who asks has a key that the operator made: the owner, who did not make it, may decide on what it asks for.
  const made = await TenantsStore.using({ ownerUrl }, (store) => store.createKey(fleet.tenantId));
  const { apiKey } = made.key;
  owner = fleet.call;
  fleet = { ...fleet, apiKey, call: caller(fleet.api.url, fleet.tenantId, apiKey) };
}, 180_000);
afterAll(() => fleet.close());

/** Sends one call until it is known how it went, each time to the next of the services, always with the same key. */
async function insist(method: string, params: object, first: number): Promise<Went & { tries: number }> {
  for (let tries = 1; ; tries += 1) {
    const { url } = fleet.tools[(first + tries - 1) % fleet.tools.length]!;
    const one = await callTool(url, fleet, method, params);
    if (!isToRepeat(one)) return { ...one, tries };
    await sleep(20);
  }
}

async function killAndStart(one: ServerProcess): Promise<void> {
  await one.stop('SIGKILL');
  await one.start();
}

const transfers = async (agentId: string) =>
  fleet.database.query<{ transfer_id: string; note: string }>(
    `select transfer_id, note from ledger_transfer where reason = 'tip' and agent_id = $1`,
    [agentId],
  );

describe('the tool service is killed under load', () => {
  it('nothing is done twice by clients that repeat unanswered calls', { timeout: 240_000 }, async () => {
    const keys: Went[] = [];
    let stopped = false;
    let broken = 0;
    const client = async (index: number): Promise<void> => {
      for (let i = 0; !stopped; i += 1) {
        const key = `tip-of-client-${index}-${i}`;
        const tip = { agent_id: 'giver', credits: 1, message: key, idempotency_key: key };
        const one = await insist('tip_platform', tip, index);
        if (one.tries > 1) broken += 1;
        expect([one.status, one.error, one.result?.message]).toEqual([200, undefined, key]);
        keys.push(one);
      }
    };
    const load = Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)));
    load.catch(() => undefined);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = keys.length;
      await until('load', () => keys.length > before + 100);
      await killAndStart(fleet.tools[kill % 2]!);
    }
    stopped = true;
    await load;
    expect(broken).toBeGreaterThan(0);
    const given = await transfers('giver');
    expect(given.map(({ note }) => note).sort()).toEqual(keys.map(({ result }) => result.message as string).sort());
    expect(new Set(keys.map(({ result }) => result.tipId as string))).toEqual(
      new Set(given.map(({ transfer_id }) => transfer_id)),
    );
  });
});

describe.each(['tool service', 'API'])('the %s is killed in the middle of an approved call', (victim) => {
  it('the call has one effect, whatever its first outcome', { timeout: 240_000 }, async () => {
    const agentId = `approved-${victim}`;
    for (let round = 0; round < APPROVED; round += 1) {
      const tip = { agent_id: agentId, credits: 101 + round, idempotency_key: `approved-${victim}-${round}` };
      const asked = await callTool(fleet.tools[1]!.url, fleet, 'tip_platform', tip);
      expect(asked.error).toMatchObject({ code: -32002 });
      const path = `/v1/shield/approvals/${asked.error!.data.approvalRequestId}/resolve`;
      const { approvalToken } = await must(owner, 'POST', path, { decision: 'approve', reason: 'Yes' });
      const approved = { ...tip, shield_approval_token: approvalToken };
      const called = insist('tip_platform', approved, 0);
      // From before anything arrived until after all was done.
      await sleep(round * 6);
      await killAndStart(victim === 'API' ? fleet.api : fleet.tools[0]!);
      expect(await called).toMatchObject({ status: 200, result: { credits: 101 + round } });
      const again = await callTool(fleet.tools[1]!.url, fleet, 'tip_platform', approved);
      expect(again.result).toEqual({ ...(await called).result, replayed: true });
    }
    expect(await transfers(agentId)).toHaveLength(APPROVED);
  });
});
