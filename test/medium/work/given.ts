import { Client } from 'pg';
import { expect } from 'vitest';
import type { Answer } from '../../kit/app.js';
import type { DaemonCall, TestDaemon } from '../../kit/daemon.js';

const SCOPES = 'admin:read admin:write facts:write';

/** Somebody who works on the board, by a passport of the header. */
export const acting = (daemon: TestDaemon, passport: string, tenant?: string): DaemonCall =>
  daemon.as({ scopes: SCOPES, passport, ...(tenant === undefined ? {} : { tenant }) });

/** The body of an answer that succeeded. */
export async function must(answer: Promise<Answer>): Promise<any> {
  const { status, body } = await answer;
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
}

/** An item of `ada`. */
export const made = (call: DaemonCall, members: object = {}): Promise<any> =>
  must(call('POST', '/v1/work', { project_id: 'web', title: 'A thing', created_by_passport: 'ada', ...members }));

export const patch = (call: DaemonCall, id: string, members: object, headers?: Record<string, string>) =>
  call('PATCH', `/v1/work/${id}`, { by_passport: 'ada', ...members }, headers);

/** An item of `ada` in review, and the gate at which it waits to be done. */
export async function gated(
  call: DaemonCall,
  members: object = {},
): Promise<{ id: string; gate: string; version: number }> {
  const item = await made(call, { state: 'in_review', assignee_passport: 'ada', ...members });
  const { queued } = await must(patch(call, item.id, { state: 'done' }));
  expect(queued).toHaveLength(1);
  return { id: item.id, gate: queued[0].action_id, version: item.version };
}

/** One statement past all rights, for what no route does: time that has passed. */
export async function force<Row extends object>(
  { database }: TestDaemon,
  sql: string,
  values: unknown[],
): Promise<Row[]> {
  const client = new Client({ connectionString: database.superuserUrl });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** Puts an item in progress under a lease. @returns the fence */
export async function leased(daemon: TestDaemon, workId: string, holder: string, seconds: number): Promise<string> {
  const [row] = await force<{ fence: string }>(
    daemon,
    `with l as (insert into lease (tenant_id, fence, kind, subject, lease_id, mode, holder_passport, held_by, acquired_at, renewed_at, expires_at)
       select tenant_id, nextval('lease_fence'), 'work', work_id, gen_random_uuid(), 'write', $2, $2, now(), now(), now() + make_interval(secs => $3)
       from work_item where work_id = $1 returning fence, expires_at)
     update work_item set lease_fence = l.fence, lease_holder = $2, lease_expires_at = l.expires_at, state = 'in_progress'
     from l where work_id = $1 returning l.fence`,
    [workId, holder, seconds],
  );
  return row!.fence;
}
