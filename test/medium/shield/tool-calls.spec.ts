import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { anotherKey, expectStatus, lift, mark, resolve, verdict, within } from './given.js';
import {
  callerOf,
  callTool,
  decisionsOf,
  digestOf,
  inWords,
  outcomeOf,
  purchase,
  query,
  refusalOf,
  startToolProcess,
  tip,
  type ToolEffect,
  type ToolProcess,
} from './tool-process.js';

let api: TestApi;
let acme: TestTenant;
let approver: TestTenant;
let here: ToolProcess;
let there: ToolProcess;
let outside: Client;
beforeAll(async () => {
  api = await startApi({ env: { SVC_DATABASE_POOL_SIZE: '16' } });
  acme = api.tenant;
  approver = await anotherKey(api, acme);
  [here, there] = await Promise.all([startToolProcess(api.database), startToolProcess(api.database)]);
  outside = new Client(api.database.urlAs('svc_operator'));
  await outside.connect();
});
afterEach(async () => {
  // A test that fails must not stop those after it.
  const { killSwitches } = (await acme.call('GET', '/v1/shield/kill-switches?active=true')).body;
  for (const body of killSwitches) await lift(acme, { body } as Answer);
});
afterAll(async () => {
  await outside.end();
  await Promise.all([here.close(), there.close()]);
  await api.close();
});

const principal = () => `key:${acme.keyId}`;
const decisions = (where: string, parameters: unknown[] = []) => decisionsOf(api.database, where, parameters);
const decision = async (decisionId: string | undefined) => (await decisions('decision_id = $1', [decisionId]))[0];
const setSwitch = (body: object): Promise<Answer> =>
  expectStatus(201, acme.call('POST', '/v1/shield/kill-switches', { reason: 'Stop', ...body }));
const approvalOf = async (approvalRequestId: string) =>
  (await acme.call('GET', `/v1/shield/approvals/${approvalRequestId}`)).body;
const approve = async (approvalRequestId: string): Promise<string> =>
  (await expectStatus(200, resolve(approver, approvalRequestId))).body.approvalToken;
const tips = async (): Promise<number> => {
  const rows = await api.database.query(
    `select from outbox_event where tenant_id = 'acme' and kind = 'platform.tipped'`,
  );
  return rows.length;
};
/** What the tool service refuses, approved by another owner. */
const tokenFor = async ({ call }: Pick<ToolEffect, 'call'>) =>
  approve((await refusalOf(here.admit(call))).facts.approvalRequestId);

describe('a tool call', () => {
  it('is decided on before it goes on: row and event are there when it does, of reads too', async () => {
    const read = query(acme);
    const effect = tip(acme);
    for (const call of [read, read, effect.call]) {
      const { decisionId } = await here.admit(call);
      const { rows } = await outside.query(
        `select d.*, e.kind, e.data from shield_decision d join outbox_event e on e.tenant_id = d.tenant_id and e.event_id = d.decision_id
         where d.decision_id = $1`,
        [decisionId],
      );
      expect(rows).toEqual([
        expect.objectContaining({
          tenant_id: 'acme',
          principal: principal(),
          auth_type: 'api_key',
          action: call.tool,
          server_id: 'svc-tools',
          tool_digest: call.toolDigest,
          outcome: 'allow',
          rule: 'default',
          approval_request_id: null,
          sampled_by: [],
          kind: 'shield.decision',
          data: expect.objectContaining({ decisionId, action: call.tool, outcome: 'allow' }),
        }),
      ]);
    }
    const listed = await acme.call('GET', '/v1/shield/decisions?action=query_vault&limit=1');
    expect(listed.body.decisions).toMatchObject([{ action: 'query_vault', outcome: 'allow', serverId: 'svc-tools' }]);
  });

  it('that is plainly allowed reads no facts once they are cached', async () => {
    const process = await startToolProcess(api.database);
    await process.admit(query(acme));
    for (let calls = 0; calls < 5; calls += 1) await process.admit(query(acme));
    const by = await Promise.all(['facts asked for', 'remembered facts', 'unit of work'].map(process.admittedBy));
    await process.close();
    expect(by[2]).toBe(0);
    expect(by[0]! + by[1]!).toBe(6);
    expect(by[1]).toBeGreaterThan(0);
  });

  it('of an anonymous caller is decided on too, and distinguished by its address', async () => {
    const [one, again, other] = ['192.0.2.1', '192.0.2.1', '192.0.2.2'].map((address) =>
      there.publicCallers.callerAt(address),
    );
    expect([one, again]).toEqual([again, one]);
    expect(one).toEqual({
      tenantId: 'svc-discovery',
      principal: expect.stringMatching(/^public:[0-9a-f]{32}$/),
      authType: 'public',
    });
    expect(here.publicCallers.callerAt('192.0.2.1')).toEqual(one);
    expect(other!.principal).not.toBe(one!.principal);
    const register = { tool: 'register_agent', route: 'POST /v1/agents/register', isRead: false, arguments: {} };
    const { decisionId } = await here.admit({ ...query(acme), ...register, caller: one! });
    expect(await decision(decisionId)).toMatchObject({
      tenant_id: 'svc-discovery',
      ...pick(one!),
      action: 'register_agent',
    });
  });

  it('is sampled by the name of the tool and by that of its route, from the moment a policy is made', async () => {
    const sampled = async (call = query(acme)) =>
      (await decision((await here.admit(call)).decisionId)).sampled_by.length;
    const put = (action: string, ratePerMillion: number) =>
      expectStatus(
        201,
        acme.call('POST', '/v1/shield/sampling-policies', { name: action, match: { action }, ratePerMillion }),
      );
    expect(await sampled()).toBe(0);
    await put('query_vault', 1_000_000);
    expect(await sampled()).toBe(1);
    expect(await sampled(tip(acme).call)).toBe(0);
    await put('POST /v1/economy/*', 1_000_000);
    expect(await sampled(tip(acme).call)).toBe(1);
    await put('tip_platform', 1_000_000);
    expect(await sampled(tip(acme).call)).toBe(2);
    await put('query_vault', 0);
    expect(await sampled()).toBe(0);
    await put('POST /v1/economy/*', 0);
    expect(await sampled(tip(acme).call)).toBe(1);
    await put('tip_platform', 0);
    expect(await sampled(tip(acme).call)).toBe(0);
  });
});

const pick = ({ principal: of, authType }: { principal: string; authType: string }) => ({
  principal: of,
  auth_type: authType,
});

describe('a kill switch', () => {
  it('stops the next call in every process, by the name of the tool or of its route, and releases it as fast', async () => {
    const seen = async () => {
      const calls = [query(acme), tip(acme).call];
      return Promise.all(calls.flatMap((call) => [inWords(here.admit(call)), inWords(there.admit(call))]));
    };
    const stops = async (body: object, [ofQuery, ofTip]: [boolean, boolean]) => {
      const words = (isStopped: boolean) => (isStopped ? 'ShieldDenied kill_switch' : 'admitted');
      const switched = await setSwitch(body);
      const during = await seen();
      await lift('target' in body && body.target === principal() ? approver : acme, switched);
      expect([body, during]).toEqual([body, [ofQuery, ofQuery, ofTip, ofTip].map(words)]);
      expect([body, await seen()]).toEqual([body, [false, false, false, false].map(words)]);
    };
    await seen();
    await stops({ scope: 'action', target: 'query_vault' }, [true, false]);
    await stops({ scope: 'action', target: 'tip_platform' }, [false, true]);
    await stops({ scope: 'action', target: 'POST /v1/retrieve' }, [true, false]);
    await stops({ scope: 'action', target: 'POST /v1/economy/*' }, [false, true]);
    await stops({ scope: 'action', target: 'GET /v1/*' }, [false, false]);
    await stops({ scope: 'tenant' }, [false, true]);
    await stops({ scope: 'tenant', includeReads: true }, [true, true]);
    await stops({ scope: 'server', target: 'svc-tools' }, [false, true]);
    await stops({ scope: 'principal', target: principal(), includeReads: true }, [true, true]);
    await stops({ scope: 'principal', target: `key:${approver.keyId}`, includeReads: true }, [false, false]);
  });

  it('leaves a refusal that is committed before the caller learns of it', async () => {
    await setSwitch({ scope: 'action', target: 'query_vault' });
    const refusal = await refusalOf(here.admit(query(acme)));
    const { rows } = await outside.query(
      `select outcome, rule, action, e.kind from shield_decision join outbox_event e on e.event_id = decision_id where decision_id = $1`,
      [refusal.facts.decisionId],
    );
    expect(rows).toEqual([{ outcome: 'deny', rule: 'kill_switch', action: 'query_vault', kind: 'shield.decision' }]);
  });

  it('that expires lets calls through without a change of policy', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await setSwitch({ scope: 'action', target: 'query_vault', expiresAt });
    expect(await inWords(here.admit(query(acme)))).toBe('ShieldDenied kill_switch');
    await api.database.query('update shield_kill_switch set expires_at = now() where kill_switch_id = $1', [
      body.killSwitchId,
    ]);
    expect(await inWords(here.admit(query(acme)))).toBe('admitted');
  });

  it('is never missed by the cache of a process, however often it is set and lifted', async () => {
    const call = query(acme);
    const standing = new Set<number>();
    let isOver = false;
    const clients = [here, there, here, there].map(async (process) => {
      const words: string[] = [];
      while (!isOver) words.push(await inWords(process.admit(call)));
      return words;
    });
    for (let round = 0; round < 25; round += 1) {
      const switched = await setSwitch({ scope: 'action', target: round % 2 ? 'query_vault' : 'POST /v1/retrieve' });
      standing.add(switched.body.policyVersion);
      const stopped = await Promise.all([here, there].map((process) => inWords(process.admit(call))));
      await lift(acme, switched);
      const free = await Promise.all([here, there].map((process) => inWords(process.admit(call))));
      expect([round, ...stopped, ...free]).toEqual([
        round,
        'ShieldDenied kill_switch',
        'ShieldDenied kill_switch',
        'admitted',
        'admitted',
      ]);
    }
    isOver = true;
    const words = (await Promise.all(clients)).flat();
    expect(new Set(words)).toEqual(new Set(['admitted', 'ShieldDenied kill_switch']));
    const made = await decisions(`action = 'query_vault' and policy_version >= $1`, [Math.min(...standing)]);
    const wrong = made.filter(({ outcome, policy_version: of }) => (outcome === 'allow') === standing.has(of));
    expect(wrong).toEqual([]);
    expect(made.length).toBeGreaterThan(100);
  });

  it('on an unknown tool name is refused, with where to find them', async () => {
    const body = { scope: 'action', target: 'tip_platfrom', reason: 'r' };
    const answer = await acme.call('POST', '/v1/shield/kill-switches', body);
    expect([answer.status, answer.body.issues[0]]).toEqual([
      400,
      { path: 'body.target', message: expect.stringMatching(/no tool.*GET \/capabilities/) },
    ]);
    const sampling = { name: 'n', match: { action: 'tip_platfrom' }, ratePerMillion: 1 };
    const kept = await acme.call('POST', '/v1/shield/sampling-policies', sampling);
    expect([kept.status, kept.body.issues[0].path]).toEqual([400, 'body.match.action']);
  });
});

describe('the definition of a tool', () => {
  it('needs trust again once it changed, where the tenant pinned it', async () => {
    const tenant = await api.addTenant('careful');
    const must = (status: number, path: string, body: object) =>
      expectStatus(status, tenant.call('POST', `/v1/shield/${path}`, { reason: 'r', ...body }));
    await must(201, 'trust/publishers', { publisherId: 'us', name: 'Us' });
    const pinned = [digestOf('query_vault'), digestOf('tip_platform')];
    await must(201, 'servers', { serverId: 'svc-tools', publisherId: 'us', toolDigests: pinned });
    const known = query(tenant);
    const changed = query(tenant, { toolDigest: digestOf('query_vault, better') });
    expect(await inWords(here.admit(known))).toBe('admitted');
    expect(await inWords(here.admit(changed))).toBe('ShieldDenied untrusted_digest');
    const named = { digest: changed.toolDigest, tool: 'query_vault', publisherId: 'us' };
    await must(201, 'trust/digests', { ...named, serverId: 'svc-tools' });
    expect(await inWords(here.admit(changed))).toBe('admitted');

    await must(200, 'trust/digests/revoke', { digest: changed.toolDigest });
    expect(await inWords(here.admit(changed))).toBe('ShieldDenied revoked_digest');
    expect(await inWords(there.admit(changed))).toBe('ShieldDenied revoked_digest');
    expect(await inWords(there.admit(known))).toBe('admitted');
  });
});

describe('an approval of a tool call', () => {
  it('of a read is used up by the decision', async () => {
    await mark(acme, 'query_vault');
    const call = query(acme);
    const refusal = await refusalOf(here.admit(call));
    expect([refusal.kind.type, refusal.message]).toEqual([
      'ShieldApprovalRequired',
      expect.stringContaining('send the same call again'),
    ]);
    const asked = await approvalOf(refusal.facts.approvalRequestId);
    expect(asked).toMatchObject({
      status: 'pending',
      action: 'query_vault',
      serverId: 'svc-tools',
      toolDigest: call.toolDigest,
      arguments: call.arguments,
      decisionId: refusal.facts.decisionId,
    });
    const approvalToken = await approve(asked.approvalRequestId);
    expect(await inWords(here.admit({ ...call, approvalToken, arguments: { query: 'other' } }))).toBe(
      'ShieldDenied approval_void arguments_changed',
    );
    const calls = Array.from({ length: 10 }, (_, n) => [here, there][n % 2]!.admit({ ...call, approvalToken }));
    const settled = await Promise.all(calls.map(inWords));
    expect(settled.sort()).toEqual([...Array<string>(9).fill('ShieldDenied approval_void used'), 'admitted']);
    const [allowed] = await decisions('approval_request_id = $1 and outcome = $2', [asked.approvalRequestId, 'allow']);
    expect(await approvalOf(asked.approvalRequestId)).toMatchObject({
      status: 'used',
      usedDecisionId: allowed.decision_id,
    });
  });

  it('of an effect is used up with the effect, by the decision before it, which is the only one', async () => {
    await mark(acme, 'POST /v1/economy/tip-platform');
    const asked = tip(acme);
    const approvalToken = await tokenFor(asked);
    const { decisionId } = await here.admit({ ...asked.call, approvalToken });
    const made = await decision(decisionId);
    expect(made).toMatchObject({ outcome: 'allow', rule: 'approved' });
    // Nothing is used up before the effect: had the API not been there, the token would still work.
    expect(await approvalOf(made.approval_request_id)).toMatchObject({ status: 'approved', usedDecisionId: null });
    const before = await tips();
    const done = await callTool(here, acme, asked, approvalToken);
    expect([done.status, await tips()]).toEqual([201, before + 1]);
    expect(await approvalOf(made.approval_request_id)).toMatchObject({
      status: 'used',
      usedDecisionId: done.decisionId,
    });
    const all = await decisions('approval_request_id = $1', [made.approval_request_id]);
    expect(all.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'tip_platform approval_required',
      'tip_platform allow',
      'tip_platform allow',
    ]);
    // Another call with it is refused, and the same one is answered again.
    expect(await outcomeOf(callTool(here, acme, { ...tip(acme) }, approvalToken))).toBe(
      'tools: ShieldDenied approval_void used',
    );
    const again = await callTool(here, acme, asked, approvalToken);
    expect([again.status, again.headers.get('x-idempotency-replayed'), again.decisionId]).toEqual([
      201,
      'true',
      undefined,
    ]);
    expect([again.body, await tips()]).toEqual([done.body, before + 1]);
  });

  it('has one effect, however many calls come with it at once', async () => {
    await mark(acme, 'tip_platform');
    const token = await tokenFor(tip(acme, { credits: 7 }));
    const before = await tips();
    const calls = Array.from({ length: 20 }, (_, n) =>
      outcomeOf(callTool([here, there][n % 2]!, acme, tip(acme, { credits: 7 }), token)),
    );
    const outcomes = await Promise.all(calls);
    expect(await tips()).toBe(before + 1);
    expect(outcomes.filter((one) => one === '201')).toHaveLength(1);
    const others = new Set(outcomes.filter((one) => one !== '201'));
    for (const other of others) expect(other).toMatch(/(403|tools:) ShieldDenied approval_void used$/);
  });

  it('is as it was where the effect fails', async () => {
    await mark(acme, 'tip_platform');
    const asked = tip(acme, { agentId: 'poor', credits: 90_000 });
    const token = await tokenFor(asked);
    expect((await callTool(here, acme, asked, token)).status).toBe(429);
    expect((await callTool(here, acme, asked, token)).status).toBe(429);
    const [row] = await api.database.query<{ state: string }>(
      `select state from shield_approval where tenant_id = 'acme' order by requested_at desc limit 1`,
    );
    expect(row!.state).toBe('approved');
  });

  it('can be asked for ahead of the call', async () => {
    await mark(acme, 'tip_platform');
    const { call, ...effect } = tip(acme, { credits: 11 });
    const propose = (members: object) =>
      acme.call('POST', '/v1/shield/approvals/propose', {
        action: 'tip_platform',
        arguments: { ...call.arguments, idempotency_key: effect.key },
        reason: 'Monthly tip',
        ...members,
      });
    const bare = await propose({});
    expect([bare.status, bare.body.issues[0]]).toEqual([
      400,
      { path: 'body.toolDigest', message: expect.stringContaining('GET /capabilities') },
    ]);
    const { body } = await expectStatus(201, propose({ toolDigest: call.toolDigest }));
    expect(body).toMatchObject({ action: 'tip_platform', serverId: 'svc-tools', arguments: call.arguments });
    // The call that is refused finds the same request.
    expect((await refusalOf(here.admit(call))).facts.approvalRequestId).toBe(body.approvalRequestId);
    const token = await approve(body.approvalRequestId);
    expect((await callTool(here, acme, { ...effect, call }, token)).status).toBe(201);
  });
});

describe('a tool that spends', () => {
  it('needs an approval of that much before anything goes on', async () => {
    expect(await inWords(here.admit(tip(acme, { credits: 100 }).call))).toBe('admitted');
    const dear = tip(acme, { credits: 101 });
    const refusal = await refusalOf(here.admit(dear.call));
    expect(refusal.kind.type).toBe('ShieldApprovalRequired');
    expect(await approvalOf(refusal.facts.approvalRequestId)).toMatchObject({
      action: 'tip_platform',
      spendCredits: 101,
      reason: 'It spends 101 credits; more than 100 need an approval',
    });
    expect(await decision(refusal.facts.decisionId)).toMatchObject({ rule: 'spending', action: 'tip_platform' });
    const token = await approve(refusal.facts.approvalRequestId);
    const before = await tips();
    expect(await outcomeOf(callTool(here, acme, dear, token))).toBe('201');
    expect(await outcomeOf(callTool(here, acme, tip(acme, { credits: 101 }), token))).toBe(
      'tools: ShieldDenied approval_void used',
    );
    expect(await tips()).toBe(before + 1);
  });

  it('finds out in its effect what it costs: the approval is bound to the tool call all the same', async () => {
    const publisher = await api.addTenant('publisher', 'starter');
    const document = {
      tenantId: 'publisher',
      corpusId: 'law',
      docId: 'a',
      title: 'A',
      content: 'Law.',
      url: 'https://example.org/',
      shareability: 'entitled_only',
    };
    const { ingestId } = (await expectStatus(202, publisher.call('POST', '/v1/ingest', document))).body;
    const isIngested = async () => (await publisher.call('GET', `/v1/ingest/${ingestId}`)).body.status === 'completed';
    expect(await within(30_000, isIngested)).toBe(true);
    const offer = { title: 'Law', description: 'All of it.', corpora: ['law'], priceCredits: 150 };
    const { bundleId } = (await expectStatus(201, publisher.call('POST', '/v1/bundles', offer))).body;

    const asked = purchase(acme, bundleId);
    const refused = await callTool(here, acme, asked);
    expect(verdict(refused)).toBe('403 ShieldApprovalRequired');
    const request = await approvalOf(refused.body.approvalRequestId);
    expect(request).toMatchObject({
      action: 'purchase_bundle',
      serverId: 'svc-tools',
      toolDigest: asked.call.toolDigest,
      arguments: asked.call.arguments,
      spendCredits: 150,
      decisionId: refused.body.decisionId,
    });
    expect(refused.body.detail).toContain(refused.body.approvalRequestId);
    expect(await decision(refused.body.decisionId)).toMatchObject({ action: 'purchase_bundle', rule: 'spending' });
    await approve(refused.body.approvalRequestId);
    const bought = await callTool(here, acme, asked);
    expect([bought.status, bought.body.priceCredits]).toEqual([201, 150]);
    expect(await approvalOf(refused.body.approvalRequestId)).toMatchObject({
      status: 'used',
      usedDecisionId: bought.decisionId,
    });
  });
});

describe('a call that had its effect', () => {
  it('is answered again, whatever has been set since', async () => {
    const asked = tip(acme);
    const done = await callTool(here, acme, asked);
    expect(done.status).toBe(201);
    const before = await tips();
    await setSwitch({ scope: 'tenant', includeReads: true });
    const made = (await decisions('true')).length;
    const again = await callTool(there, acme, asked);
    expect([again.status, again.headers.get('x-idempotency-replayed')]).toEqual([201, 'true']);
    expect([again.body, again.decisionId, await tips()]).toEqual([done.body, undefined, before]);
    expect((await decisions('true')).length).toBe(made);
    // Its key opens nothing else, and for nobody else.
    expect(await outcomeOf(callTool(there, acme, tip(acme)))).toBe('tools: ShieldDenied kill_switch');
    const foreign = { ...asked, call: { ...asked.call, caller: callerOf(approver) } };
    expect(await outcomeOf(callTool(there, approver, foreign))).toBe('tools: ShieldDenied kill_switch');
    const unstorable = {
      ...asked.call,
      effect: { ...asked.call.effect!, idempotencyKey: async () => 'a\0b'.repeat(4) },
    };
    expect(await inWords(there.admit(unstorable))).toBe('ShieldDenied kill_switch');
    await api.database.query(
      `update idempotent_request set created_at = now() - interval '25 hours' where idempotency_key = $1`,
      [asked.key],
    );
    expect(await outcomeOf(callTool(there, acme, asked))).toBe('tools: ShieldDenied kill_switch');
  });

  it('is decided on again where nothing stops it', async () => {
    const asked = tip(acme);
    const first = await callTool(here, acme, asked);
    const again = await callTool(here, acme, asked);
    expect([again.status, again.headers.get('x-idempotency-replayed')]).toEqual([201, 'true']);
    expect(again.decisionId).not.toBe(first.decisionId);
    expect(await decision(again.decisionId)).toMatchObject({ outcome: 'allow' });
  });
});
