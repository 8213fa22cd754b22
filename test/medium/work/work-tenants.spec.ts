import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { claims, HS256_ENV, hs256 } from '../daemon-auth/given.js';
import { acting, gated, made, must, patch } from './given.js';

let daemon: TestDaemon;
let tokens: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
  tokens = await startDaemon({ env: HS256_ENV, database: daemon.database, tenants: ['acme'] });
});
afterAll(async () => {
  await tokens.close();
  await daemon.close();
});

describe('work of one tenant', () => {
  it('is seen, changed, blocked and decided on by no other', async () => {
    const mine = acting(daemon, 'ada', 'one');
    const theirs = acting(daemon, 'eve', 'two');
    const { id, gate } = await gated(mine, { title: 'zyzzyva' });
    const blocker = await made(mine);
    await must(mine('PUT', '/v1/work/gate/policy', { project_id: 'web', moves: ['*>cancelled'] }));
    const own = await made(theirs, { created_by_passport: 'eve', state: 'ready' });
    const by_passport = 'eve';
    const tried = [
      await theirs('GET', `/v1/work/${id}`),
      await theirs('PATCH', `/v1/work/${id}`, { by_passport, title: 'x' }),
      await theirs('GET', `/v1/work/${id}/comments`),
      await theirs('POST', `/v1/work/${id}/comments`, { author_passport: 'eve', body: 'x' }),
      await theirs('GET', `/v1/work/${id}/transitions`),
      await theirs('GET', `/v1/work/${id}/blockers`),
      await theirs('PUT', `/v1/work/${id}/blockers/${own.id}`),
      await theirs('PUT', `/v1/work/${own.id}/blockers/${blocker.id}`),
      await theirs('DELETE', `/v1/work/${id}/blockers/${blocker.id}`),
      await theirs('GET', `/v1/work/gate/${gate}/state`),
      await theirs('POST', `/v1/work/gate/${gate}/approve`, {}),
      await theirs('POST', `/v1/work/gate/${gate}/reject`, {}),
      await theirs('POST', `/v1/work/gate/${gate}/withdraw`, {}),
    ];
    for (const { status, text } of tried) expect([status, text.includes('zyzzyva')]).toEqual([404, false]);
    const lists = ['/v1/work', '/v1/work?source=both&limit=200', '/v1/work/gate/pending'];
    for (const path of lists) expect((await theirs('GET', path)).text).not.toContain('zyzzyva');
    expect((await must(theirs('GET', '/v1/work'))).work.map((item: any) => item.id)).toEqual([own.id]);
    const { queued } = await must(theirs('PATCH', `/v1/work/${own.id}`, { by_passport, state: 'cancelled' }));
    expect(queued).toEqual([]);
    expect(await must(mine('GET', `/v1/work/${id}`))).toMatchObject({ version: 1, state: 'in_review' });
    expect((await must(mine('GET', `/v1/work/gate/${gate}/state`))).status).toBe('pending');
  });

  it('is that of tenant_id, where the credential covers it', async () => {
    const item = await made(daemon.call, { tenant_id: 'three' });
    expect(item.tenant_id).toBe('three');
    expect((await daemon.call('GET', `/v1/work/${item.id}`)).status).toBe(404);
    expect((await must(daemon.call('GET', '/v1/work?tenant_id=three'))).count).toBe(1);
    expect((await patch(daemon.call, item.id, { title: 'x' })).status).toBe(404);
    expect((await must(patch(daemon.call, item.id, { title: 'x', tenant_id: 'three' }))).work.version).toBe(2);
    const bound = acting(daemon, 'ada', 'one');
    const refused = await bound('POST', '/v1/work', {
      ...{ project_id: 'web', title: 'x', created_by_passport: 'ada', tenant_id: 'three' },
    });
    expect(refused.status).toBe(403);
    expect((await patch(bound, item.id, { title: 'y', tenant_id: 'three' })).status).toBe(403);
  });
});

describe('a token that names no passport', () => {
  const OWN = { scope: 'admin:read facts:write', tenant_id: 'acme' };
  const bearer = async (members: object) =>
    tokens.as({ bearer: await hs256(claims({ sub: undefined, passport_id: undefined, ...OWN, ...members })) });

  it('does not decide on what it asked for under another name', async () => {
    const seven = await bearer({ sub: '7' });
    const { gate } = await gated(seven);
    for (const name of ['bob', 'ada', undefined]) {
      const answer = await seven('POST', `/v1/work/gate/${gate}/approve`, { approver_passport: name });
      expect([name, answer.status]).toEqual([name, 403]);
    }
    const nobody = await bearer({});
    expect((await nobody('POST', `/v1/work/gate/${gate}/approve`, { approver_passport: 'bob' })).status).toBe(403);
    const answer = await must((await bearer({ sub: '8' }))('POST', `/v1/work/gate/${gate}/approve`, {}));
    expect(answer).toMatchObject({ status: 'approved', decided_by: 'sub:8' });
  });

  it('and one that does, decide for each other', async () => {
    const { gate } = await gated(await bearer({ sub: '7', passport_id: 'ada' }));
    const named = await bearer({ sub: '9', passport_id: 'bob' });
    const other = await named('POST', `/v1/work/gate/${gate}/approve`, { approver_passport: 'carol' });
    expect([other.status, other.body.code]).toEqual([403, 'PASSPORT_HEADER_MISMATCH']);
    expect((await must(named('POST', `/v1/work/gate/${gate}/approve`, {}))).decided_by).toBe('bob');
  });
});
