import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCheckpoint } from '../../../src/evidence/checkpoint.js';
import { findCosignature, parseWitnessKey } from '../../../src/evidence/cosignature.js';
import { emptyRoot, leafHash, nodeHash } from '../../../src/evidence/merkle.js';
import { noteVerifierKey, parseNote } from '../../../src/evidence/signed-note.js';
import { SigningKey } from '../../../src/evidence/signing-key.js';
import { writeWitnessRequest } from '../../../src/evidence/witness-request.js';
import { OPERATOR } from '../../../src/common/evidence-log/audit-trail.js';
import { TestPeer, until } from '../../kit/peers.js';
import { signCheckpoint, signNote } from '../../kit/signed-forms.js';

/** A log of four leaves, of which all heads and proofs are known; for some tests forked after the second leaf. */
const leaves = ['one', 'two', 'three', 'four', 'other'].map((text) => leafHash(Buffer.from(text)));
const [one, two, three, four, other] = leaves as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];
const pair = nodeHash(one, two);
const ROOTS = [emptyRoot(), one, pair, nodeHash(pair, three), nodeHash(pair, nodeHash(three, four))] as const;

let b: TestPeer;
beforeAll(async () => {
  b = await TestPeer.start('b.example/log');
}, 120_000);
afterAll(() => b.close());

let logs = 0;
/** A log of its own, pinned by its own key, as that of any server of C2SP is. */
async function givenLog() {
  logs += 1;
  const origin = `stock-${logs}.example/log`;
  const key = SigningKey.generate();
  const peerId = `stock-${logs}`;
  const verifierKeys = [noteVerifierKey(origin, key.publicKey.bytes)];
  await b.logs.pin(OPERATOR, { tenantId: 'default', peerId, verifierKeys });
  const headOf = (size: number, root: Uint8Array = ROOTS[size]!) => signCheckpoint(origin, { size, root }, key);
  const add = (from: number, proof: readonly Uint8Array[], checkpoint: string) =>
    send(writeWitnessRequest({ from, proof, checkpoint }));
  return { origin, key, peerId, headOf, add };
}

async function send(body: string | Uint8Array<ArrayBuffer>) {
  const response = await fetch(`${b.prefix}/add-checkpoint`, { method: 'POST', body });
  const text = await response.text();
  return { status: response.status, type: response.headers.get('content-type'), text };
}

describe('POST add-checkpoint', () => {
  it('answers the line of the witness over each head that extends the last one', async () => {
    const { origin, headOf, add } = await givenLog();
    const steps: [number, number, Uint8Array[]][] = [
      [0, 1, []],
      [1, 2, [two]],
      [2, 3, [three]],
      [3, 3, []],
      [3, 4, [three, four, pair]],
    ];
    for (const [from, size, proof] of steps) {
      const { status, text, type } = await add(from, proof, headOf(size));
      expect([from, size, status, type]).toEqual([from, size, 200, 'text/plain; charset=utf-8']);
      const note = parseNote(headOf(size) + text);
      const found = findCosignature(note, parseWitnessKey(await b.witnessKey()))!;
      expect(Math.abs(found.seconds - Date.now() / 1000)).toBeLessThan(600);
    }
    const hash = createHash('sha256').update(origin).digest('hex');
    const monitored = parseCheckpoint(await (await fetch(`${b.prefix}/${hash}/checkpoint`)).text());
    expect(monitored.note.signatures.map(({ name }) => name)).toEqual([origin, 'b.example/log/1/witness']);
    expect(monitored.size).toBe(4);
    expect((await fetch(`${b.prefix}/${'0'.repeat(64)}/checkpoint`)).status).toBe(404);
    expect((await fetch(`${b.prefix}/x/checkpoint`)).status).toBe(400);
  });

  it('keeps a log without leaves, and lines that a log adds to its checkpoints', async () => {
    const { origin, key, add, headOf } = await givenLog();
    expect((await add(0, [], headOf(0))).status).toBe(200);
    const extended = signNote(`${origin}\n1\n${Buffer.from(one).toString('base64')}\nan extension\n`, origin, key);
    const { status, text } = await add(0, [], extended);
    expect(status).toBe(200);
    expect(findCosignature(parseNote(extended + text), parseWitnessKey(await b.witnessKey()))).toBeDefined();
  });

  it('refuses as C2SP says', async () => {
    const { origin, key, headOf, add } = await givenLog();
    const text = (size: number, name = origin) => `${name}\n${size}\n${Buffer.from(ROOTS[size]!).toString('base64')}\n`;
    const unknown = signNote(text(1, 'unknown.example/log'), 'unknown.example/log', key);
    const byAnother = signNote(text(3), origin, SigningKey.generate());
    expect((await add(0, [], headOf(2))).status).toBe(200);
    // The line of another head under this one.
    const badLine = headOf(3).split('\n\n')[0]! + '\n\n' + headOf(2).split('\n\n')[1]!;
    const cases: [string, Promise<{ status: number; type: string | null; text: string }>, number, string?][] = [
      ['no body', send(''), 400],
      ['no note', send('old 0\n\nnonsense\n'), 400],
      ['bytes that are no text', send(Uint8Array.of(0xff, 0xfe)), 400],
      ['another origin', add(0, [], unknown), 404],
      ['no line by a known key', add(2, [three], byAnother), 403],
      ['a line by a known key that does not hold', add(2, [three], badLine), 403],
      ['an old size past the checkpoint', add(2, [], headOf(1)), 400],
      ['another old size', add(1, [two], headOf(2)), 409, '2\n'],
      ['an old size of zero', add(0, [], headOf(3)), 409, '2\n'],
      ['a proof that does not lead there', add(2, [four], headOf(3)), 422],
      ['no proof', add(2, [], headOf(3)), 422],
      ['a proof where there is nothing to prove', add(2, [two], headOf(2)), 422],
    ];
    for (const [what, answer, status, size] of cases) {
      const found = await answer;
      expect([what, found.status]).toEqual([what, status]);
      if (size !== undefined) expect([found.type, found.text]).toEqual(['text/x.tlog.size', size]);
      else expect([what, found.type]).toEqual([what, 'application/problem+json']);
    }
    expect((await add(2, [three], headOf(3))).status).toBe(200);
    const first = await givenLog();
    expect((await first.add(0, [one], first.headOf(1))).status).toBe(422);
    expect((await first.add(0, [], first.headOf(0, one))).status).toBe(422);
    const large = await send(`old 0\n\n${'x'.repeat(64 * 1024)}`);
    expect(large.status).toBe(413);
  });

  it('takes a signature by an unknown key next to one by a known one', async () => {
    const { origin, key, add } = await givenLog();
    const text = `${origin}\n1\n${Buffer.from(one).toString('base64')}\n`;
    const both = signNote(text, origin, SigningKey.generate(), key);
    expect((await add(0, [], both)).status).toBe(200);
  });

  it('notices two heads of one size, and cosigns neither until an operator has looked at them', async () => {
    const { origin, peerId, headOf, add } = await givenLog();
    expect((await add(0, [], headOf(3))).status).toBe(200);
    expect((await add(3, [], headOf(3, nodeHash(pair, other)))).status).toBe(422);
    await expect(b.logs.expectExchange({ tenantId: 'default', peerId })).rejects.toThrow();
    expect((await add(3, [], headOf(3))).status).toBe(422);
    const { body } = await b.daemon.call('GET', '/v1/incidents?tenant_id=default');
    expect(body.cases.map((one: any) => one.title)).toContainEqual(expect.stringContaining(origin));
    await b.acts.clear(OPERATOR, { log: origin, reason: 'the first is the one', isForgotten: false });
    expect((await add(3, [three, four, pair], headOf(4))).status).toBe(200);
  });

  it('is not deceived by an old head, which anybody may send again', async () => {
    const { peerId, headOf, add } = await givenLog();
    await add(0, [], headOf(3));
    expect((await add(0, [], headOf(2))).status).toBe(409);
    expect((await add(2, [three], headOf(3))).status).toBe(409);
    expect((await add(3, [], headOf(2))).status).toBe(400);
    await b.logs.expectExchange({ tenantId: 'default', peerId });
  });

  it('of many requests from one size takes those that go together', async () => {
    const { origin, headOf, add } = await givenLog();
    await add(0, [], headOf(2));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        n % 2 === 0 ? add(2, [three], headOf(3)) : add(2, [nodeHash(three, four)], headOf(4)),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const others = answers.filter(({ status }) => status !== 200);
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([409]));
    const won = answers.findIndex(({ status }) => status === 200) % 2 === 0 ? 3 : 4;
    expect(new Set(others.map(({ text }) => text))).toEqual(new Set([`${won}\n`]));
    const log = (await b.acts.list()).find(({ name }) => name === origin)!;
    expect([log.head?.size, log.state]).toEqual([won, 'ok']);
  });

  it('asks a peer for its newest key and epoch, where a request is by one that is not known', async () => {
    const a = await TestPeer.start('a.example/log', {
      SVC_WITNESSES: `${await b.witnessKey()}@${b.prefix}`,
    });
    try {
      // Only its first key is pinned, which does not sign checkpoints.
      await b.pin(a, { peerId: 'a' });
      await until(async () =>
        parseNote((await a.head()).checkpoint).signatures.some(({ name }) => name.startsWith('b.')),
      );
    } finally {
      await a.close();
    }
  }, 120_000);
});
