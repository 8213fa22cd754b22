import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ObserveArchiveSweep } from '../../../src/modules/governance/observe/observe-archive.sweep.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
beforeAll(async () => {
  const env = { SVCD_OBSERVE: '1', SVCD_OBS_RETENTION_DAYS: '30', SVCD_FEATURE_LEGAL_HOLD: '1' };
  daemon = await startDaemon({ env });
});
afterAll(() => daemon.close());

const STEP = { label: 'of old', actor: 'agent:a', ts_start: '2026-10-01T09:00:00Z', node_id: 'a' };
const path = (session: string, rest = '/steps') => `/v1/observe/sessions/${session}${rest}`;
const make = async (session: string, days: number) => {
  await daemon.call('POST', path(session), { ...STEP, inputs: [{ kind: 'text', text: 'kept for a while' }] });
  await daemon.call('PATCH', path(session, '/steps/a'), { outputs: [{ kind: 'text', text: 'came out' }] });
  const ago = `now() - interval '${days} days'`;
  await daemon.database.query(
    `update observe_step set opened_at = ${ago}, closed_at = ${ago} where session_id = '${session}';
     update observe_session set opened_at = ${ago} where session_id = '${session}'`,
  );
};
const sweep = () => daemon.app.get(ObserveArchiveSweep, { strict: false }).sweep();
const audit = async (session: string) => (await daemon.call('GET', path(session, '/audit'))).body;

describe('a session in which nothing happened for so many days', () => {
  it('is archived: what was in it is gone, and its receipts still verify', async () => {
    await make('old', 31);
    await make('young', 29);
    expect(await sweep()).toBe(1);
    const { archived_at, steps } = await audit('old');
    expect([typeof archived_at, steps[0]]).toEqual([
      'string',
      expect.objectContaining({ label: '', inputs: [], outputs: [], status: 'ok' }),
    ]);
    expect((await audit('young')).archived_at).toBe(null);
    const report = (await daemon.call('GET', path('old', '/audit/conformance'))).body;
    expect([report.conforms, report.receipts_checked]).toEqual([true, 2]);
    const again = await daemon.call('POST', path('old'), { ...STEP, node_id: 'b' });
    expect([again.status, again.body.type]).toEqual([409, 'urn:svc:errors/observe-session-archived']);
    const made = await daemon.database.query<{ kind: string }>(
      `select kind from receipt where stream = 'observe/old' order by seq desc limit 1`,
    );
    expect(made).toEqual([{ kind: 'session.archived' }]);
    expect(await sweep()).toBe(0);
  });

  it('is left as it is while a legal hold pins it, which the database keeps too, and steps can be closed', async () => {
    await make('held', 31);
    await daemon.call('POST', path('held'), { ...STEP, node_id: 'b' });
    const hold = { tenant_id: 'default', reason: 'Matter 7', entity_prefixes: ['session:held'] };
    const placed = (await daemon.call('POST', '/v1/legal-holds', hold)).body.hold;
    expect(
      (await daemon.call('PATCH', path('held', '/steps/b'), { outputs: [{ kind: 'text', text: 'x' }] })).status,
    ).toBe(200);
    await make('held', 31);
    await daemon.database.query(
      `update observe_step set opened_at = now() - interval '31 days', closed_at = now() - interval '31 days' where session_id = 'held'`,
    );
    expect(await sweep()).toBe(0);
    const emptied = daemon.database.query(`update observe_step set label = '' where session_id = 'held'`);
    await expect(emptied).rejects.toThrow('a legal hold pins session:held');
    expect((await audit('held')).steps[0]).toMatchObject({
      label: 'of old',
      inputs: [expect.objectContaining({ text: 'kept for a while' })],
    });
    expect((await daemon.call('DELETE', `/v1/legal-holds/${placed.hold_id ?? placed.id}`)).status).toBe(200);
    expect(await sweep()).toBe(1);
  });
});

describe('while SVCD_OBSERVE is off', () => {
  it('what was observed before, and by handoffs, is archived all the same', async () => {
    const env = {
      SVCD_OBS_RETENTION_DAYS: '30',
      SVCD_HANDOFF_OBSERVATIONS: '1',
      SVCD_ENABLED_PRO_SERVICES: 'handoff:v2',
    };
    const other = await startDaemon({ env });
    const handoff = { session_id: 's-1', note: 'The wick is wet.' };
    const { body } = await other.call('POST', '/v1/workbench/handoff-v2', handoff);
    expect(body.observation.session_id).toBe('s-1');
    await other.database.query(
      `update observe_step set opened_at = now() - interval '31 days', closed_at = now() - interval '31 days';
       update observe_session set opened_at = now() - interval '31 days'`,
    );
    expect(await other.app.get(ObserveArchiveSweep, { strict: false }).sweep()).toBe(1);
    const steps = await other.database.query('select label, inputs from observe_step');
    expect(steps).toEqual([{ label: '', inputs: [] }]);
    await other.close();
  });
});
