import 'reflect-metadata';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { pino } from 'pino';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WriteLimit } from '../../../src/common/tenancy/write-limit.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { MIGRATIONS } from '../../../src/migrations/index.js';
import { applyFunctions } from '../../../src/migrations/sql-functions.js';
import { IndexStore } from '../../../src/modules/knowledge/retrieval/index/index.store.js';
import { VectorsStore } from '../../../src/modules/knowledge/retrieval/vectors/vectors.store.js';
import { MemoryEmbeddingStore } from '../../../src/modules/memory/vectors/memory-embedding.store.js';
import { FACT_KIND } from '../../../src/modules/memory/vectors/memory-kinds.js';
import { MemoryVectorsStore } from '../../../src/modules/memory/vectors/memory-vectors.store.js';
import { freePort } from '../../kit/free-port.js';

/** A PostgreSQL with the extension, over its wire protocol, on one connection that becomes the application's role. */
let database: PGlite;
let server: PGLiteSocketServer;
let source: DataSource;
let tenancy: Tenancy;
let vectors: VectorsStore;

const DIMENSIONS = 8;
const MODEL = 'test-8';
const CHUNKS = 400;

/** Points on a curve: neighbours in number are neighbours in angle. */
function pointOf(i: number): Float32Array {
  const values = Array.from({ length: DIMENSIONS }, (_, d) => Math.cos(((d + 1) * i) / CHUNKS));
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}

beforeAll(async () => {
  database = await PGlite.create({ extensions: { vector } });
  const port = await freePort();
  server = new PGLiteSocketServer({ db: database, host: '127.0.0.1', port });
  await server.start();
  source = await new DataSource({
    type: 'postgres',
    host: '127.0.0.1',
    port,
    username: 'postgres',
    database: 'postgres',
    ssl: false,
    poolSize: 1,
    migrations: MIGRATIONS,
  }).initialize();
  await source.runMigrations({ transaction: 'each' });
  await applyFunctions(source, { hasMigrated: true });
  await source.query('set role svc_app');
  tenancy = new Tenancy(source, true, new WriteLimit(1, 5_000), pino({ level: 'silent' }));
  vectors = new VectorsStore(tenancy);
});
afterAll(async () => {
  await source.destroy();
  await server.stop();
  await database.close();
});

/** Chunks of one tenant with their vectors; of every `step`th point of the curve. */
async function given(tenantId: string, corpusId: string, step: number): Promise<string> {
  return tenancy.run(tenantId, async () => {
    const index = new IndexStore(tenancy);
    const shard = await index.advance({ corpusId, shareability: 'owner_only', language: 'english' });
    const numbers = Array.from({ length: CHUNKS / step }, (_, i) => i * step);
    await tenancy.query(
      `insert into chunk (tenant_id, chunk_id, corpus_id, doc_id, version, ordinal, start_offset, end_offset, heading_path, content,
         content_hash, shareability, language, day)
       select $1, id, $2, id, 1, 0, 0, 1, '{}', 'text', decode(repeat('00', 32), 'hex'), 'owner_only', 'english', 0 from unnest($3::text[]) c(id)`,
      [tenantId, corpusId, numbers.map((i) => `${corpusId}-${i}`)],
    );
    const rows = numbers.map((i) => ({ chunkId: `${corpusId}-${i}`, vector: pointOf(i) }));
    await vectors.record(shard, MODEL, rows);
    return shard.shardId;
  });
}

describe('the pgvector backend', () => {
  it('is found where the extension is', async () => {
    expect(await vectors.hasPgvector()).toBe(true);
  });

  it('answers in full under a filter that almost nothing passes, nearest first', async () => {
    await vectors.ensureIndex(DIMENSIONS);
    await given('acme', 'crowd', 1);
    const rare = await given('acme', 'rare', 40);
    const near = await vectors.findNearest('acme', [rare], { model: MODEL, vector: pointOf(100) }, 5);
    expect(near.map(({ chunkId }) => chunkId)).toEqual(['rare-80', 'rare-120', 'rare-40', 'rare-160', 'rare-0']);
    expect(near[0]!.similarity).toBeGreaterThan(near[4]!.similarity);
    expect(near.every(({ ownerTenantId }) => ownerTenantId === 'acme')).toBe(true);
  });

  it('shows another tenant nothing, and a withdrawn chunk to nobody', async () => {
    const shard = await given('acme', 'mine', 100);
    const query = { model: MODEL, vector: pointOf(100) };
    expect(await vectors.findNearest('umbrella', [shard], query, 5)).toEqual([]);
    await tenancy.run('acme', () => vectors.withdraw(['mine-100']));
    const left = await vectors.findNearest('acme', [shard], query, 5);
    expect(left.map(({ chunkId }) => chunkId).sort()).toEqual(['mine-0', 'mine-200', 'mine-300']);
  });
});

describe('vectors of facts with pgvector', () => {
  const READER = { tenantId: 'acme', principal: 'ada', seesAll: false, withReserved: false };
  const OF = { spaceId: 1, kind: 'fact' };

  /** Facts of which every tenth is Bob's alone; neighbours in number are neighbours in angle. */
  async function givenFacts(count: number, dimensions: number): Promise<(i: number) => Float32Array> {
    const vectorOf = (i: number): Float32Array => {
      const values = new Float32Array(dimensions);
      values[0] = Math.cos(i / count);
      values[dimensions - 1] = Math.sin(i / count);
      return values;
    };
    const store = new MemoryEmbeddingStore(tenancy);
    await tenancy.run('acme', async () => {
      await tenancy.query(
        `insert into fact (tenant_id, seq, fact_id, chain, version, visibility, owner, entity, key, value, actor, confidence, horizon_class, tokens, stored_at)
         select 'acme', i, gen_random_uuid(), sha256(i::text::bytea), 1, case when i % 10 = 0 then 1 else 0 end, case when i % 10 = 0 then 'bob' else '' end,
           'e', i::text, 'v', 'a', 1, 'durable', 1, now() from generate_series(1, $1::int) i`,
        [count],
      );
      const embedded = Array.from({ length: count }, (_, i) => ({ id: String(i + 1), vector: vectorOf(i + 1) }));
      expect(await store.record(FACT_KIND, 1, { from: 0, to: count }, { embedded, emptied: ['7'] })).toBe(true);
      // Another process that begins at the same position comes too late.
      expect(await store.record(FACT_KIND, 1, { from: 0, to: count }, { embedded, emptied: [] })).toBe(false);
      await store.ensureIndex(dimensions);
    });
    return vectorOf;
  }

  it('beyond 2,000 dimensions are indexed as halfvec, and masked before they are limited', async () => {
    const vectorOf = await givenFacts(60, 2500);
    const [index] = await source.query<{ indexdef: string }[]>(
      `select indexdef from pg_indexes where indexname = 'memory_vector_2500'`,
    );
    expect(index!.indexdef).toContain('halfvec_cosine_ops');
    const store = new MemoryVectorsStore(tenancy);
    const near = await store.findNearest(READER, OF, vectorOf(9), 3);
    // 7 was retired, and 10 is Bob's.
    expect(near.map(({ itemId }) => itemId)).toEqual(['9', '8', '11']);
    expect((await store.findNearest({ ...READER, principal: 'bob' }, OF, vectorOf(10), 1))[0]!.itemId).toBe('10');
    expect(await store.findNearest({ ...READER, tenantId: 'umbrella' }, OF, vectorOf(10), 5)).toEqual([]);
  });
});
