import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EvidenceAudit } from '../../../src/common/evidence-log/evidence-audit.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { type AcmeDaemon, startAcmeDaemon } from '../../kit/acme-daemon.js';
import { startApi } from '../../kit/app.js';

const KILLS = 4;
const AT = { actor: 'agent:a', ts_start: '2026-11-23T09:00:00Z' };

let acme: AcmeDaemon;
beforeAll(async () => {
  const flags = { SVCD_OBSERVE: '1', SVCD_FEATURE_INCIDENTS: '1', SVCD_FEATURE_LEGAL_HOLD: '1' };
  acme = await startAcmeDaemon(flags);
}, 120_000);
afterAll(() => acme.close());

/** undefined when the daemon died before it answered. */
async function call(method: string, path: string, body: unknown): Promise<any> {
  const answer = await acme.attempt(method, path, body);
  if (!answer) await sleep(20);
  return answer && answer.status < 300 ? answer.body : undefined;
}
/** Receipts by what was acknowledged: a step that was opened, one that was closed, an incident. */
const opened = new Map<string, string>();
const closed = new Map<string, string>();
const incidents = new Set<string>();
const changed = new Map<string, string>();
let isOver = false;

async function observe(writer: number): Promise<void> {
  const path = `/v1/observe/sessions/run-${writer}/steps`;
  while (
    !isOver &&
    !(await call('POST', path, { ...AT, node_id: `root-${writer}`, label: 'Run', kind: 'agent', auto: true }))
  );
  for (let n = 0; !isOver; n += 1) {
    const node_id = `s-${writer}-${n}`;
    const step = { ...AT, node_id, parent_id: `root-${writer}`, label: 'Step', kind: 'tool' };
    const answer = await call('POST', path, step);
    if (!answer) continue;
    opened.set(node_id, answer.node.open_receipt as string);
    const ended = await call('PATCH', `${path}/${node_id}`, { outputs: [{ kind: 'text', text: 'done' }] });
    if (ended) closed.set(node_id, ended.node.close_receipt as string);
  }
}

async function investigate(): Promise<void> {
  const window = { from: '2026-01-01T00:00:00Z' };
  for (let n = 0; !isOver; n += 1) {
    const made = await call('POST', '/v1/incidents', { tenant_id: 'acme', title: `Case ${n}`, window });
    if (!made) continue;
    const id = made.case.incident_id as string;
    incidents.add(id);
    if (await call('PATCH', `/v1/incidents/${id}`, { status: 'contained', notes: 'Seen.' }))
      changed.set(id, 'contained');
  }
}

const acknowledged = () => opened.size + closed.size + incidents.size + changed.size;

it('keeps every step and incident that it acknowledged through kill -9, each with its receipt', async () => {
  const writers = [observe(0), observe(1), observe(2), investigate(), investigate()];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = acknowledged();
    while (acknowledged() < before + 40 + kill * 7) await sleep(5);
    await acme.daemon.stop('SIGKILL');
    await acme.daemon.start();
  }
  isOver = true;
  await Promise.all(writers);

  const steps = await acme.database.query<{ node_id: string; open_receipt: string; close_receipt: string | null }>(
    `select node_id, open_receipt, close_receipt from observe_step where tenant_id = 'acme' and not auto`,
  );
  const kept = new Map(steps.map((step) => [step.node_id, step]));
  expect([...opened].filter(([id, receipt]) => kept.get(id)?.open_receipt !== receipt)).toEqual([]);
  expect([...closed].filter(([id, receipt]) => kept.get(id)?.close_receipt !== receipt)).toEqual([]);
  const cases = await acme.database.query<{ incident_id: string; status: string }>(
    `select incident_id, status from incident where tenant_id = 'acme'`,
  );
  const states = new Map(cases.map(({ incident_id, status }) => [incident_id, status]));
  expect([...incidents].filter((id) => !states.has(id))).toEqual([]);
  expect([...changed].filter(([id, status]) => states.get(id) !== status)).toEqual([]);
  // What is there has its receipt, and each receipt is of something that is there.
  const [odd] = await acme.database.query<Record<string, number>>(
    `select (select count(*)::int from observe_step s where s.tenant_id = 'acme' and not s.auto
         and not exists (select from receipt r where r.tenant_id = 'acme' and r.receipt_id = s.open_receipt and r.subject = s.node_id)) as unreceipted_steps,
       (select count(*)::int from receipt r where r.kind = 'step.opened' and not exists (select from observe_step s where s.open_receipt = r.receipt_id)) as odd_openings,
       (select count(*)::int from receipt r where r.kind = 'step.closed' and not exists (select from observe_step s where s.close_receipt = r.receipt_id)) as odd_closes,
       (select count(*)::int from incident) - (select count(*)::int from receipt where kind = 'incident.opened') as odd_incidents,
       (select count(*)::int from observe_step where not auto and (status <> 'open') <> (close_receipt is not null)) as half_closed`,
  );
  expect(Object.entries(odd!).filter(([, count]) => count !== 0)).toEqual([]);

  const api = await startApi({ database: acme.database });
  await api.app.get(LogSequencer).integrate();
  const audit = api.app.get(EvidenceAudit);
  expect([(await audit.verifyChain()).faults, (await audit.verifyLog()).faults]).toEqual([[], []]);
  await api.close();
}, 300_000);
