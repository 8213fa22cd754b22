import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { ServerSecret } from '../../../src/common/sessions/server-secret.js';
import { makeNonce, RANDOM_BYTES } from '../../../src/modules/operations/system/nonce.rules.js';
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
    const states = await Promise.all(Array.from({ length: 20 }, () => spend(body.nonce)));
    expect(states.sort()).toEqual([...Array.from({ length: 19 }, () => 'spent'), 'taken']);
    const kept = await owner.query<{ found: string }>(`select encode(nonce_hash, 'hex') as found from sync_nonce`);
    expect(kept.rows).toHaveLength(1);
    expect(kept.rows[0]!.found).not.toBe(Buffer.from(body.nonce, 'base64url').toString('hex'));
  });

  it('knows no nonce that it did not give', async () => {
    for (const nonce of ['', 'x', 'A'.repeat(43), 'A'.repeat(10_000)]) expect(await spend(nonce)).toBe('unknown');
  });

  it('lets a nonce expire', async () => {
    const key = await daemon.app.get(ServerSecret, { strict: false }).keyFor('sync nonces');
    const of = (age: number) => makeNonce(key, Date.now() / 1000 - age, randomBytes(RANDOM_BYTES));
    expect([await spend(of(10)), await spend(of(121))]).toEqual(['taken', 'expired']);
  });

  it('keeps none for who asks for many, so that nobody is refused one, and clears away those that were used', async () => {
    await owner.query(
      `truncate sync_nonce; insert into sync_nonce select sha256(n::text::bytea), now() + interval '1 minute' from generate_series(1, 10000) n`,
    );
    const asked = await Promise.all(Array.from({ length: 20 }, issue));
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await owner.query('select from sync_nonce')).rowCount).toBe(10_000);
    await owner.query(`update sync_nonce set expires_at = now() - interval '1 second'`);
    expect(await spend(asked[0]!.body.nonce)).toBe('taken');
    expect((await owner.query('select from sync_nonce')).rowCount).toBe(9_501);
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
