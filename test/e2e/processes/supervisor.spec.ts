import { execFileSync } from 'node:child_process';
import { mkdtempSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRunning, removeDataDir, SvcProcess, until } from './svc-process.js';

let dataDir: string;
let svc: SvcProcess;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-e2e-'));
  svc = await SvcProcess.start(dataDir);
});
afterAll(async () => {
  await svc.stop();
  removeDataDir(dataDir);
});

describe('svc start', { timeout: 120_000 }, () => {
  it('says where everything is, shows the key once and keeps it for the owner alone', async () => {
    await until('the welcome', () => svc.console.includes('/v1/retrieve'));
    const { tenant_id, api_key } = svc.credentials;
    expect(tenant_id).toBe('default');
    for (const shown of [`${svc.url}/docs`, `${svc.url}/readyz`, join(dataDir, 'credentials.json'), api_key])
      expect(svc.console).toContain(shown);
    for (const file of ['credentials.json', 'curl-headers.txt'])
      expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(svc.log)).not.toContain(api_key);
  });

  it('prints commands that work as printed', () => {
    const [ingest, retrieve] = svc.console
      .split('\n')
      .filter((line) => line.includes('curl -sS'))
      .map((command) => JSON.parse(execFileSync('sh', ['-c', command], { encoding: 'utf8' })));
    expect(ingest).toMatchObject({ status: expect.stringMatching(/^(queued|processing|completed)$/) });
    expect(retrieve.results[0]).toMatchObject({ docId: 'hello', corpusId: 'notes' });
  });

  it('starts an api process again that was killed', async () => {
    const killed = svc.apiPid;
    process.kill(killed, 'SIGKILL');
    await until('another api process', () => svc.apiPid !== killed);
    await until('readiness', async () => (await svc.readiness()) === 200);
    const ended = svc.log.find((line) => line.app === 'supervisor' && line['how'] === 'SIGKILL');
    expect(ended).toMatchObject({ level: 'warn', child: 'api', how: 'SIGKILL', wait_ms: 250 });
  });

  it('starts PostgreSQL again that was killed, while the api process stays', async () => {
    const [postgres, api] = [svc.postgresPid, svc.apiPid];
    process.kill(postgres, 'SIGKILL');
    await until('unreadiness', async () => (await svc.readiness()) === 503);
    await until('readiness', async () => (await svc.readiness()) === 200);
    expect(svc.postgresPid).not.toBe(postgres);
    expect(svc.apiPid).toBe(api);
  });

  it('keeps tenant and key over a restart, and shows the key no second time', async () => {
    const before = svc.credentials;
    expect(await svc.stop()).toBe(0);
    svc = await SvcProcess.start(dataDir);
    await until('the welcome', () => svc.console.includes('/v1/retrieve'));
    expect(svc.credentials).toEqual(before);
    expect(svc.console).not.toContain(before.api_key);
  });

  it('answers the request in flight on SIGTERM, refuses new ones, and leaves nothing running', async () => {
    const [postgres, api] = [svc.postgresPid, svc.apiPid];
    const request = sendHalf(svc.port);
    await sleep(200);
    svc.kill('SIGTERM');
    await until('the closed port', async () => (await svc.readiness()) === 0);
    expect(await request.finish()).toMatch(/^HTTP\/1\.1 401 /);
    expect(await svc.stop()).toBe(0);
    expect(svc.log.filter((line) => line.app === 'api').at(-1)).toMatchObject({ msg: 'stopped' });
    expect([postgres, api].filter(isRunning)).toEqual([]);
    svc = await SvcProcess.start(dataDir);
  });

  it('recovers from kill -9 of the supervisor: its api process ends, the next start finds or restarts the database', async () => {
    const orphan = svc.apiPid;
    svc.kill('SIGKILL');
    const next = await SvcProcess.start(dataDir);
    svc = next;
    await until('the end of the orphan', () => !isRunning(orphan));
    expect(await svc.readiness()).toBe(200);
  });

  it('refuses a port that is taken, with the remedy', async () => {
    const other = SvcProcess.start(dataDir, { environment: { SVC_API_PORT: String(svc.port) } });
    await expect(other).rejects.toThrow(`Port ${svc.port} of 127.0.0.1 is in use`);
    expect(await svc.readiness()).toBe(200);
  });
});

/** Opens a request and holds back the end of its body. */
function sendHalf(port: number): { finish(): Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  const body = JSON.stringify({ query: 'anything' });
  const head = ['POST /v1/retrieve HTTP/1.1', 'host: localhost', 'content-type: application/json'];
  socket.write(`${head.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  return {
    finish: () => {
      socket.write(body.slice(5));
      return new Promise((resolve, reject) => socket.once('error', reject).once('close', () => resolve(answer)));
    },
  };
}
