import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAgent, type TestAgent } from '../../kit/agent.js';
import { freePort } from '../../kit/free-port.js';
import { startTools } from '../../kit/tools.js';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startAgent();
  await agent.ingest('skerryvore', 'The lighthouse was lit in 1844.');
  await agent.daemon.as({ scopes: 'facts:write', tenant: agent.api.tenant.tenantId })('PUT', '/v1/facts', {
    entity: 'lighthouse',
    key: 'keeper',
    value: 'Ada',
  });
}, 120_000);
afterAll(() => agent.close());

describe('search', () => {
  it('finds passages and facts by one question, each with an id to use', async () => {
    const { text, data, isError } = await agent.call('search', { query: 'lighthouse' });
    expect([isError, text]).toEqual([false, expect.stringContaining('lit in 1844')]);
    expect(text).toContain('keeper = Ada');
    expect(data.results.map(({ id }: { id: string }) => id)).toEqual([
      expect.stringMatching(/^chk_/),
      expect.stringMatching(/^fact:/),
    ]);
  });

  it('goes on from a cursor, and shows nothing twice', async () => {
    const ids: string[] = [];
    for (let cursor: string | undefined; ;) {
      const { data } = await agent.call('search', { query: 'lighthouse', limit: 1, ...(cursor && { cursor }) });
      ids.push(...data.results.map(({ id }: { id: string }) => id));
      cursor = data.next_cursor;
      if (cursor === undefined) break;
    }
    expect([ids.length, new Set(ids).size]).toEqual([2, 2]);
  });

  it('says of documents alone that there are more', async () => {
    await agent.ingest('bell-rock', 'The lighthouse was lit in 1811.');
    const asked = { query: 'when was the lighthouse lit', in: 'documents', limit: 1 };
    const { text, data } = await agent.call('search', asked);
    expect([data.results.length, data.next_cursor]).toEqual([1, '1']);
    expect(text).toContain('1 more: call again with cursor 1');
    const last = await agent.call('search', { ...asked, cursor: '1' });
    expect([last.data.results.length, last.data.next_cursor]).toEqual([1, undefined]);
    expect(last.data.results[0].id).not.toBe(data.results[0].id);
  });

  it('says why no document has a word of the question', async () => {
    const asked = { query: 'zeppelin', in: 'documents' };
    const { text, data } = await agent.call('search', asked);
    expect([text, data]).toMatchObject([
      expect.stringContaining('Documents: No passage that was searched has a word of the query; ask in other words'),
      { fit: 'none', results: [], note: expect.stringContaining('ask in other words') },
    ]);
    const nowhere = await agent.call('search', { ...asked, corpus_ids: ['nowhere'] });
    expect(nowhere.text).toContain('Documents: No passage was searched');
    expect((await agent.call('search', { query: 'lighthouse' })).text).not.toContain('Documents:');
  });

  it('finds documents while the daemon is away, and says what it left out', async () => {
    const env = { SVC_DAEMON_URL: `http://127.0.0.1:${await freePort()}` };
    const alone = await startTools(agent.api, { env });
    const { call } = await agent.connect(agent.api.tenant, `${alone.url}/mcp`);
    const { text, isError } = await call('search', { query: 'lighthouse' });
    expect([isError, text]).toEqual([false, expect.stringContaining('lit in 1844')]);
    expect(text).toContain('Without facts: The memory daemon cannot be reached');
    await alone.close();
  });

  it('takes a question that is longer than facts are asked with, wherever it is cut', async () => {
    for (const query of [
      `lighthouse${' light'.repeat(680)} 🗼🗼🗼🗼`,
      `x${'🗼'.repeat(2100)} lighthouse`,
      '灯'.repeat(9000),
    ]) {
      const { isError, text } = await agent.call('search', { query });
      expect([isError, text]).toEqual([false, expect.not.stringContaining('Without')]);
    }
  });

  it('names what is wrong by its own arguments, once', async () => {
    const { text, isError } = await agent.call('search', { query: 'x', limits: 3 });
    expect([isError, text]).toEqual([true, expect.stringMatching(/^search: .*limits.*query/)]);
  });
});
