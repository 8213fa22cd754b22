import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { ALL_SCOPES } from '../../kit/daemon.js';
import { removeDataDir, SvcProcess, until } from '../processes/svc-process.js';

const WRITERS = 8;
const HEADERS = { 'x-svc-scopes': ALL_SCOPES };

let dataDir: string;
let svc: SvcProcess;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-restart-'));
  svc = await SvcProcess.start(dataDir);
}, 300_000);
afterAll(async () => {
  await svc.stop();
  removeDataDir(dataDir);
});

const call = (method: string, path: string, body?: unknown) =>
  send(svc.credentials.daemon_url, method, path, body, HEADERS);

it(
  'restarts under load: what was acknowledged is there, what was not answered was refused',
  { timeout: 300_000 },
  async () => {
    const acknowledged: string[] = [];
    const others = new Set<number>();
    let isOver = false;
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; !isOver; n += 1) {
        const entity = `load:${writer}-${n}`;
        const answer = await call('PUT', '/v1/facts', { entity, key: 'k', value: 'v' }).catch(() => undefined);
        if (answer?.status === 201) acknowledged.push(answer.body.fact_id);
        else if (answer) others.add(answer.status);
        else await sleep(20);
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    await until('writes', () => acknowledged.length > 100);
    const before = (await call('GET', '/v1/admin/version')).body;
    expect(before.supervised).toBe(true);
    const restart = await call('POST', '/v1/admin/restart', { reason: 'a drill' });
    expect(restart.status).toBe(202);
    const atRestart = acknowledged.length;
    await until('another process', async () => {
      const version = await call('GET', '/v1/admin/version').catch(() => undefined);
      return version?.status === 200 && version.body.pid !== before.pid;
    });
    await until('writes again', () => acknowledged.length > atRestart + 100);
    isOver = true;
    await Promise.all(writers);
    // A 503 says when to try again; nothing else is answered to a write that is not taken.
    expect([...others].filter((status) => status !== 503)).toEqual([]);
    const kept = new Set<string>();
    for (let cursor = ''; ;) {
      const { body } = await call(
        'GET',
        `/v1/facts/list?limit=1000&entity_prefix=load:${cursor && `&cursor=${cursor}`}`,
      );
      for (const { fact_id } of body.facts) kept.add(fact_id);
      if (!body.has_more) break;
      cursor = body.next_cursor;
    }
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    const receipt = `/v1/receipts/${restart.body.receipt_id}/verification?tenant_id=default`;
    expect((await call('GET', receipt)).body.verified).toBe(true);
    expect(
      svc.log.some((line) => line.app === 'supervisor' && line['child'] === 'daemon' && line['how'] === 'code 0'),
    ).toBe(true);
  },
);
