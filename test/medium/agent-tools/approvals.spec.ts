import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anotherKey, expectStatus, resolve } from '../shield/given.js';
import type { TestTenant } from '../../kit/app.js';
import { startAgent, type TestAgent } from '../../kit/agent.js';

let agent: TestAgent;
let approver: TestTenant;
const endpoints: { name: string; client: Client }[] = [];
beforeAll(async () => {
  agent = await startAgent();
  approver = await anotherKey(agent.api, agent.api.tenant);
  for (const target of ['ingest', 'POST /v1/ingest'])
    await expectStatus(
      201,
      agent.api.tenant.call('POST', '/v1/shield/kill-switches', {
        ...{ scope: 'action', target, mode: 'require_approval', reason: 'Documents are reviewed' },
      }),
    );
  const urls = { 'tool service': `${agent.tools.url}/mcp`, daemon: agent.daemon.mcpUrl };
  for (const [name, url] of Object.entries(urls))
    endpoints.push({ name, ...(await agent.connect(agent.api.tenant, url)) });
}, 120_000);
afterAll(() => agent.close());

it('one that changes something at the daemon goes through once too, however many send it then', async () => {
  await expectStatus(
    201,
    agent.api.tenant.call('POST', '/v1/shield/kill-switches', {
      ...{ scope: 'action', target: 'remember', mode: 'require_approval', reason: 'Facts are reviewed' },
    }),
  );
  const { client } = endpoints[0]!;
  const remember = (args: object) =>
    client.callTool({ name: 'remember', arguments: { key: 'lamp', value: 'red', ...args } }).then(
      ({ isError, content }) => (isError === true ? JSON.stringify(content) : ''),
      (error: Error) => error.message,
    );
  for (const args of [{ entity: 'keeper:ada' }, { as: 'goal' }]) {
    const [, approvalRequestId] = /approvals\/([0-9a-f-]{36})\/resolve/.exec(await remember(args))!;
    await expectStatus(200, resolve(approver, approvalRequestId!));
    const answers = await Promise.all([1, 2, 3, 4].map(() => remember(args)));
    expect(answers.filter((answer) => answer === '')).toHaveLength(1);
    const { body } = await approver.call('GET', `/v1/shield/approvals/${approvalRequestId}`);
    expect(body).toMatchObject({ status: 'used', usedAt: expect.any(String) });
  }
});

it('a call that waited for an approval goes through when it is repeated, once, at either endpoint', async () => {
  for (const { name, client } of endpoints) {
    const given = { name: 'ingest', arguments: { title: name, content: 'Under review.', doc_id: name } };
    const messageOf = async (): Promise<string> => {
      const answer = await client.callTool(given).catch((error: Error) => error);
      return answer instanceof Error ? answer.message : answer.isError ? JSON.stringify(answer.content) : '';
    };
    const message = await messageOf();
    expect([name, message]).toEqual([name, expect.stringMatching(/console\/#\/review/)]);
    const [, approvalRequestId] = /approvals\/([0-9a-f-]{36})\/resolve/.exec(message)!;
    await expectStatus(200, resolve(approver, approvalRequestId!));
    expect([name, await messageOf()]).toEqual([name, '']);
    expect([name, await messageOf()]).toEqual([name, expect.stringContaining('approval')]);
  }
});

it('with a key, what went through by its approval is answered again, and needs no other one', async () => {
  const { client } = endpoints[0]!;
  const given = { title: 'Keyed', content: 'Under review.', idempotency_key: 'keyed-under-review' };
  const call = () => client.callTool({ name: 'ingest', arguments: given });
  const refused: Error = await call().then(
    () => expect.fail('no approval was asked for'),
    (error: Error) => error,
  );
  const [, approvalRequestId] = /approvals\/([0-9a-f-]{36})\/resolve/.exec(refused.message)!;
  await expectStatus(200, resolve(approver, approvalRequestId!));
  const first = await call();
  expect(first.isError).toBe(false);
  const { structuredContent } = first as { structuredContent: object };
  expect((await call()).structuredContent).toEqual({ ...structuredContent, repeated: true });
});
