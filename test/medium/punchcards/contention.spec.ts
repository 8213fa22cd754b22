import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doOverlap, storedResource } from '../../../src/modules/coordination/punchcards/resources.rules.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_PUNCHCARD: 'enforce', SVCD_RATE_LIMIT_RPS: '0' } });
});
afterAll(() => daemon.close());

const CALLERS = 64;
const PLACES = [
  'src/*',
  'src/a',
  'src/**/b',
  'src/a/b',
  '**/*.ts',
  'src/a/x.ts',
  'test',
  'test/*',
  'test/?',
  'test/b',
  '*/b',
];

interface Spell {
  resource: string;
  mode: string;
  holder_passport: string;
  acquired: number;
  ended: number;
}

const agent = (n: number, tenant: string) =>
  daemon.as({ passport: `agent-${n}`, tenant, scopes: 'facts:read facts:write' });

describe('64 callers', () => {
  it('never hold what conflicts at the same time', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: CALLERS }, async (_, n) => {
        const statuses: number[] = [];
        for (let round = 0; round < 6; round += 1) {
          const resource = PLACES[(n * 7 + round * 3) % PLACES.length]!;
          const mode = (n + round) % 4 === 0 ? 'read' : 'write';
          const call = agent(n, 'busy');
          const { status, body } = await call('POST', '/v1/punchcards/acquire', { resource, mode });
          statuses.push(status);
          if (status === 200) expect((await call('POST', '/v1/punchcards/release', { id: body.id })).status).toBe(200);
        }
        return statuses;
      }),
    );
    const statuses = outcomes.flat();
    expect(new Set(statuses)).toEqual(new Set([200, 409]));
    // By the number of the transaction-ordered receipts: what one acquired before another of the same tenant released.
    const spells = await daemon.database.query<Spell>(
      `select l.subject as resource, l.mode, l.holder_passport, a.seq::int as acquired, e.seq::int as ended
       from lease l join receipt a on a.receipt_id = l.receipt_acquire join receipt e on e.receipt_id = l.receipt_end
       where l.tenant_id = 'busy'`,
    );
    expect(spells).toHaveLength(statuses.filter((status) => status === 200).length);
    const wrong = spells.flatMap((a) => spells.filter((b) => areTogether(a, b) && doConflict(a, b)).map((b) => [a, b]));
    expect(wrong).toEqual([]);
  });

  it('get one punchcard where they are one holder', async () => {
    const call = agent(0, 'alone');
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, () => call('POST', '/v1/punchcards/acquire', { resource: 'src' })),
    );
    expect(new Set(answers.map(({ body }) => body.fence)).size).toBe(1);
    expect(answers.filter(({ body }) => !body.reentrant)).toHaveLength(1);
  });

  it('get one winner for one file', async () => {
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, (_, n) => agent(n, 'race')('POST', '/v1/punchcards/acquire', { resource: 'a' })),
    );
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    const names = answers.filter(({ status }) => status === 409).map(({ body }) => body.conflicts[0].id);
    expect(new Set(names)).toEqual(new Set([winners[0]!.body.id]));
  });
});

const areTogether = (a: Spell, b: Spell) => a.acquired < b.acquired && b.acquired < a.ended;

const doConflict = (a: Spell, b: Spell) =>
  a.holder_passport !== b.holder_passport &&
  (a.mode === 'write' || b.mode === 'write') &&
  doOverlap(storedResource(a.resource), storedResource(b.resource));
