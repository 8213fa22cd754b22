import { execFileSync } from 'node:child_process';
import { mkdtempSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRunning, removeDataDir, SvcProcess, until } from './svc-process.js';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

let dataDir: string;
let svc: SvcProcess;
const start = () => SvcProcess.start(dataDir, { ownGroup: true });

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-e2e-'));
  svc = await start();
});
afterAll(async () => {
  await svc.stop();
  removeDataDir(dataDir);
});

describe('svc start', { timeout: 120_000 }, () => {
  it('says where everything is, shows the key once and keeps it for the owner alone', async () => {
    await until('the welcome', () => svc.console.includes('/v1/retrieve'));
    const { tenant_id, api_key, api_url, tools_url } = svc.credentials;
    expect([tenant_id, api_url, tools_url]).toEqual(['default', svc.url, svc.toolsUrl]);
    for (const shown of [`${svc.url}/docs`, `${svc.url}/readyz`, svc.toolsUrl]) expect(svc.console).toContain(shown);
    for (const shown of [join(dataDir, 'credentials.json'), api_key]) expect(svc.console).toContain(shown);
    for (const file of ['credentials.json', 'curl-headers.txt'])
      expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(svc.log)).not.toContain(api_key);
  });

  it('prints commands that work as printed', async () => {
    const [ingest, retrieve, call] = svc.console.split('\n').filter((line) => line.includes('curl -sS'));
    const run = (command: string | undefined) => JSON.parse(execFileSync('sh', ['-c', command!], { encoding: 'utf8' }));
    expect(run(ingest)).toMatchObject({ status: expect.stringMatching(/^(queued|processing|completed)$/) });
    await until('the document in search', () => run(retrieve).results.length > 0);
    expect(run(retrieve).results[0]).toMatchObject({ docId: 'hello', corpusId: 'notes' });
    expect(run(call).result.results[0]).toMatchObject({ docId: 'hello', corpusId: 'notes' });
  });

  it('starts an api process again that was killed', async () => {
    const killed = svc.apiPid;
    process.kill(killed, 'SIGKILL');
    await until('another api process', () => svc.apiPid !== killed);
    await until('readiness', async () => (await svc.readiness()) === 200);
    const ended = svc.log.find((line) => line.app === 'supervisor' && line['how'] === 'SIGKILL');
    expect(ended).toMatchObject({ level: 'warn', child: 'api', how: 'SIGKILL', wait_ms: 250 });
  });

  it('starts a tools process again that was killed, while the api process stays', async () => {
    const [killed, api] = [svc.toolsPid, svc.apiPid];
    process.kill(killed, 'SIGKILL');
    await until('another tools process', () => svc.toolsPid !== killed);
    await until('readiness', async () => (await svc.toolsReadiness()) === 200);
    expect([svc.apiPid, await svc.readiness()]).toEqual([api, 200]);
  });

  it('says that the tool service cannot work while the API behind it does not answer', async () => {
    const [api, tools] = [svc.apiPid, svc.toolsPid];
    process.kill(api, 'SIGSTOP');
    try {
      await until('unreadiness', async () => (await svc.toolsReadiness()) === 503);
      const summary = await (await fetch(`${svc.toolsUrl}/readyz`)).json();
      expect(summary).toMatchObject({ service: 'tools', status: 'degraded' });
      expect(JSON.stringify(summary)).toContain('api: the API behind it');
      expect((await fetch(`${svc.toolsUrl}/healthz`)).status).toBe(200);
    } finally {
      process.kill(api, 'SIGCONT');
    }
    await until('readiness', async () => (await svc.toolsReadiness()) === 200);
    expect([svc.apiPid, svc.toolsPid]).toEqual([api, tools]);
  });

  it('starts PostgreSQL again that was killed, while the processes stay', async () => {
    const [postgres, api, tools] = [svc.postgresPid, svc.apiPid, svc.toolsPid];
    process.kill(postgres, 'SIGKILL');
    await until('unreadiness', async () => (await svc.readiness()) === 503);
    await until('readiness', async () => (await svc.readiness()) === 200 && (await svc.toolsReadiness()) === 200);
    expect(svc.postgresPid).not.toBe(postgres);
    expect([svc.apiPid, svc.toolsPid]).toEqual([api, tools]);
  });

  it('keeps tenant and key over a restart, and shows the key no second time', async () => {
    const before = svc.credentials;
    expect(await svc.stop()).toBe(0);
    svc = await start();
    await until('the welcome', () => svc.console.includes('/v1/retrieve'));
    expect(svc.credentials).toEqual(before);
    expect(svc.console).not.toContain(before.api_key);
  });

  it.each([
    ['SIGTERM', () => svc.kill('SIGTERM')],
    ['SIGINT to all of its processes, as by Ctrl-C', () => svc.killGroup('SIGINT')],
  ] as const)('answers what is in flight on %s, refuses the rest, and leaves nothing running', async (_, stop) => {
    const running = [svc.postgresPid, svc.apiPid, svc.toolsPid];
    const toApi = await sendHalf(svc, svc.port, ['/v1/retrieve', { query: 'anything' }]);
    const toTools = await sendHalf(svc, svc.toolsPort, ['/rpc', { jsonrpc: '2.0', id: 1, method: 'tools/list' }]);
    stop();
    // The tool service first: its calls in flight still need the API.
    await until('the closed port of tools', async () => (await svc.toolsReadiness()) === 0);
    expect((await fetch(`${svc.url}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${svc.url}/readyz`)).json()).toMatchObject({
      checks: { readyz: { reason: 'shutting down' } },
    });
    expect(await toTools.finish()).toMatch(/^HTTP\/1\.1 200 /);
    await until('the closed port', async () => (await svc.readiness()) === 0);
    expect(await toApi.finish()).toMatch(/^HTTP\/1\.1 200 /);
    expect(await svc.untilEnded()).toBe(0);
    for (const app of ['api', 'tools'])
      expect(svc.log.filter((line) => line.app === app).at(-1)).toMatchObject({ msg: 'stopped' });
    expect(svc.log.filter((line) => line.app === 'supervisor' && line['level'] === 'warn')).toEqual([]);
    await until('the end of all', () => !running.some(isRunning));
    svc = await start();
  });

  it('recovers from kill -9 of the supervisor: its apps end, the next start finds or restarts the database', async () => {
    const orphans = [svc.apiPid, svc.toolsPid];
    svc.kill('SIGKILL');
    svc = await start();
    await until('the end of the orphans', () => !orphans.some(isRunning));
    expect(await svc.readiness()).toBe(200);
  });

  it('refuses a port that is taken, with the remedy', async () => {
    for (const [setting, port, pid] of [
      ['SVC_API_PORT', svc.port, svc.apiPid],
      ['SVC_TOOLS_PORT', svc.toolsPort, svc.toolsPid],
    ] as const) {
      const other = SvcProcess.start(dataDir, { environment: { [setting]: String(port) } });
      const holder = process.platform === 'linux' ? `process ${pid}, node` : 'is svc running already?';
      const remedy = `Port ${port} of 127.0.0.1 is in use (${holder}). Stop the other program, or set ${setting}.`;
      await expect(other).rejects.toThrow(remedy);
    }
    expect([await svc.readiness(), await svc.toolsReadiness()]).toEqual([200, 200]);
  });
});

describe('svc start with ports that may be any, and two processes for the tool service', { timeout: 120_000 }, () => {
  it('takes two free ports and prints them, and the two processes share theirs', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-e2e-'));
    const any = await SvcProcess.start(folder, { anyPorts: true, environment: { SVC_TOOLS_PROCESSES: '2' } });
    try {
      const bodies = [any.url, any.toolsUrl].map(async (url) => (await fetch(`${url}/readyz`)).json());
      expect(await Promise.all(bodies)).toMatchObject([{ service: 'api' }, { service: 'tools' }]);
      await until('the welcome', () => any.console.includes(any.url) && any.console.includes(any.toolsUrl));
      const ready = any.log.filter(({ app, msg }) => app === 'tools' && msg === 'ready');
      expect(ready.map(({ url }) => url)).toEqual([any.toolsUrl, any.toolsUrl]);
      const running = new Set(ready.map(({ pid }) => pid));
      expect(running.size).toBe(2);
      expect(await startsIn(any.toolsUrl)).toEqual(['1', '2']);
      expect(await startsIn(any.url)).toEqual([undefined]);
      const [gone] = ready.map(({ pid }) => pid);
      process.kill(gone!, 'SIGKILL');
      await until('its end', () => !isRunning(gone!));
      await until('readiness', async () => (await any.toolsReadiness()) === 200);
      await until('the metrics of both', async () => (await startsIn(any.toolsUrl)).length === 2);
    } finally {
      await any.stop();
      removeDataDir(folder);
    }
  });
});

/** The label `process` of each process in a scrape. */
async function startsIn(url: string): Promise<(string | undefined)[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text.match(/^# TYPE svc_build_info /gm)).toHaveLength(1);
  const starts = text.matchAll(/^process_start_time_seconds(?:\{process="(\d+)"\})? /gm);
  return [...starts].map(([, number]) => number);
}

interface HalfRequest {
  /** Sends the rest. @returns the answer, from its status line on */
  finish(): Promise<string>;
}

/**
 * Opens a request and holds back its body. Resolves when the server has taken it up: it then asks for the body (RFC
 * 9110, 10.1.1).
 */
async function sendHalf(
  { credentials }: SvcProcess,
  port: number,
  [path, content]: [string, object],
): Promise<HalfRequest> {
  const socket = connect(port, '127.0.0.1');
  const body = JSON.stringify(content);
  const { tenant_id, api_key } = credentials;
  const key = [`x-tenant-id: ${tenant_id}`, `x-api-key: ${api_key}`];
  const head = [`POST ${path} HTTP/1.1`, 'host: localhost', 'content-type: application/json', ...key];
  socket.write(`${head.join('\r\n')}\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  await until('the request in flight', () => answer === CONTINUE);
  return {
    finish: () => {
      socket.write(body);
      return new Promise((resolve, reject) =>
        socket.once('error', reject).once('close', () => resolve(answer.slice(CONTINUE.length))),
      );
    },
  };
}
