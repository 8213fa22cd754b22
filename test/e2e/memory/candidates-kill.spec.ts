import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AcmeDaemon, startAcmeDaemon } from '../../kit/acme-daemon.js';

const KILLS = 5;
const A_ROUND = 60;

let acme: AcmeDaemon;
beforeAll(async () => {
  acme = await startAcmeDaemon({ SVCD_AUTO_CAPTURE: '1' });
}, 60_000);
afterAll(() => acme.close());

/** A name without digits for each number below 676. */
const nameOf = (number: number): string =>
  `Per${String.fromCharCode(97 + Math.floor(number / 26), 97 + (number % 26))}`;

it('a promotion is there whole or not at all, however often the daemon is killed', { timeout: 240_000 }, async () => {
  const acknowledged: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const text = Array.from({ length: A_ROUND }, (_, i) => `${nameOf(kill)} ${nameOf(i)} lives in Rome.`);
    const found = await acme.attempt('POST', '/v1/memory/extract', { text: text.join(' ') });
    expect(found?.body.written).toBe(A_ROUND);
    const promotions = found!.body.candidates.map(async ({ candidate_id: id }: any) => {
      const answer = await acme.attempt('POST', `/v1/memory/candidates/${id}/promote`, {});
      if (answer?.status === 200) acknowledged.push(id);
    });
    while (acknowledged.length < kill * A_ROUND * 0.1 + 3) await sleep(5);
    await acme.daemon.stop('SIGKILL');
    await Promise.all(promotions);
    await acme.daemon.start();
  }
  const torn = await acme.database.query(
    `select c.candidate_id from candidate c
     where (c.status = 'promoted') <> exists (select from fact f where f.tenant_id = c.tenant_id and f.entity = c.entity and f.key = c.key)
       or (c.status = 'promoted') <> exists (select from receipt r where r.subject = c.candidate_id::text and r.kind = 'candidate.promoted')
       or (c.status = 'promoted') <> exists (select from outbox_event e where e.subject = c.candidate_id::text and e.kind = 'candidate.promoted')`,
  );
  expect(torn).toEqual([]);
  const rows = await acme.database.query<{ id: string }>(
    `select candidate_id as id from candidate where status = 'promoted'`,
  );
  const promoted = new Set(rows.map(({ id }) => id));
  expect(acknowledged.filter((id) => !promoted.has(id))).toEqual([]);
  expect(promoted.size).toBeLessThan(KILLS * A_ROUND);
});
