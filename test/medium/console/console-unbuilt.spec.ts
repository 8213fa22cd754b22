import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

const started: TestDaemon[] = [];
const start = async (env: Record<string, string>) => {
  const daemon = await startDaemon({ env: { SVCD_ROUTE_AUTH: 'enforce', ...env }, database: started[0]?.database });
  started.push(daemon);
  return daemon;
};
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await start({ SVCD_CONSOLE_ALLOWED_ORIGINS: '*,null,ftp://x,http://ok' });
});
afterAll(async () => {
  for (const one of started.reverse()) await one.close();
});

describe('GET /console where the console was not built', () => {
  it('is one page that loads nothing from anywhere else', async () => {
    const { status, headers, text } = await send(daemon.url, 'GET', '/console');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*connect-src 'self'/);
    expect(text).toContain('npm run build');
    expect(text).not.toMatch(/https?:\/\/|\/\/[a-z]/i);
    expect(text.match(/(src|href)="[^"]*"/g)).toEqual([
      'href="data:,"',
      'href="docs"',
      'href="metrics"',
      'href="v1/openapi.json"',
    ]);
  });

  it('may be read from the pages of the allowed origins alone', async () => {
    const allowed = async (origin: string) =>
      (await send(daemon.url, 'GET', '/console', undefined, { origin })).headers.get('access-control-allow-origin');
    expect(await allowed('http://ok')).toBe('http://ok');
    for (const origin of ['null', 'ftp://x', 'http://ok.example', '*']) expect(await allowed(origin)).toBeNull();
  });

  it('is not there while SVCD_CONSOLE_ENABLED is off', async () => {
    const off = await start({ SVCD_CONSOLE_ENABLED: '0' });
    const { status, body } = await send(off.url, 'GET', '/console');
    expect([status, body.code, body.flag]).toEqual([404, 'FLAG_OFF', 'SVCD_CONSOLE_ENABLED']);
    expect(body.detail).toContain('SVCD_CONSOLE_ENABLED');
  });
});
