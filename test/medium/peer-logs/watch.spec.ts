import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { peerLogsCheck } from '../../../src/cli/doctor/outside-checks.js';
import { OPERATOR } from '../../../src/common/evidence-log/audit-trail.js';
import type { Query } from '../../../src/common/tenancy/cross-tenant.js';
import { copyOf, type TestDatabase } from '../../kit/database.js';
import { TestPeer, until } from '../../kit/peers.js';
import { freePort } from '../../kit/free-port.js';

/** As docs/peer-logs.md sets it up: `b` is named in SVC_WITNESSES of `a`, and has pinned it with its address. */
describe('a witness that nobody asks to look', { timeout: 240_000 }, () => {
  let a: TestPeer;
  let b: TestPeer;
  let older: TestDatabase;
  let twin: TestPeer | undefined;
  beforeAll(async () => {
    b = await TestPeer.start('b.example/log');
    a = await TestPeer.start('a.example/log', {
      SVC_WITNESSES: `${await b.witnessKey()}@${b.prefix}`,
      // The older copy answers at the address of the one whose place it takes.
      SVCD_HTTP_PORT: String(await freePort()),
    });
    await b.pin(a);
  }, 240_000);
  afterAll(async () => {
    await twin?.stop();
    await Promise.all([a.database.drop(), b.close(), older.drop()]);
  });

  const seen = async () => (await b.acts.list())[0]!;
  const askedAt = async () =>
    (await b.database.query<{ asked_at: Date | null }>('select asked_at from peer_log'))[0]!.asked_at;
  const ask: Query = async <Row>(sql: string) => b.database.query<Row & object>(sql);
  const isState = (state: string) => until(async () => (await seen()).state === state);
  async function incidents(): Promise<{ title: string }[]> {
    return (await b.daemon.call('GET', '/v1/incidents?tenant_id=default')).body.cases;
  }

  it('looks at a log when it has its address', async () => {
    await until(async () => (await askedAt()) !== null && (await seen()).head !== null);
    expect((await seen()).state).toBe('ok');
  });

  it('notices a log that was set back by the head that it is asked to sign', async () => {
    await a.grow(2);
    await a.stop();
    older = await copyOf(a.database);
    await a.open();
    await a.grow(12);
    const size = await a.size();
    await until(async () => (await seen()).head!.size >= size);
    await a.stop();
    twin = await a.twin(older);
    await twin.grow();
    await isState('rolled_back');
    await expect(peerLogsCheck(ask).run()).rejects.toThrow('a.example/log/1 (rolled_back)');
    expect((await seen()).reason).toContain('leaves when it was asked');
    await until(async () => (await incidents()).length === 1);
  });

  it('notices that it went on another way once it has more leaves', async () => {
    await b.acts.clear(OPERATOR, { log: 'a.example/log', reason: 'to see', isForgotten: false });
    expect(await peerLogsCheck(ask).run()).toContain('in order');
    await twin!.grow(24);
    await isState('split');
    expect((await seen()).reason).toContain('does not extend');
    await until(async () => (await incidents()).length === 2);
  });
});

describe('a log that was set back and does not grow', { timeout: 240_000 }, () => {
  it('is noticed by the look that comes after minutes', async () => {
    const [a, b] = await Promise.all([
      TestPeer.start('a.example/log', { SVCD_HTTP_PORT: String(await freePort()) }),
      TestPeer.start('b.example/log'),
    ]);
    await a.stop();
    const older = await copyOf(a.database);
    await a.open();
    await a.grow(3);
    await b.pin(a);
    const seen = async () => (await b.acts.list())[0]!;
    await until(async () => (await seen()).head !== null);
    await a.stop();
    const twin = await a.twin(older);
    try {
      // What the clock does otherwise.
      await b.database.query(`update peer_log set asked_at = asked_at - interval '5 minutes'`);
      await until(async () => (await seen()).state === 'rolled_back');
    } finally {
      await twin.stop();
      await Promise.all([a.database.drop(), older.drop(), b.close()]);
    }
  });
});
