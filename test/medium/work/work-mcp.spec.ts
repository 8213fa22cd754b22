import {
  Client,
  StreamableHTTPClientTransport,
  type ElicitRequest,
  type ElicitResult,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { acting, made, must } from './given.js';

let daemon: TestDaemon;
let ada: DaemonCall;
let bob: DaemonCall;
const clients: Client[] = [];
beforeAll(async () => {
  daemon = await startDaemon();
  ada = acting(daemon, 'ada');
  bob = acting(daemon, 'bob');
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await daemon.close();
});

type Answer = (asked: ElicitRequest['params']) => Promise<ElicitResult>;

/** The official client of a passport; without an answer it cannot ask anybody. */
async function connect(passport: string, answer?: Answer, scopes = ALL_SCOPES): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: answer ? { elicitation: {} } : {}, versionNegotiation: { mode: 'auto' } },
  );
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params));
  const headers = { 'x-svc-scopes': scopes, 'x-svc-passport-id': passport };
  await client.connect(new StreamableHTTPClientTransport(new URL(daemon.mcpUrl), { requestInit: { headers } }));
  clients.push(client);
  return client;
}

const inReview = () => made(ada, { state: 'in_review', assignee_passport: 'ada' });
const update = (client: Client, work_id: string, members: object = {}): Promise<any> =>
  client.callTool({ name: 'update_work', arguments: { work_id, by_passport: 'ada', state: 'done', ...members } });
const gateIn = ({ message }: ElicitRequest['params']): string => /\/gate\/([0-9a-f-]{36})\/approve/.exec(message)![1]!;
const decide = (asked: ElicitRequest['params'], decision: string, body: object = {}) =>
  must(bob('POST', `/v1/work/gate/${gateIn(asked)}/${decision}`, body));
const accept: ElicitResult = { action: 'accept', content: {} };

describe('a change over MCP that waits at a gate', () => {
  it.each([ALL_SCOPES, 'facts:write'])(
    'is waited for by the user of a client that can ask, with %s',
    async (scopes) => {
      const asked: ElicitRequest['params'][] = [];
      const answer: Answer = async (params) => {
        asked.push(params);
        if (asked.length === 2) await decide(params, 'approve');
        return accept;
      };
      const item = await inReview();
      const result = await update(await connect('ada', answer, scopes), item.id, { title: 'New' });
      expect(result).toMatchObject({
        isError: false,
        structuredContent: {
          work: { id: item.id, state: 'done', title: 'New' },
          applied: ['title', 'state'],
          queued: [],
        },
      });
      expect(asked).toEqual([
        {
          mode: 'form',
          message: expect.stringMatching(/^update_work needs the approval of another passport\. The gate is /),
          requestedSchema: { type: 'object', properties: {} },
        },
        expect.objectContaining({ message: expect.stringMatching(/^It is not decided on yet\. update_work needs/) }),
      ]);
    },
  );

  it('is an error where it is rejected, which says why', async () => {
    const item = await inReview();
    const answer: Answer = async (params) => {
      await decide(params, 'reject', { reason: 'No tests' });
      return accept;
    };
    const result = await update(await connect('ada', answer), item.id);
    expect([result.isError, result._meta['svc/problem']]).toEqual([
      true,
      expect.objectContaining({ status: 409, decision: 'rejected', decided_by: 'bob', reason: 'No tests' }),
    ]);
    expect((await must(ada('GET', `/v1/work/${item.id}`))).state).toBe('in_review');
  });

  it.each(['decline', 'cancel'] as const)('is left waiting where the user chooses %s', async (action) => {
    const item = await inReview();
    const result = await update(await connect('ada', async () => ({ action })), item.id, { title: 'New' });
    const { work, applied, queued } = result.structuredContent;
    expect([result.isError, work.state, work.title, applied, queued.length]).toEqual([
      false,
      'in_review',
      'New',
      ['title'],
      1,
    ]);
    expect(await must(ada('GET', `/v1/work/gate/${queued[0].action_id}/state`))).toMatchObject({ status: 'pending' });
  });

  it('is an answer with what is queued for a client that cannot ask', async () => {
    const item = await inReview();
    const result = await update(await connect('ada'), item.id);
    expect([result.isError, result.structuredContent.queued.length]).toEqual([false, 1]);
  });
});

it('the tools of work list it, comment on it, show what waits and decide on it', async () => {
  const [mine, others] = [await connect('ada'), await connect('bob')];
  const item = await made(ada, { project_id: 'tools', state: 'in_review', assignee_passport: 'ada' });
  const call = async (client: Client, name: string, given: object): Promise<any> => {
    const result: any = await client.callTool({ name, arguments: { ...given } });
    return result.isError ? result._meta['svc/problem'] : result.structuredContent;
  };
  expect((await call(mine, 'list_work', { project_id: 'tools' })).work).toEqual([item]);
  const comment = await call(mine, 'comment_work', { work_id: item.id, author_passport: 'ada', body: 'Done, I think' });
  expect(comment).toMatchObject({ work_id: item.id, body: 'Done, I think' });
  const { queued } = await call(mine, 'update_work', { work_id: item.id, by_passport: 'ada', state: 'done' });
  const { pending } = await call(others, 'list_pending_gates', { by_passport: 'ada', limit: 200 });
  const { action_id } = pending.find((gate: any) => gate.work_id === item.id);
  expect(action_id).toBe(queued[0].action_id);
  expect(await call(mine, 'decide_gate', { action_id, decision: 'approve' })).toMatchObject({ status: 403 });
  expect(await call(others, 'decide_gate', { action_id, decision: 'approve' })).toMatchObject({ status: 'approved' });
  expect((await must(ada('GET', `/v1/work/${item.id}`))).state).toBe('done');
});
