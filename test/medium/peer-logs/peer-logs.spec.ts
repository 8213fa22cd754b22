import { rmSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enterNextEpoch } from '../../../src/cli/archive/next-epoch.js';
import { OPERATOR } from '../../../src/common/evidence-log/audit-trail.js';
import { parseCheckpoint } from '../../../src/evidence/checkpoint.js';
import { findCosignature, parseWitnessKey } from '../../../src/evidence/cosignature.js';
import { parseNote } from '../../../src/evidence/signed-note.js';
import { PeerExchange } from '../../../src/modules/evidence/peer-logs/peer-exchange.service.js';
import { PeerLogKeyUnknown } from '../../../src/modules/evidence/peer-logs/peer-logs.problems.js';
import { copyOf, type TestDatabase } from '../../kit/database.js';
import { TestPeer, until } from '../../kit/peers.js';

const PEER = { tenantId: 'default', peerId: 'peer' };
const stopsWith = (state: string) => expect.objectContaining({ facts: expect.objectContaining({ state }) });

/** Of the readiness of a server. */
async function gate({ url }: TestPeer): Promise<{ ok: boolean; detail: string }> {
  const { checks } = (await (await fetch(`${url}/readyz`)).json()) as {
    checks: { gate: string; ok: boolean; detail: string }[];
  };
  return checks.find((check) => check.gate === 'control_evidence_ok')!;
}

async function incidents({ daemon }: TestPeer): Promise<any[]> {
  const { body } = await daemon.call('GET', '/v1/incidents?tenant_id=default');
  return body.cases;
}

describe('the log of a peer', () => {
  let a: TestPeer;
  let b: TestPeer;
  beforeAll(async () => {
    [a, b] = await Promise.all([TestPeer.start('a.example/log'), TestPeer.start('b.example/log')]);
    await b.pin(a);
    await a.pin(b);
  }, 120_000);
  afterAll(() => Promise.all([a.close(), b.close()]));

  const linesOn = async (peer: TestPeer) =>
    parseNote((await peer.head()).checkpoint).signatures.map(({ name }) => name);

  it('is looked at, cosigned, and gets the line; so does the one of the server that looks', async () => {
    const seen = await b.look();
    expect(seen).toMatchObject({ origin: 'a.example/log/1', reason: null, notTaken: null, notCosigned: null });
    const cosigned = parseNote(seen.checkpoint + seen.line!);
    expect(findCosignature(cosigned, parseWitnessKey(await b.witnessKey()))?.line.name).toBe('b.example/log/1/witness');
    // Until nothing that was done before makes the logs grow any more.
    await until(async () => {
      await b.look();
      return (await linesOn(a)).length + (await linesOn(b)).length === 4;
    });
    expect(await linesOn(a)).toEqual(['a.example/log/1', 'b.example/log/1/witness']);
    expect(await linesOn(b)).toEqual(['b.example/log/1', 'a.example/log/1/witness']);
  });

  it('costs one request where nothing has changed', async () => {
    const asked: string[] = [];
    const send: typeof fetch = (input, init) => {
      asked.push(input as string);
      return fetch(input, init);
    };
    await until(async () => {
      asked.length = 0;
      await b.daemon.app.get(PeerExchange, { strict: false }).exchange(PEER, { send });
      return asked.length === 1;
    });
    expect(asked[0]).toContain('/v1/witness/checkpoint?origin=');
  });

  it('takes lines of witnesses alone that a peer is, and under its own heads', async () => {
    const hand = async (body: object) => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${a.prefix}/cosignatures`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
    };
    const [own, others] = [await a.head(), await b.head()];
    const { witness, statements } = others;
    expect(await hand({ checkpoint: own.checkpoint, witness: own.witness, statements: own.statements })).toBe(403);
    expect(await hand({ checkpoint: own.checkpoint, witness: own.witness, statements })).toBe(403);
    expect(await hand({ checkpoint: 'nonsense', witness, statements })).toBe(400);
    expect(await hand({ checkpoint: own.checkpoint, witness: 'nonsense', statements })).toBe(400);
    expect(await hand({ checkpoint: own.checkpoint })).toBe(400);
    const bare = own.checkpoint.replace(/\u2014 b[^\n]*\n/, '');
    expect(await hand({ checkpoint: bare, witness, statements })).toBe(422);
    const seen = await b.look();
    const line = seen.line!;
    expect(
      await hand({
        checkpoint: bare.replace('\n\n', '\n\n' + line.replace('b.example', 'c.example')),
        witness,
        statements,
      }),
    ).toBe(422);
    expect(await hand({ checkpoint: seen.checkpoint + line, witness, statements })).toBe(200);
    expect(await hand({ checkpoint: others.checkpoint, witness, statements })).toBe(422);
  });

  it('may grow', async () => {
    const before = await b.look();
    await a.grow(3);
    const after = await b.look();
    expect(after.size).toBeGreaterThanOrEqual(before.size + 3);
    await b.logs.expectExchange(PEER);
  });

  it('is known by its first key also after its keys were rotated', async () => {
    const { rotateSigningKeys } = await import('../../../src/common/evidence-log/rotate-signing-key.js');
    const { loadSettings } = await import('../../../src/common/config/settings.js');
    const settings = loadSettings({ NODE_ENV: 'test', ...a.settings, SVC_DATA_DIR: a.daemon.dataDir });
    const { active } = await rotateSigningKeys(settings, { ownerUrl: a.database.url }, { overlapSeconds: 1 });
    await until(async () => {
      const [head] = await a.database.query<{ kid: string }>('select kid from log_head');
      return head?.kid === active.log;
    });
    await a.grow();
    expect((await b.look()).line).not.toBeNull();
  });

  it('is refused when no trusted key signed it, or it is of another log', async () => {
    const head = await a.head();
    const shown = { from: 0, proof: [] };
    const misnamed = [b.firstKey.replace('b.example/log', 'c.example/log')];
    await expect(b.pin(a, { peerId: 'unknown', keys: misnamed })).rejects.toThrow('key id');
    const other = await TestPeer.start('c.example/log');
    try {
      await b.pin(other, { peerId: 'other' });
      const mixed = { ...shown, origin: head.origin, checkpoint: head.checkpoint };
      await expect(b.logs.observe({ ...PEER, peerId: 'other' }, mixed)).rejects.toThrow('The log of the peer is');
      const own = (await other.head()).checkpoint;
      const forged = { ...shown, origin: 'c.example/log/1', checkpoint: own.replace(/\n\n\u2014 .*/s, '') };
      const line = parseCheckpoint(head.checkpoint).note.signatures[0]!;
      const text = `${forged.checkpoint}\n\n\u2014 c.example/log/1 ${Buffer.concat([line.keyId, line.signature]).toString('base64')}\n`;
      const observed = b.logs.observe({ ...PEER, peerId: 'other' }, { ...forged, checkpoint: text });
      await expect(observed).rejects.toBeInstanceOf(PeerLogKeyUnknown);
      await b.logs.expectExchange({ ...PEER, peerId: 'other' });
      expect(await b.logs.unpin(OPERATOR, { ...PEER, peerId: 'other' })).toBe(true);
    } finally {
      await other.close();
    }
  }, 60_000);

  it('of a name that this server has itself is watched and not cosigned', async () => {
    const double = await TestPeer.start('b.example/log');
    try {
      await b.pin(double, { peerId: 'double' });
      const seen = await b.look('double');
      expect(seen).toMatchObject({ line: null, reason: expect.stringContaining('SVC_LOG_ORIGIN') });
      expect(await b.logs.unpin(OPERATOR, { ...PEER, peerId: 'double' })).toBe(true);
    } finally {
      await double.close();
    }
  }, 60_000);
});

describe('a log that is restored from a backup', () => {
  let a: TestPeer;
  let b: TestPeer;
  const made: { database: TestDatabase; peer?: TestPeer }[] = [];
  beforeAll(async () => {
    [a, b] = await Promise.all([TestPeer.start('a.example/log'), TestPeer.start('b.example/log')]);
    await b.pin(a);
  }, 120_000);
  afterAll(async () => {
    for (const { database, peer } of made) {
      await peer?.stop();
      await database.drop();
      if (peer) rmSync(peer.folder, { recursive: true, force: true });
    }
    await Promise.all([a.close(), b.close()]);
  });

  /** A server over a copy of the database as it was, which has entered the next epoch as `svc restore` does. */
  async function restored(database: TestDatabase, newest: string | undefined, of = a): Promise<TestPeer> {
    const client = new Client({ connectionString: database.superuserUrl });
    await client.connect();
    const given = newest && { source: 'a file', text: newest, checkpoint: parseCheckpoint(newest) };
    const known = { given: given || undefined, kept: [], origins: [], isWithout: given === undefined };
    await client.query('begin');
    await enterNextEpoch(client, known);
    await client.query('commit');
    await client.end();
    const peer = await of.twin(database);
    made.push({ database, peer });
    return peer;
  }

  it('and says so goes on, as another origin, and what was lost is receipted', async () => {
    await a.grow(2);
    await a.stop();
    const [first, second] = [await copyOf(a.database), await copyOf(a.database)];
    await a.open();
    await b.pin(a);
    await a.grow(4);
    const before = await b.look();
    const honest = await restored(first, before.checkpoint);
    await b.pin(honest);
    const after = await b.look();
    expect(after).toMatchObject({ origin: 'a.example/log/2', reason: null });
    await b.logs.expectExchange(PEER);
    const [event] = await b.database.query<{ data: object }>(
      `select data from outbox_event where kind = 'peer_log.restored'`,
    );
    expect(event!.data).toMatchObject({ previousOrigin: 'a.example/log/1', origin: 'a.example/log/2' });
    expect((event!.data as { lostLeaves: number }).lostLeaves).toBeGreaterThanOrEqual(4);
    // The same as a witness: the log of a server that forgot what it cosigned vouches for another key.
    expect(await honest.witnessKey()).toMatch(/^a.example\/log\/2\/witness\+/);
    await honest.grow();
    expect((await b.look()).line).not.toBeNull();

    // Another restore, which knows nothing of the first: it takes the same number.
    const ignorant = await restored(second, undefined);
    await ignorant.grow(4);
    await b.pin(ignorant);
    await expect(b.look()).rejects.toEqual(stopsWith('split'));
  }, 120_000);

  it('and hides how far it had gone is noticed', async () => {
    const c = await TestPeer.start('c.example/log');
    made.push({ database: c.database, peer: c });
    await c.grow();
    await c.stop();
    const copy = await copyOf(c.database);
    await c.open();
    const early = (await c.head()).checkpoint;
    await b.pin(c, { peerId: 'c' });
    await c.grow(5);
    await b.look('c');
    const twin = await restored(copy, early, c);
    await b.pin(twin, { peerId: 'c' });
    await expect(b.look('c')).rejects.toEqual(stopsWith('rolled_back'));
  }, 120_000);
});

describe('a log that does not only grow', () => {
  let a: TestPeer;
  let b: TestPeer;
  let copy: TestDatabase | undefined;
  beforeAll(async () => {
    [a, b] = await Promise.all([TestPeer.start('a.example/log'), TestPeer.start('b.example/log')]);
    await b.pin(a);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([a.close(), b.close()]);
    await copy?.drop();
  });

  /** The database of a as it is now. */
  async function copyA(): Promise<TestDatabase> {
    await a.stop();
    const made = await copyOf(a.database);
    await a.open();
    await b.pin(a);
    return made;
  }

  it('is noticed as rolled back, with an incident and a gate that fails until it is cleared', async () => {
    await a.grow(2);
    copy = await copyA();
    await a.grow(5);
    const before = await b.look();
    const old = await a.twin(copy);
    try {
      await b.pin(old);
      await expect(b.look()).rejects.toEqual(stopsWith('rolled_back'));
      await expect(b.logs.expectExchange(PEER)).rejects.toEqual(stopsWith('rolled_back'));
      await expect(b.look()).rejects.toEqual(stopsWith('rolled_back'));
      const [incident, ...others] = await incidents(b);
      expect([others, incident.severity, incident.status]).toEqual([[], 'high', 'open']);
      expect(incident.title).toContain('Log of peer peer: a.example/log/1 had');
      expect(incident.notes).toContain(before.checkpoint);
      await until(async () => !(await gate(b)).ok);
      expect((await gate(b)).detail).toContain('a.example/log/1 (rolled_back)');
      expect((await a.daemon.call('GET', '/readyz')).status).toBe(200);
    } finally {
      await old.stop();
    }
    await b.pin(a);
    const cleared = await b.acts.clear(OPERATOR, { log: 'a.example/log', reason: 'a copy', isForgotten: false });
    expect(cleared).toMatchObject([{ state: 'rolled_back' }]);
    await b.logs.expectExchange(PEER);
    await until(async () => (await gate(b)).ok);
    expect((await b.look()).size).toBe(before.size);
    const kinds = await b.database.query<{ kind: string; actor: string }>(
      `select kind, actor from receipt where stream = 'peer-logs' order by seq`,
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['peer_log.rolled_back', 'peer_log.cleared']));
    await expect(b.acts.clear(OPERATOR, { log: 'a.example/log', reason: 'x', isForgotten: false })).rejects.toThrow();
  }, 120_000);

  it('is noticed as split where two databases go on from one, and is not cosigned under that origin any more', async () => {
    const forked = await copyA();
    try {
      await a.grow(2);
      await b.look();
      const twin = await a.twin(forked);
      try {
        await twin.grow(6);
        await b.pin(twin);
        await expect(b.look()).rejects.toEqual(stopsWith('split'));
        await until(async () => !(await gate(b)).ok);
        expect((await incidents(b)).length).toBe(2);
        await b.acts.clear(OPERATOR, { log: 'a.example/log/1', reason: 'the copy is the one', isForgotten: true });
        const seen = await b.look();
        expect(seen).toMatchObject({ line: null, reason: expect.stringContaining('not cosigned any more') });
        await twin.grow();
        expect((await b.look()).line).toBeNull();
        await until(async () => (await gate(b)).ok);
      } finally {
        await twin.stop();
      }
    } finally {
      await forked.drop();
    }
  }, 120_000);
});
