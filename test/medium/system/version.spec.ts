import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../../src/migrations/index.js';
import { send } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_ROUTE_AUTH: 'enforce', SVCD_PUBLIC_PROBES_MINIMAL: '1' } });
});
afterAll(() => daemon.close());
const get = (path: string) => send(daemon.url, 'GET', path);

describe('GET /v1/version', () => {
  it('returns the version, the schema and the scheduled jobs, to anyone', async () => {
    const name = MIGRATIONS.at(-1)!.name;
    await expect.poll(async () => (await get('/v1/version')).body.schema).toEqual({ name, applied: name });
    const { status, body } = await get('/v1/version');
    expect([status, body]).toEqual([
      200,
      {
        service: 'svc',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        build: { commit: null, built_at: expect.any(String), tag: null },
        schema: { name, applied: name },
        scheduler: { state: 'running', jobs: expect.any(Array) },
        started_at: expect.any(String),
      },
    ]);
  });

  it('says of each job when it last ran', async () => {
    const names = ['checkpoint_keeper', 'corruption_watch', 'log_sequencer', 'schema_watch'];
    const jobs = async () =>
      (await get('/v1/version')).body.scheduler.jobs.filter(({ name }: { name: string }) => names.includes(name));
    await expect.poll(jobs).toEqual(
      names.map((name) => ({
        name,
        state: expect.stringMatching(/waiting|running/),
        every_ms: expect.any(Number),
        last_run_at: expect.any(String),
      })),
    );
  });
});

describe('GET /metrics', () => {
  it('is Prometheus text, with the metrics of memory-daemon.md 6 and the gates, though the probes are minimal', async () => {
    await get('/readyz');
    const { status, headers, text } = await get('/metrics');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.filter((line) => !/^[a-zA-Z_:][\w:]*(\{[^}]*\})? \S+$/.test(line))).toEqual([]);
    expect(text).toContain('# TYPE svc_segment_corrupt_total counter');
    expect(text).toContain('svc_readiness_gate{gate="control_evidence_ok"} 1');
    expect(text).toContain('# TYPE svc_inflight_requests gauge');
    expect(text).toContain('# TYPE svc_rate_limited_total counter');
  });
});

describe('an address of another version', () => {
  it.each(['/v0/facts', '/v2/facts', '/api/facts', '/api'])('%s does not exist', async (path) => {
    expect((await get(path)).status).toBe(403);
  });
});
