import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONSOLE_PATHS } from '../../../src/common/http/console-origins.js';
import { send } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

const SCRIPT = `export const greeting = ${JSON.stringify('hello '.repeat(400))};\n`;
const INDEX = `<!doctype html><html lang="en"><head><link rel="icon" href="./favicon.svg">
<link rel="stylesheet" crossorigin href="./assets/index-3f9a.css">
<script type="module" crossorigin src="./assets/index-1c2d.js"></script></head><body><a href="#/receipts">Receipts</a></body></html>`;

let folder: string;
let daemon: TestDaemon;
let off: TestDaemon;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-console-'));
  mkdirSync(join(folder, 'assets'));
  const files: Record<string, string> = {
    'index.html': INDEX,
    'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'secret.txt': 'not a file of the console',
    'assets/index-1c2d.js': SCRIPT,
    'assets/index-3f9a.css': 'body { margin: 0 }',
    'assets/text-77.woff2': 'wOF2',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const env = {
    SVCD_CONSOLE_DIR: folder,
    SVCD_ROUTE_AUTH: 'enforce',
    SVCD_CONSOLE_ALLOWED_ORIGINS: 'https://ok.example',
  };
  daemon = await startDaemon({ env });
  off = await startDaemon({ env: { ...env, SVCD_CONSOLE_ENABLED: '0' }, database: daemon.database });
});
afterAll(async () => {
  await off.close();
  await daemon.close();
  rmSync(folder, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(daemon.url + path, { headers: { 'accept-encoding': 'identity', ...headers }, redirect: 'manual' });
/** As it was sent: fetch() undoes the coding of an answer. */
const coded = (path: string, coding: string): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> =>
  new Promise((resolve, reject) => {
    const sent = request(daemon.url + path, { headers: { 'accept-encoding': coding }, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => resolve({ headers: answer.headers, body: Buffer.concat(parts) }));
    });
    sent.once('error', reject).end();
  });

describe('the page of the console', () => {
  it('is answered at /console, with addresses that hold without a slash at its end', async () => {
    const answer = await get('/console');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await answer.text();
    expect(html.match(/(?:src|href)="[^"]*"/g)).toEqual([
      'href="./console/favicon.svg"',
      'href="./console/assets/index-3f9a.css"',
      'src="./console/assets/index-1c2d.js"',
      'href="#/receipts"',
    ]);
  });

  it('runs and asks nothing of others, and is shown in no frame', async () => {
    const { headers } = await get('/console');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toContain('camera=()');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is asked for again each time, and not sent twice', async () => {
    const { headers } = await get('/console');
    expect(headers.get('cache-control')).toBe('no-cache');
    const again = await get('/console', { 'if-none-match': headers.get('etag')! });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await get('/console', { 'if-none-match': '"another"' })).status).toBe(200);
  });

  it.each(['/console/', '/console/index.html'])('%s leads to it, behind a proxy with a path too', async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get('location')]).toEqual([308, '../console']);
    const behind = new URL(answer.headers.get('location')!, `https://example.org/svc${path}`);
    expect(behind.pathname).toBe('/svc/console');
  });
});

describe('the files of the console', () => {
  it('have the type of their names, and are kept for ever', async () => {
    const typeOf = async (name: string) => {
      const { status, headers } = await get(`/console/assets/${name}`);
      return [status, headers.get('content-type'), headers.get('cache-control')];
    };
    const forever = 'public, max-age=31536000, immutable';
    expect(await typeOf('index-1c2d.js')).toEqual([200, 'text/javascript; charset=utf-8', forever]);
    expect(await typeOf('index-3f9a.css')).toEqual([200, 'text/css; charset=utf-8', forever]);
    expect(await typeOf('text-77.woff2')).toEqual([200, 'font/woff2', forever]);
    const icon = await get('/console/favicon.svg');
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });

  it('come compressed to whoever takes it', async () => {
    const plain = await (await get('/console/assets/index-1c2d.js')).text();
    expect(plain).toBe(SCRIPT);
    for (const [coding, decompress] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { headers, body } = await coded('/console/assets/index-1c2d.js', coding);
      expect([headers['content-encoding'], headers.vary]).toEqual([coding, 'origin, accept-encoding']);
      expect(body.length).toBeLessThan(SCRIPT.length / 4);
      expect(decompress(body).toString()).toBe(SCRIPT);
    }
    expect((await coded('/console/assets/index-1c2d.js', 'br;q=0, gzip;q=0.5')).headers['content-encoding']).toBe(
      'gzip',
    );
    expect((await coded('/console/assets/text-77.woff2', 'br')).headers['content-encoding']).toBeUndefined();
  });

  it.each([
    '/console/assets/nothing.js',
    '/console/assets/..%2fsecret.txt',
    '/console/assets/%2e%2e%2findex.html',
    '/console/secret.txt',
    '/console/assets/',
  ])('are those of the build alone: %s is none', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it('answer HEAD as they answer GET', async () => {
    const answer = await fetch(`${daemon.url}/console/assets/index-3f9a.css`, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'text/css; charset=utf-8',
      '',
    ]);
  });
});

describe('each of the six addresses', () => {
  const paths = CONSOLE_PATHS.map((path) => path.replace(':file', 'index-1c2d.js'));

  it.each(paths)('%s may be read from the allowed origins alone', async (path) => {
    const allowed = async (origin: string) => (await get(path, { origin })).headers.get('access-control-allow-origin');
    expect(await allowed('https://ok.example')).toBe('https://ok.example');
    expect(await allowed('https://other.example')).toBeNull();
  });

  it.each(paths)('%s is not there while SVCD_CONSOLE_ENABLED is off', async (path) => {
    const { status, body } = await send(off.url, 'GET', path);
    expect([status, body.code, body.flag]).toEqual([404, 'FLAG_OFF', 'SVCD_CONSOLE_ENABLED']);
  });
});

describe('GET /console/config.json', () => {
  it('says how to sign in and what is switched off, and holds no secret', async () => {
    const { status, headers, body, text } = await send(daemon.url, 'GET', '/console/config.json');
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toMatchObject({
      auth_mode: 'dev_scopes',
      route_auth: 'enforce',
      is_session_accepted: true,
      oidc: null,
      dev_scopes: expect.arrayContaining(['admin:write', 'facts:read', 'agent_brief:pro']),
    });
    expect(body.switched_off).toContainEqual(
      expect.objectContaining({ feature: 'incidents', app: 'daemon', setting: 'SVCD_FEATURE_INCIDENTS', value: '1' }),
    );
    expect(body.switched_off).toContainEqual(expect.objectContaining({ app: 'api', setting: 'FEATURE_SELF_SIGNUP' }));
    expect(body.switched_off.map(({ feature }: { feature: string }) => feature)).not.toContain('console');
    expect(text).not.toMatch(/password|postgres|-----BEGIN/i);
  });
});
