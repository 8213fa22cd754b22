import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AcmeDaemon, startAcmeDaemon } from '../../kit/acme-daemon.js';

const KILLS = 4;
const WRITERS = 6;
const A_ROUND = 10;

let acme: AcmeDaemon;
beforeAll(async () => {
  acme = await startAcmeDaemon();
}, 180_000);
afterAll(() => acme.close());

it(
  'members and layers that were answered are there, with event and receipt, however often the daemon is killed',
  {
    timeout: 240_000,
  },
  async () => {
    expect((await acme.attempt('POST', '/v1/projects', { id: 'p', default_passport_id: 'lead' }))?.status).toBe(200);
    const layers: [name: string, version: number, content: string][] = [];
    const members: string[] = [];
    for (let kill = 0; kill < KILLS; kill++) {
      let isKilled = false;
      const write = async (writer: number) => {
        for (let n = 0; !isKilled; n++) {
          const [name, content] = [`layer-${writer}`, `${kill}-${n}`];
          const stored = await acme.attempt('PUT', `/v1/projects/p/layers/${name}`, { content });
          if (stored?.status === 200) layers.push([name, stored.body.version, content]);
          const passport_id = `m-${writer}-${kill}-${n}`;
          const added = await acme.attempt('POST', '/v1/projects/p/passports', { passport_id });
          if (added?.status === 200) members.push(passport_id);
        }
      };
      const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
      while (layers.length < (kill + 1) * A_ROUND) await sleep(5);
      isKilled = true;
      await acme.daemon.stop('SIGKILL');
      await Promise.all(writers);
      await acme.daemon.start();
    }
    const stored = await acme.database.query<{ key: string; version: number; value: string }>(
      `select key, version, value from fact where entity = 'layer:p'`,
    );
    const known = new Set(stored.map(({ key, version, value }) => [key, version, value].join()));
    expect(layers.filter((layer) => !known.has(layer.join()))).toEqual([]);
    // No version is missing or doubled, and each has the event of its change.
    const torn = await acme.database.query(
      `select f.key, f.version from fact f where f.entity = 'layer:p' and (
       not exists (select from outbox_event e where e.kind = 'layer.stored' and e.data ->> 'factId' = f.fact_id::text)
       or not exists (select from receipt r where r.tenant_id = f.tenant_id and r.receipt_id = f.receipt_id)
       or f.version > 1 and not exists (select from fact o where o.chain = f.chain and o.version = f.version - 1))`,
    );
    expect(torn).toEqual([]);
    const rows = await acme.database.query<{ id: string }>(`select passport_id as id from project_passport`);
    const there = new Set(rows.map(({ id }) => id));
    expect(members.filter((id) => !there.has(id))).toEqual([]);
    const [{ version, receipts, events }] = (await acme.database.query(
      `select version, (select count(*)::int from receipt where subject = 'p' and stream = 'projects/p') as receipts,
       (select count(*)::int from outbox_event where subject = 'p' and kind like 'project.%') as events from project`,
    )) as [{ version: number; receipts: number; events: number }];
    expect([receipts, events, there.size]).toEqual([version, version, version - 1]);
  },
);
