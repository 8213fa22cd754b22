import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { NonceService } from '../../../src/modules/operations/system/nonce.service.js';
import { send } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
let owner: Client;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_ROUTE_AUTH: 'enforce' } });
  owner = new Client({ connectionString: daemon.database.superuserUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await daemon.close();
});
const issue = () => send(daemon.url, 'POST', '/v1/sync/handshake/nonce');
const spend = (nonce: string) => daemon.app.get(NonceService, { strict: false }).spend(nonce);

describe('POST /v1/sync/handshake/nonce', () => {
  it('gives anyone a nonce that works once, and keeps only its digest', async () => {
    const { status, body, headers } = await issue();
    expect([status, body, headers.get('cache-control')]).toEqual([
      200,
      {
        nonce: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        ttl_seconds: 120,
      },
      'no-store',
    ]);
    const kept = await owner.query<{ found: string }>(`select encode(nonce_hash, 'hex') as found from sync_nonce`);
    expect(kept.rows.map(({ found }) => found)).not.toContain(Buffer.from(body.nonce, 'base64url').toString('hex'));
    const states = await Promise.all(Array.from({ length: 20 }, () => spend(body.nonce)));
    expect(states.sort()).toEqual([...Array.from({ length: 19 }, () => 'spent'), 'taken']);
  });

  it('knows no nonce that it did not give', async () => {
    for (const nonce of ['', 'x', 'A'.repeat(43), 'A'.repeat(10_000)]) expect(await spend(nonce)).toBe('unknown');
  });

  it('lets a nonce expire, and clears it away', async () => {
    const { nonce } = (await issue()).body;
    await owner.query(`update sync_nonce set expires_at = now() - interval '1 second'`);
    expect(await spend(nonce)).toBe('expired');
    await owner.query(
      `insert into sync_nonce select sha256(n::text::bytea), now() - interval '1 hour' from generate_series(1, 400) n`,
    );
    await issue();
    expect((await owner.query('select from sync_nonce')).rowCount).toBe(1);
  });

  it('answers 503 while 10,000 are open, and goes on when they expire', async () => {
    await owner.query(
      `insert into sync_nonce select sha256(n::text::bytea), now() + interval '1 minute' from generate_series(1, 10000) n`,
    );
    const refused = await issue();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    await owner.query(`update sync_nonce set expires_at = now() - interval '1 second'`);
    expect((await issue()).status).toBe(200);
  });

  it('lets no role of the product write its table, and only the operator read the digests', async () => {
    const tried = async (role: 'svc_app' | 'svc_operator', statement: string) => {
      const client = new Client(daemon.database.urlAs(role));
      await client.connect();
      try {
        return await client.query(statement).then(
          () => 'allowed',
          (error: Error) => error.message,
        );
      } finally {
        await client.end();
      }
    };
    expect(await tried('svc_app', 'select * from sync_nonce')).toMatch(/permission denied/);
    expect(await tried('svc_operator', 'select * from sync_nonce')).toBe('allowed');
    for (const role of ['svc_app', 'svc_operator'] as const)
      expect(await tried(role, 'delete from sync_nonce')).toMatch(/permission denied/);
  });
});
