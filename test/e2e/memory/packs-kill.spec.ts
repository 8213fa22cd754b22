import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { ALL_SCOPES } from '../../kit/daemon.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { ServerProcess } from '../../kit/server-process.js';

const KILLS = 6;
const FACTS = 1000;
const HEADERS = { 'x-svc-scopes': ALL_SCOPES, 'x-svc-tenant-id': 'acme' };

let database: TestDatabase;
let dataDir: string;
let daemon: ServerProcess;
beforeAll(async () => {
  database = await freshDatabase();
  dataDir = mkdtempSync(join(tmpdir(), 'svc-kill-'));
  daemon = await ServerProcess.at(database.url, dataDir, { SVC_MEMORY_IMPORT: '1' }, 'daemon');
  await daemon.start();
}, 60_000);
afterAll(async () => {
  await daemon.stop('SIGKILL');
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

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
  const [row] = await database.query<{ facts: string; cases: string }>(
    `select (select count(*) from fact where entity = 'import:${round}') as facts,
       (select count(*) from memory_case where task = 'round ${round}') as cases`,
  );
  return `${row!.facts} ${row!.cases}`;
};

it('an import is there whole or not at all, whenever the daemon is killed', { timeout: 240_000 }, async () => {
  const whole = `${FACTS} 1`;
  for (let round = 0; round < KILLS; round++) {
    const began = performance.now();
    const asked = send(daemon.url, 'POST', '/v1/memory/import', packOf(round), HEADERS).catch(() => undefined);
    // The first shows how long it takes; the others are killed on the way.
    if (round === 0) expect((await asked)?.body).toMatchObject({ ok: true });
    else await sleep(lasts * (round / KILLS));
    if (round === 0) lasts = performance.now() - began;
    await daemon.stop('SIGKILL');
    const answered = (await asked)?.status === 200;
    await daemon.start();
    expect(answered ? [whole] : [whole, '0 0']).toContain(await countsOf(round));
    const again = await send(daemon.url, 'POST', '/v1/memory/import', packOf(round), HEADERS);
    expect(again.status).toBe(200);
    expect(await countsOf(round)).toBe(whole);
  }
});

/** Of one import, in milliseconds. */
let lasts = 0;
