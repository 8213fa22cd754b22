import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loginUrl, withConnection } from '../../../src/common/database/connection.js';
import { startEmbedded, type EmbeddedServer } from '../../../src/common/database/embedded/embedded.js';
import { migrate } from '../../../src/common/database/run-migrations.js';
import { startApi, type TestApi } from '../../kit/app.js';
import type { TestDatabase } from '../../kit/database.js';

/** Roles belong to the whole server, so that this one is not shared with other specs. */
let folder: string;
let server: EmbeddedServer;
let superuser: Client;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-roles-'));
  chmodSync(folder, 0o711); // for root: the server's user may pass through
  server = await startEmbedded({ dataDir: folder, throwAway: true, log: () => undefined });
  superuser = new Client(server.superuserUrl);
  await superuser.connect();
});
afterAll(async () => {
  await superuser.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const asOwner = async <Row extends object>(sql: string): Promise<Row[]> => {
  const owner = new Client(server.url);
  await owner.connect();
  try {
    return (await owner.query<Row>(sql)).rows;
  } finally {
    await owner.end();
  }
};

describe('the owner of the database', () => {
  it('gets the SQL that gives a missing right, and the migration leaves nothing half done', async () => {
    await superuser.query('alter role svc_owner nocreaterole');
    await expect(migrate({ ownerUrl: server.url })).rejects.toThrow(/create role svc_app login;\n {2}create role/);
    await superuser.query('create role svc_app login');
    await superuser.query('create role svc_operator login');
    await expect(migrate({ ownerUrl: server.url })).rejects.toThrow(/grant svc_app, svc_operator to "svc_owner";/);
    expect(await asOwner(`select from pg_tables where schemaname = 'public'`)).toEqual([]);
  });

  it('needs no more than what that SQL gives', async () => {
    await superuser.query('grant svc_app, svc_operator to svc_owner');
    const said: string[] = [];
    expect(await migrate({ ownerUrl: server.url }, (line) => said.push(line))).not.toEqual([]);
    // It may not end a membership that a superuser gave, nor alter roles: it says so.
    expect(said.join()).toContain('revoke svc_operator from "svc_owner"');
    await superuser.query('revoke svc_app, svc_operator from svc_owner');
    await superuser.query('alter role svc_owner createrole');
    await superuser.query('grant svc_app, svc_operator to svc_owner with admin option, inherit false, set false');
    await migrate({ ownerUrl: server.url });
  });

  it('who may make the roles keeps no way through row-level security', async () => {
    const url = server.url.replace('/svc?', '/second?');
    await asOwner('create database second');
    await migrate({ ownerUrl: url });
    await withConnection({ ownerUrl: url }, 'svc_operator', (client) =>
      client.query(`insert into tenant (tenant_id, tier) values ('acme', 'free')`),
    );
    const owner = new Client(url);
    await owner.connect();
    const { rows } = await owner.query('select * from tenant');
    await owner.end();
    expect(rows).toEqual([]);
    await expect(asOwner('set role svc_operator')).rejects.toThrow(/permission denied/);
  });
});

describe('a password', () => {
  const logIn = (appUrl?: string) =>
    withConnection({ ownerUrl, ...(appUrl && { appUrl }) }, 'svc_app', () => Promise.resolve('in'));
  const set = (password: string) => superuser.query(`alter role svc_app login password '${password}'`);
  const comment = async () =>
    (await superuser.query<{ c: string | null }>(`select shobj_description('svc_app'::regrole, 'pg_authid') as c`))
      .rows[0]!.c;
  let ownerUrl: string;
  let ownUrl: string;
  let hba: string;
  let before: string;

  /** The server of this spec asks for no password by default. */
  beforeAll(async () => {
    ownerUrl = server.url.replace(/\/\/svc_owner[^@]*@/, '//svc_owner:secret@');
    ownUrl = ownerUrl.replace('//svc_owner:secret@', '//svc_app:operator@');
    [hba] = (await superuser.query<{ hba_file: string }>('show hba_file')).rows.map((row) => row.hba_file) as [string];
    before = readFileSync(hba, 'utf8');
    const asks = ['local all svc_app scram-sha-256', 'host all svc_app all scram-sha-256'];
    writeFileSync(hba, [...asks, before].join('\n'));
    await superuser.query('select pg_reload_conf()');
    await vi.waitFor(() => expect(logIn()).rejects.toThrow('svc_app cannot log in'));
  });
  afterAll(async () => {
    writeFileSync(hba, before);
    await superuser.query('select pg_reload_conf()');
    await vi.waitFor(logIn);
  });

  it('that svc did not make is not replaced', async () => {
    await superuser.query('comment on role svc_app is null');
    await set('operator');
    await expect(migrate({ ownerUrl })).rejects.toThrow(
      /has one that svc did not make. Set SVC_DATABASE_APP_URL .* or run "svc migrate --replace-passwords"/,
    );
    expect(await logIn(ownUrl)).toBe('in');
  });

  it('that svc made is the next one after the address of the owner changed', async () => {
    const said: string[] = [];
    await migrate({ ownerUrl }, (line) => said.push(line), { replacesPasswords: true });
    expect(said.join()).toContain('svc_app has another password now');
    expect([await logIn(), await comment()]).toEqual(['in', 'svc made its password from the address of the owner']);
    await set('that was made from an earlier address');
    await migrate({ ownerUrl });
    expect(await logIn()).toBe('in');
  });

  it('that the operator set again is theirs', async () => {
    await set('operator');
    await migrate({ ownerUrl, appUrl: ownUrl });
    expect(await comment()).toBeNull();
    await expect(migrate({ ownerUrl })).rejects.toThrow('svc did not make');
    await migrate({ ownerUrl }, undefined, { replacesPasswords: true });
  });
});

describe('a connection', () => {
  const cases: [fault: string, spoil: string, mend: string, message: RegExp][] = [
    ['bypasses row-level security', 'alter role svc_app bypassrls', 'alter role svc_app nobypassrls', /bypassrls/],
    ['may make roles', 'alter role svc_app createrole', 'alter role svc_app nocreaterole', /createrole/],
    ['is a member', 'grant svc_operator to svc_app', 'revoke svc_operator from svc_app', /member of svc_operator/],
    ['starts as another', 'alter role svc_app set role svc_app2', 'alter role svc_app reset role', /acts as svc_app2/],
    [
      'owns a table',
      'alter table corruption_finding owner to svc_app',
      'alter table corruption_finding owner to svc_owner',
      /owns objects/,
    ],
  ];

  it.each(cases)('of a role that %s serves nothing', async (_fault, spoil, mend, message) => {
    if (spoil.includes('svc_app2')) await superuser.query('create role svc_app2; grant svc_app2 to svc_app');
    await superuser.query(spoil);
    const connecting = withConnection({ ownerUrl: server.url }, 'svc_app', () => Promise.resolve('served'));
    await expect(connecting).rejects.toThrow(message);
    await superuser.query(mend);
    if (spoil.includes('svc_app2')) await superuser.query('drop role svc_app2');
    await expect(withConnection({ ownerUrl: server.url }, 'svc_app', () => Promise.resolve('served'))).resolves.toBe(
      'served',
    );
  });

  it('of the owner, named as the address of the application, serves nothing', async () => {
    const address = { ownerUrl: server.url, appUrl: server.url };
    await expect(startApi({ database: databaseOf(server), address })).rejects.toThrow(
      'logged in as svc_owner, not as svc_app: let SVC_DATABASE_APP_URL name the login svc_app itself',
    );
  });

  it('of another database than the others serves nothing', async () => {
    const second = (role: 'svc_app' | 'svc_operator') => loginUrl(server.url.replace('/svc?', '/second?'), role);
    const addresses = { appUrl: second('svc_app'), operatorUrl: loginUrl(server.url, 'svc_operator') };
    await expect(migrate(addresses)).rejects.toThrow('the addresses lead to different databases');
    await expect(migrate({ ...addresses, ownerUrl: server.url })).rejects.toThrow(/^svc_app: .*different databases/);
  });

  it('compiles no statement, whatever the server is set to', async () => {
    await superuser.query(`alter database svc set jit = on`);
    const jit = await withConnection({ ownerUrl: server.url }, 'svc_app', async (client) => client.query('show jit'));
    expect(jit.rows).toEqual([{ jit: 'off' }]);
    await superuser.query(`alter database svc reset jit`);
  });
});

describe('readiness', { timeout: 60_000 }, () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi({ database: databaseOf(server) });
  });
  afterAll(() => api.app.close());

  it('ends when a role of the running server comes to be more than it may be', async () => {
    const readyz = async () => api.tenant.call('GET', '/readyz');
    expect((await readyz()).status).toBe(200);
    await superuser.query('grant svc_operator to svc_app');
    await expect.poll(async () => (await readyz()).status, { timeout: 5_000 }).toBe(503);
    expect((await readyz()).body.checks.readyz.reason).toContain('svc_app is a member of svc_operator');
    await superuser.query('revoke svc_operator from svc_app');
    await expect.poll(async () => (await readyz()).status, { timeout: 5_000 }).toBe(200);
  });
});

const databaseOf = ({ url, superuserUrl }: EmbeddedServer): TestDatabase => ({
  url,
  superuserUrl,
  urlAs: (role) => ({ connectionString: loginUrl(url, role) }),
  query: (sql, parameters) =>
    withConnection({ ownerUrl: url }, 'svc_operator', async (client) => (await client.query(sql, parameters)).rows),
  disconnect: () => Promise.resolve(),
  drop: () => Promise.resolve(),
});
