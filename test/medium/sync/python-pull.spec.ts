import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { makePeer } from '../../kit/peer.js';
import { type Item, Replica } from './given.js';

const PROGRAM = join(import.meta.dirname, '../../../examples/sync/pull.py');
const canRun = spawnSync('python3', ['-c', 'import cryptography']).status === 0;

describe.skipIf(!canRun)('examples/sync/pull.py', () => {
  /** One for the owner of the memory, and one that takes peers alone. */
  let daemon: TestDaemon;
  let guarded: TestDaemon;
  let folder: string;
  const snake = makePeer();
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-pull-'));
    writeFileSync(join(folder, 'peer.pem'), snake.key.export({ format: 'pem', type: 'pkcs8' }));
    daemon = await startDaemon({ env: { SVCD_FEATURE_LEGAL_HOLD: '1' }, tenants: ['acme', 'copy'] });
    guarded = await startDaemon({ env: { SVCD_SYNC_MUTUAL_AUTH: '1' }, database: daemon.database });
  });
  afterAll(async () => {
    await guarded.close();
    await daemon.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function pull(...more: string[]): Promise<Item[]> {
    const given = [PROGRAM, guarded.url, 'acme', join(folder, 'peer.pem'), ...more];
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
    const { stdout } = await promisify(execFile)('python3', given, { env, maxBuffer: 2 ** 26 });
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Item);
  }

  it('pulls all that its row opens, verified, and another tenant takes it as it is', async () => {
    const acme = new Replica(daemon, 'acme');
    for (let n = 0; n < 1_200; n++)
      await acme.ok('PUT', '/v1/facts', {
        entity: `team:${n % 7}`,
        key: `k${n}`,
        value: `Ünïcode ${n}`,
        confidence: 0.1,
      });
    await acme.ok('PUT', '/v1/facts', { entity: 'secret:x', key: 'k', value: 'out of reach' });
    await acme.ok('PUT', '/v1/entities/team/a', { payload: { size: 1e21, share: 1.5e-7, nested: [null, true, ''] } });
    await acme.ok('POST', '/v1/legal-holds', { tenant_id: 'acme', reason: 'Matter 1', entity_prefixes: ['team:3'] });
    const gone = await acme.ok<{ fact_id: string }>('PUT', '/v1/facts', { entity: 'team:x', key: 'k', value: 'v' });
    // What was deleted before sync begins was never there for others.
    await acme.manifest();
    await acme.ok('DELETE', `/v1/facts/${gone.fact_id}`);
    const row = { tenant_id: 'acme', peer_id: 'snake', public_key: snake.publicKey, direction: 'push' };
    await acme.ok('POST', '/v1/sync/peers', { ...row, entity_prefixes: ['team:'] });

    const { signature } = (await acme.manifest()) as unknown as { signature: { kid: string } };
    const items = await pull('--kid', signature.kid);
    const counted = items.reduce<Record<string, number>>(
      (counts, { collection }) => ({ ...counts, [collection]: (counts[collection] ?? 0) + 1 }),
      {},
    );
    expect(counted).toEqual({ holds: 1, tombstones: 1, entities: 1, facts: 1_200 });
    expect(JSON.stringify(items)).not.toContain('out of reach');
    const copy = new Replica(daemon, 'copy');
    await copy.take(items);
    const { collections } = await copy.manifest();
    expect(collections.map(({ name, count }) => [name, count])).toEqual(
      ['holds', 'tombstones', 'entities', 'edges', 'facts', 'relations', 'cases'].map((name) => [
        name,
        counted[name] ?? 0,
      ]),
    );
  });

  it('ends with the reason where it is refused, or another key signs', async () => {
    await expect(pull('--kid', 'another')).rejects.toThrow('not by another');
    const acme = new Replica(daemon, 'acme');
    await acme.ok('DELETE', '/v1/sync/peers/snake');
    await expect(pull()).rejects.toThrow('PEER_REVOKED');
  });
});
