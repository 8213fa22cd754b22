import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { makeItems, runOut } from './work-items.js';

let daemon: TestDaemon;
let client: Client;
beforeAll(async () => {
  daemon = await startDaemon();
  const headers = { 'x-svc-scopes': 'facts:write', 'x-svc-passport-id': 'ada' };
  client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(daemon.mcpUrl), { requestInit: { headers } }));
});
afterAll(async () => {
  await client.close();
  await daemon.close();
});

const call = async (name: string, args: Record<string, unknown>): Promise<{ answer: any; code: unknown }> => {
  const result: any = await client.callTool({ name, arguments: args });
  return { answer: result.structuredContent, code: result._meta?.['svc/problem']?.code };
};

describe('the tools of claims', () => {
  it('claim an item, renew its lease and give it back', async () => {
    const [item] = await makeItems(daemon.database, 'tools', 1);
    const claim = (await call('claim_next_work', { project_id: 'tools', ttl_secs: 60 })).answer;
    expect(claim).toMatchObject({ work: { work_id: item, state: 'in_progress' }, lease: { holder_passport: 'ada' } });
    const { fence, expires_at } = claim.lease;
    const renewed = (await call('renew_lease', { fence, ttl_secs: 600 })).answer;
    expect(renewed.lease.fence).toBe(fence);
    expect(Date.parse(renewed.lease.expires_at)).toBeGreaterThan(Date.parse(expires_at));
    expect((await call('claim_next_work', { project_id: 'tools' })).answer.work).toBeNull();
    expect((await call('release_work', { work_id: item, fence })).answer).toMatchObject({
      work: { state: 'ready' },
      fence,
    });
    expect((await call('release_work', { work_id: item, fence })).code).toBe('LEASE_ENDED');
  });

  it('say that a lease has ended to whoever comes too late', async () => {
    await makeItems(daemon.database, 'late', 1);
    const { fence } = (await call('claim_next_work', { project_id: 'late' })).answer.lease;
    await runOut(daemon.database, fence);
    expect((await call('renew_lease', { fence })).code).toBe('LEASE_ENDED');
    expect((await call('renew_lease', { fence: 4_000_000_000 })).code).toBe('LEASE_ENDED');
  });

  it('are followed by writes with the fence, which are refused once the lease has ended', async () => {
    const [item] = await makeItems(daemon.database, 'fenced', 1);
    const { fence } = (await call('claim_next_work', { project_id: 'fenced' })).answer.lease;
    const change = { work_id: item, by_passport: 'ada', title: 'Changed' };
    expect((await call('update_work', { ...change, fence })).answer.work.title).toBe('Changed');
    await runOut(daemon.database, fence);
    expect((await call('update_work', { ...change, title: 'Late', fence })).code).toBe('FENCE_STALE');
    expect((await call('comment_work', { work_id: item, author_passport: 'ada', body: 'Late', fence })).code).toBe(
      'FENCE_STALE',
    );
    expect((await call('update_work', { ...change, fence: 'x' })).code).toBe('VALIDATION_FAILED');
  });
});
