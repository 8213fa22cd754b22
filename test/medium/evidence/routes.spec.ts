import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../../../src/common/config/settings.js';
import { apiOptions } from '../../../src/apps/api-options.js';
import { CoreModule } from '../../../src/apps/core.module.js';
import { parseCheckpoint, verifyCheckpoint } from '../../../src/evidence/checkpoint.js';
import { blake3Digest, digestBytes } from '../../../src/evidence/digest.js';
import { EvidenceService } from '../../../src/common/evidence-log/evidence.service.js';
import { KeyRing } from '../../../src/common/evidence-log/key-ring.js';
import { LogSequencer } from '../../../src/common/evidence-log/log-sequencer.js';
import { openEpoch } from '../../../src/evidence/log-epoch.js';
import { logLeafHash } from '../../../src/evidence/log-entry.js';
import { leafHash, verifyConsistency, verifyInclusion } from '../../../src/evidence/merkle.js';
import { parseNoteVerifierKey } from '../../../src/evidence/signed-note.js';
import { hashOfRange, TileSet } from '../../../src/evidence/tiles.js';
import { parseTrustedKeys } from '../../../src/evidence/trusted-keys.js';
import { makeHttpServer } from '../../../src/common/http/http-server.js';
import { OwnHosts } from '../../../src/common/http/own-hosts.js';
import { makeLog } from '../../../src/common/observability/log.js';
import { Metrics } from '../../../src/common/observability/metrics.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { PublicLogModule } from '../../../src/modules/knowledge/public-log/public-log.module.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { sampleEvent } from './evidence-app.js';

/** The first leaf is the record of the epoch. */
const RECEIPTS = 299;

describe('the public log', () => {
  let database: TestDatabase;
  let app: NestFastifyApplication;
  let url: string;
  let dataDir: string;
  /** Of the log: the receipts, and those of the server itself. */
  let size: number;

  beforeAll(async () => {
    database = await freshDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'svc-tlog-'));
    const settings = loadSettings({
      NODE_ENV: 'test',
      SVC_DATA_DIR: dataDir,
      SVC_LOG_LEVEL: 'silent',
      SVC_JOBS: 'false',
    });
    const parts = {
      settings,
      address: { ownerUrl: database.url },
      log: makeLog(settings, 'api'),
      metrics: new Metrics(),
    };
    app = await NestFactory.create<NestFastifyApplication>(
      { module: class TestModule {}, imports: [CoreModule.of(parts, apiOptions(parts)), PublicLogModule] },
      makeHttpServer({ ...settings.api, ownHosts: new OwnHosts(settings, settings.api) }, parts),
      { bodyParser: false, logger: false, abortOnError: false },
    );
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
    await app
      .get(Tenancy)
      .run('acme', () =>
        app.get(EvidenceService).recordMany(Array.from({ length: RECEIPTS }, (_, n) => sampleEvent(n))),
      );
    await app.get(LogSequencer).integrate();
    const [row] = await database.query<{ count: string }>('select count(*) from receipt');
    size = Number(row?.count);
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const get = (path: string): Promise<Response> => fetch(url + path);
  const bytes = async (path: string): Promise<Uint8Array> => new Uint8Array(await (await get(path)).arrayBuffer());
  const json = async (path: string): Promise<any> => (await get(path)).json();

  it('serves a checkpoint that the published key signed', async () => {
    const response = await get('/tlog/checkpoint');
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
    const checkpoint = parseCheckpoint(await response.text());
    expect([checkpoint.origin, checkpoint.size]).toEqual(['svc.local/log/1', size]);
    const keys = await json('/.well-known/jwks.json');
    const { active, forExports, logSigners } = app.get(KeyRing);
    const form = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA' };
    expect(keys).toEqual({ keys: keys.keys.map((jwk: object) => ({ ...jwk, ...form })), log: keys.log });
    expect(parseTrustedKeys(JSON.stringify(keys)).map(({ key }) => key.kid)).toEqual(
      expect.arrayContaining([active, forExports, ...logSigners].map(({ kid }) => kid)),
    );
    expect(keys.log.verifier_keys).toHaveLength(1);
    expect(verifyCheckpoint(checkpoint, parseNoteVerifierKey(keys.log.verifier_keys[0]).key)).toBe(true);
    expect(await json('/v1/auth/keys')).toEqual(keys);
  });

  it('serves tiles whose hashes make the root, and entries that hash to them', async () => {
    const [full, partial, upper] = await Promise.all(
      ['0/000', `0/001.p/${size - 256}`, '1/000.p/1'].map((p) => bytes(`/tlog/tile/${p}`)),
    );
    expect([full?.length, partial?.length, upper?.length]).toEqual([8192, (size - 256) * 32, 32]);
    const tiles = new TileSet([
      { level: 0, index: 0, hashes: full ?? new Uint8Array() },
      { level: 0, index: 1, hashes: partial ?? new Uint8Array() },
      { level: 1, index: 0, hashes: upper ?? new Uint8Array() },
    ]);
    const { root } = parseCheckpoint(await (await get('/tlog/checkpoint')).text());
    expect(Buffer.compare(hashOfRange({ start: 0, end: size }, tiles), root)).toBe(0);
    const bundle = Buffer.from(await bytes(`/tlog/tile/entries/001.p/${size - 256}`));
    const length = bundle.readUInt16BE(0);
    const entry = bundle.subarray(2, 2 + length);
    expect(entry.toString()).toMatch(/^svc-log-entry-v1:execution:blake3:[0-9a-f]{64}$/);
    expect(Buffer.compare(leafHash(entry), (partial ?? new Uint8Array()).subarray(0, 32))).toBe(0);
    expect(bundle.length).toBe((size - 256) * (2 + length));
    expect((await get('/tlog/tile/0/000')).headers.get('cache-control')).toContain('immutable');
    expect((await get('/tlog/tile/0/000')).headers.get('content-type')).toBe('application/octet-stream');
  });

  it('keeps earlier partial tiles readable', async () => {
    const early = await bytes('/tlog/tile/0/000.p/7');
    const now = await bytes('/tlog/tile/0/000');
    expect(Buffer.compare(early, now.subarray(0, 7 * 32))).toBe(0);
  });

  it.each([
    '0/002',
    '0/001',
    '0/001.p/255',
    '2/000',
    '0/000.p/256',
    '0/1',
    '00/000',
    'entries/001',
    'x',
    '0/000/000',
    '%2e%2e/0',
  ])('answers 404 for the tile %s', async (path) => {
    const response = await get(`/tlog/tile/${path}`);
    expect(response.status).toBe(404);
    expect(response.headers.get('cache-control')).toBeNull();
  });

  it('proves inclusion by record and by leaf', async () => {
    const [row] = await database.query<{ cose: Buffer }>(
      `select cose from receipt where tenant_id = 'acme' and seq = 3`,
    );
    const record = blake3Digest(row?.cose ?? '');
    const proof = await json(`/tlog/proof/inclusion?record=${record}`);
    const path = proof.path.map((digest: string) => digestBytes('sha256', digest));
    const { root } = parseCheckpoint(proof.checkpoint);
    const leaf = proof.leaf_index;
    expect(verifyInclusion(logLeafHash('execution', digestBytes('blake3', record)), leaf, size, path, root)).toBe(true);
    expect(await json(`/tlog/proof/inclusion?leaf=${leaf}`)).toEqual(proof);
    expect((await json('/tlog/proof/inclusion?leaf=2&size=3')).path).toHaveLength(1);
  });

  it('lists its epochs, each with the record that is its first leaf', async () => {
    const { epochs } = await json('/tlog/epochs');
    const checkpoint = await (await get('/tlog/checkpoint')).text();
    const record = expect.any(String);
    expect(epochs).toEqual([{ epoch: 1, origin: 'svc.local/log/1', previous_origin: null, record, checkpoint }]);
    const cose = Buffer.from(epochs[0].record, 'base64');
    const { receipt, ...epoch } = openEpoch(cose);
    expect([epoch.origin, receipt.payload.tenant_id]).toEqual(['svc.local/log/1', 'svc/server']);
    const proof = await json(`/tlog/proof/inclusion?record=${blake3Digest(cose)}`);
    expect([proof.leaf_index, proof.tree_size]).toEqual([0, size]);
  });

  it('proves consistency between any two sizes', async () => {
    const proof = await json('/tlog/proof/consistency?from=7');
    const path = proof.path.map((digest: string) => digestBytes('sha256', digest));
    const tile = await bytes('/tlog/tile/0/000.p/7');
    const old = hashOfRange({ start: 0, end: 7 }, new TileSet([{ level: 0, index: 0, hashes: tile }]));
    expect(verifyConsistency({ size: 7, root: old }, parseCheckpoint(proof.checkpoint), path)).toBe(true);
    expect((await json('/tlog/proof/consistency?from=7&to=7')).path).toEqual([]);
  });

  it.each([
    ['/tlog/proof/inclusion', 400],
    ['/tlog/proof/inclusion?leaf=1&record=blake3:00', 400],
    ['/tlog/proof/inclusion?leaf=-1', 400],
    ['/tlog/proof/inclusion?leaf=1e99', 400],
    ['/tlog/proof/inclusion?leaf=9007199254740993', 404],
    ['/tlog/proof/inclusion?leaf=900', 404],
    ['/tlog/proof/inclusion?leaf=0&size=901', 400],
    [`/tlog/proof/inclusion?record=blake3:${'0'.repeat(64)}`, 404],
    ['/tlog/proof/consistency', 400],
    ['/tlog/proof/consistency?from=901', 400],
    ['/tlog/proof/consistency?from=5&to=4', 400],
  ])('answers %s with %i', async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });
});
