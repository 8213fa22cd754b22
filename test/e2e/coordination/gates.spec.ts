import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer } from '../../kit/app.js';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

const SCOPES = 'facts:write admin:read';
const CALLERS = 20;

let daemons: TestDaemon[];
beforeAll(async () => {
  const first = await startDaemon();
  daemons = [first, await startDaemon({ database: first.database })];
});
afterAll(async () => {
  for (const daemon of daemons.toReversed()) await daemon.close();
});

const as = (passport: string, on = 0): DaemonCall => daemons[on]!.as({ scopes: SCOPES, passport });

/** Work of ada's, in review, that she asks to be done. */
async function askForApproval(title: string): Promise<{ workId: string; actionId: string }> {
  const ada = as('ada');
  const made = await ada('POST', '/v1/work', { project_id: 'shop', title, created_by_passport: 'ada', state: 'ready' });
  expect(made.status).toBe(200);
  const { work_id: workId } = made.body;
  const move = (state: string): Promise<Answer> =>
    ada('PATCH', `/v1/work/${workId}`, { by_passport: 'ada', assignee_passport: 'ada', state });
  expect((await move('in_progress')).status).toBe(200);
  expect((await move('in_review')).status).toBe(200);
  const asked = await move('done');
  expect(asked.body).toMatchObject({ work: { state: 'in_review' }, queued: [{ from: 'in_review', to: 'done' }] });
  return { workId, actionId: asked.body.queued[0].action_id };
}

const decide = (call: DaemonCall, actionId: string, how: 'approve' | 'reject', body: object = {}): Promise<Answer> =>
  call('POST', `/v1/work/gate/${actionId}/${how}`, body);

it('makes one decision of twenty at once, through two daemons', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { workId, actionId } = await askForApproval(`contested ${round}`);
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, async (_, n) => {
        const how = n % 2 === 0 ? ('approve' as const) : ('reject' as const);
        return { how, ...(await decide(as(`person-${n}`, n % 4 < 2 ? 0 : 1), actionId, how)) };
      }),
    );
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    expect(new Set(answers.filter((one) => one !== winners[0]).map(({ status }) => status))).toEqual(new Set([409]));
    const { body } = await as('ada', 1)('GET', `/v1/work/${workId}`);
    expect(body.state).toBe(winners[0]!.how === 'approve' ? 'done' : 'in_review');
    const pending = await as('ada')('GET', '/v1/work/gate/pending');
    expect(pending.body).toMatchObject({ pending: [], count: 0 });
    // One receipt of a decision in the item's chain, that of the winner, attributed to them.
    const [receipt, ...more] = await daemons[0]!.database.query<{ kind: string; receipt_id: string; actor: string }>(
      `select kind, receipt_id, actor from receipt where stream = $1 and kind in ('gate.approved', 'gate.rejected')`,
      [`work/${workId}`],
    );
    expect(more).toEqual([]);
    const { how, body: decision } = winners[0]!;
    expect(receipt).toMatchObject({
      receipt_id: decision.receipt_id,
      kind: how === 'approve' ? 'gate.approved' : 'gate.rejected',
    });
    expect(receipt!.actor).toBe(`passport:${decision.approver_passport}`);
  }
});

it('lets the requester decide in no way', async () => {
  const { workId, actionId } = await askForApproval('own');
  const anonymous = daemons[0]!.as({ scopes: SCOPES });
  const tried = await Promise.all([
    decide(as('ada'), actionId, 'approve'),
    decide(as('ada'), actionId, 'reject'),
    decide(as('ada'), actionId, 'approve', { approver_passport: 'ada' }),
    // Another's name in the body, or in none of both, is not another.
    decide(as('ada'), actionId, 'approve', { approver_passport: 'bob' }),
    decide(anonymous, actionId, 'approve', { approver_passport: 'ada' }),
    decide(as('ada', 1), actionId, 'approve'),
    decide(daemons[0]!.as({ scopes: `${SCOPES} admin:write`, passport: 'ada' }), actionId, 'approve'),
    as('ada')('PATCH', `/v1/work/${workId}`, { by_passport: 'bob', state: 'done' }),
  ]);
  expect(tried.map(({ status }) => status).filter((status) => status < 400)).toEqual([]);
  expect((await as('ada')('GET', `/v1/work/${workId}`)).body.state).toBe('in_review');
  // Asking again is not deciding either.
  const again = await as('ada')('PATCH', `/v1/work/${workId}`, { by_passport: 'ada', state: 'done' });
  expect(again.body.work?.state ?? 'in_review').toBe('in_review');
  expect((await decide(as('bob'), actionId, 'approve')).status).toBe(200);
  expect((await as('ada')('GET', `/v1/work/${workId}`)).body.state).toBe('done');
});

it('refuses an approval of an item that has changed', async () => {
  const { workId, actionId } = await askForApproval('moving');
  const changed = await as('bob')('PATCH', `/v1/work/${workId}`, { by_passport: 'bob', title: 'another thing' });
  expect(changed.status).toBe(200);
  expect((await decide(as('bob'), actionId, 'approve')).status).toBe(409);
  expect((await as('bob')('GET', `/v1/work/${workId}`)).body.state).toBe('in_review');
});
