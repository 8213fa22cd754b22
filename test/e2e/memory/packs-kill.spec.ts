import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AcmeDaemon, startAcmeDaemon } from '../../kit/acme-daemon.js';

const KILLS = 6;
const FACTS = 1000;

let acme: AcmeDaemon;
beforeAll(async () => {
  acme = await startAcmeDaemon({ SVC_MEMORY_IMPORT: '1' });
}, 60_000);
afterAll(() => acme.close());

const packOf = (round: number) => ({
  tenant_id: 'acme',
  pack: {
    schema: 'svc.pack/1',
    facts: Array.from({ length: FACTS }, (_, i) => ({ entity: `import:${round}`, key: `fact ${i}`, value: `${i}` })),
    cases: [{ task: `round ${round}`, action: 'imported', outcome: 'done', success: true, reward: 1 }],
  },
});

/** How many facts and cases of a round are there. */
const countsOf = async (round: number): Promise<string> => {
  const [row] = await acme.database.query<{ facts: string; cases: string }>(
    `select (select count(*) from fact where entity = 'import:${round}') as facts,
       (select count(*) from memory_case where task = 'round ${round}') as cases`,
  );
  return `${row!.facts} ${row!.cases}`;
};

it('an import is there whole or not at all, whenever the daemon is killed', { timeout: 240_000 }, async () => {
  const whole = `${FACTS} 1`;
  for (let round = 0; round < KILLS; round++) {
    const began = performance.now();
    const asked = acme.attempt('POST', '/v1/memory/import', packOf(round));
    // The first shows how long it takes; the others are killed on the way.
    if (round === 0) expect((await asked)?.body).toMatchObject({ ok: true });
    else await sleep(lasts * (round / KILLS));
    if (round === 0) lasts = performance.now() - began;
    await acme.daemon.stop('SIGKILL');
    const answered = (await asked)?.status === 200;
    await acme.daemon.start();
    expect(answered ? [whole] : [whole, '0 0']).toContain(await countsOf(round));
    const again = await acme.call('POST', '/v1/memory/import', packOf(round));
    expect(again.status).toBe(200);
    expect(await countsOf(round)).toBe(whole);
  }
});

/** Of one import, in milliseconds. */
let lasts = 0;
