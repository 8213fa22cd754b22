import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBuild } from '../../../src/common/build-info.js';
import { send, startApi, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { expressionsOf, selectedBy } from '../../kit/promql.js';
import { startTools, type TestTools } from '../../kit/tools.js';

let api: TestApi;
let tools: TestTools;
let daemon: TestDaemon;
let scraped: Record<'api' | 'tools' | 'daemon', string>;
beforeAll(async () => {
  api = await startApi();
  tools = await startTools(api);
  daemon = await startDaemon({ database: api.database });
  // Some series come with the first request.
  await api.tenant.call('POST', '/v1/retrieve', { query: 'harbour' });
  await api.tenant.call('POST', '/frontdoor/auth/connect', { tenantId: 'acme', apiKey: api.tenant.apiKey });
  await send(api.url, 'GET', '/v1/org/seats', undefined, { 'x-tenant-id': 'acme', 'x-api-key': 'svc_key_of_nobody' });
  const scrape = async (url: string): Promise<string> => (await send(url, 'GET', '/metrics')).text;
  for (const { url } of [tools, daemon]) await scrape(url);
  scraped = { api: await scrape(api.url), tools: await scrape(tools.url), daemon: await scrape(daemon.url) };
});
afterAll(async () => {
  await daemon.close();
  await tools.close();
  await api.close();
});

describe('GET /metrics', () => {
  it.each(['api', 'tools', 'daemon'] as const)('says what runs: %s', (app) => {
    const { version } = readBuild();
    const line = `svc_build_info{version="${version}",commit="unknown",node="${process.versions.node}",app="${app}"} 1`;
    expect(scraped[app].split('\n')).toContain(line);
  });

  /** Of a target by Prometheus, of a bucket by the format, and of processes that share a port. */
  const ALWAYS = ['job', 'instance', 'le', 'process'];

  it.each(['rules', 'dashboard'] as const)('has every metric and label that the %s read', (what) => {
    const all = Object.values(scraped).join('\n');
    const types = new Map([...all.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]));
    const isThere = (name: string): boolean =>
      types.has(name) || types.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram';
    const labelsOf = (name: string): Set<string> | undefined => {
      const series = [...all.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? `, 'gm'))].map(([, labels]) => labels ?? '');
      if (series.length === 0) return undefined;
      return new Set(series.flatMap((labels) => [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label!)));
    };
    const selected = expressionsOf(what).flatMap((one) => selectedBy(one));
    expect(selected.length).toBeGreaterThan(15);
    const own = selected.filter(({ metric }) => metric !== 'up');
    expect(own.filter(({ metric }) => !isThere(metric))).toEqual([]);
    const lacking = own.flatMap(({ metric, labels }) => {
      const known = labelsOf(metric);
      return known
        ? labels.filter((label) => !known.has(label) && !ALWAYS.includes(label)).map((l) => [metric, l])
        : [];
    });
    // The app of a request is joined from what runs.
    expect(
      lacking.filter(([metric, label]) => !(metric === 'svc_http_request_seconds_count' && label === 'app')),
    ).toEqual([]);
  });
});
