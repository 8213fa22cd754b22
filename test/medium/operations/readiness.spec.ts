import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send, startApi, type TestApi } from '../../kit/app.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { startTools, type TestTools } from '../../kit/tools.js';

let database: TestDatabase;
let directory: string;
let api: TestApi;
let tools: TestTools;
const open = new Set<Socket>();

/** The database under a unix socket of our own. */
const socket = createServer((client) => {
  const { hostname, port, searchParams } = new URL(database.url.replace('@/', '@localhost/'));
  const given = searchParams.get('host');
  const server = given
    ? connect(join(given, `.s.PGSQL.${searchParams.get('port') ?? 5432}`))
    : connect(+port, hostname);
  for (const end of [client, server]) open.add(end.on('error', () => end.destroy()));
  client.pipe(server).pipe(client);
});

beforeAll(async () => {
  database = await freshDatabase();
  directory = mkdtempSync(join(tmpdir(), 'svc-socket-'));
  await new Promise<void>((resolve) => socket.listen(join(directory, '.s.PGSQL.5432'), resolve));
  const { username, pathname } = new URL(database.url.replace('@/', '@localhost/'));
  const url = `postgresql://${username}@${pathname}?host=${directory}`;
  const env = { SVC_DATABASE_CONNECT_TIMEOUT_MS: '2000' };
  api = await startApi({ database: { ...database, url }, env });
  tools = await startTools(api, { env });
});
afterAll(async () => {
  await tools.close();
  await api.close();
  await database.drop();
  rmSync(directory, { recursive: true });
});

it('reports to anyone that the database cannot be reached, and to nobody where its socket is', async () => {
  socket.close();
  for (const end of open) end.destroy();
  for (const { url } of [api, tools]) {
    await expect.poll(async () => (await send(url, 'GET', '/readyz')).status, { timeout: 20_000 }).toBe(503);
    const { text, body } = await send(url, 'GET', '/readyz');
    expect(body.checks.readyz.reason).toMatch(/^database: the database cannot be reached/);
    expect(text).not.toMatch(/\.s\.PGSQL|ENOENT|ECONN|\/tmp|svc-socket/);
  }
});
