import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { freePort } from '../../kit/free-port.js';
import { removeDataDir, SvcProcess, until } from './svc-process.js';

/** The definitions of OTLP as OpenTelemetry publishes them (opentelemetry-proto), compiled. */
const { opentelemetry } = createRequire(import.meta.url)(
  '@opentelemetry/otlp-transformer/build/src/generated/root.js',
) as { opentelemetry: any };
const Traces = opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

interface Span {
  app: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Record<string, unknown>;
  status: { code?: number };
}

const spans: Span[] = [];
const tokens = new Set<unknown>();
let collector: Server;
let svc: SvcProcess;
let dataDir: string;
let daemonUrl: string;

beforeAll(async () => {
  collector = createServer((request, response) => {
    void json(request).then((body) => {
      expect([request.url, Traces.verify(Traces.fromObject(body))]).toEqual(['/v1/traces', null]);
      tokens.add(request.headers['x-collector-token']);
      spans.push(...spansIn(body));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  dataDir = join(mkdtempSync(join(tmpdir(), 'svc-tracing-')), 'data');
  const port = await freePort();
  daemonUrl = `http://127.0.0.1:${port}`;
  svc = await SvcProcess.start(dataDir, {
    environment: {
      SVC_BUILD_FEATURES: 'otel',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'X-Collector-Token=of%20mine',
      SVCD_HTTP_PORT: String(port),
    },
  });
  await until('the daemon', () =>
    fetch(`${daemonUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}, 240_000);
afterAll(async () => {
  await svc.stop();
  collector.close();
  removeDataDir(dataDir);
});

const valueOf = (value: any): unknown => value.stringValue ?? Number(value.intValue ?? value.doubleValue);
const attributesOf = (list: any[]): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, valueOf(value)]));

const spansIn = ({ resourceSpans }: any): Span[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    scopeSpans
      .flatMap(({ spans: found }: any) => found)
      .map((span: any) => ({
        ...span,
        app: attributesOf(resource.attributes)['svc.app'],
        attributes: attributesOf(span.attributes),
      })),
  );

const hex = (digit: string, length: number): string => digit.repeat(length);
const traceparent = (digit: string): string => `00-${hex(digit, 32)}-${hex(digit, 16)}-01`;
const inTrace = (digit: string): Span[] => spans.filter(({ traceId }) => traceId === hex(digit, 32));
const parentOf = (span: Span): Span | undefined => spans.find(({ spanId }) => spanId === span.parentSpanId);
const only = (digit: string, name: string, app?: string): Span => {
  const found = inTrace(digit).filter((span) => span.name === name && (app === undefined || span.app === app));
  expect([name, found.length]).toEqual([name, 1]);
  return found[0]!;
};
const waitFor = (digit: string, ...names: string[]) =>
  until(
    `the spans ${names.join(', ')}`,
    async () => names.every((name) => inTrace(digit).some((span) => span.name === name)),
    60_000,
  );

const credentials = () => ({ 'x-tenant-id': svc.credentials.tenant_id, 'x-api-key': svc.credentials.api_key });
const callTool = (digit: string, name: string, args: object) =>
  send(
    svc.toolsUrl,
    'POST',
    '/rpc',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    { ...credentials(), traceparent: traceparent(digit), 'x-idempotency-key': `trace-${digit}-12345678` },
  );

describe('a process with the build feature otel', { timeout: 120_000 }, () => {
  it('follows a request through its statements to its job', async () => {
    const document = { corpusId: 'lamps', docId: 'l1', title: 'Lamp', content: 'The lamp of Ewa is red.' };
    const more = { tenantId: svc.credentials.tenant_id, url: 'https://example.org/', metadata: {} };
    const headers = { ...credentials(), traceparent: traceparent('a'), 'x-idempotency-key': 'tracing-12345678' };
    const answer = await send(svc.url, 'POST', '/v1/ingest', { ...document, ...more }, headers);
    expect([answer.status, answer.headers.get('x-trace-id')]).toEqual([202, hex('a', 32)]);
    expect(answer.headers.get('traceparent')?.slice(3, 35)).toBe(hex('a', 32));
    await waitFor('a', 'POST /v1/ingest', 'process ingest');

    const request = only('a', 'POST /v1/ingest');
    expect([request.app, request.parentSpanId]).toEqual(['api', hex('a', 16)]);
    expect(request.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/v1/ingest',
      'http.response.status_code': 202,
      'svc.request.id': answer.headers.get('x-request-id'),
    });
    const job = only('a', 'process ingest');
    expect(job.attributes).toMatchObject({ 'messaging.destination.name': 'ingest' });
    const statements = inTrace('a').filter(({ attributes }) => attributes['db.system.name'] === 'postgresql');
    expect(statements.some((span) => parentOf(span) === job)).toBe(true);
    expect(statements.some((span) => parentOf(span) === request)).toBe(true);
  });

  it('follows a tool call through the tool service to the API', async () => {
    const answer = await callTool('b', 'query_vault', { query: 'Which lamp?' });
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    await waitFor('b', 'POST /rpc', 'execute_tool query_vault', 'POST /v1/retrieve', 'retrieval');
    const tool = only('b', 'execute_tool query_vault');
    expect(tool).toMatchObject({ app: 'tools', attributes: { 'gen_ai.operation.name': 'execute_tool' } });
    expect(parentOf(tool)).toMatchObject({ name: 'POST /rpc', app: 'tools', parentSpanId: hex('b', 16) });
    expect(only('b', 'POST /v1/retrieve').app).toBe('api');
    expect(parentOf(only('b', 'POST /v1/retrieve'))).toBe(tool);
    expect(parentOf(only('b', 'retrieval'))?.name).toBe('POST /v1/retrieve');
  });

  it('names what is done to memory as the GenAI conventions do', async () => {
    const headers = {
      'x-svc-scopes': 'facts:write query:read',
      'x-svc-tenant-id': svc.credentials.tenant_id,
      traceparent: traceparent('c'),
    };
    const fact = { entity: 'lamp', key: 'colour', value: 'The lamp of Ewa is red.' };
    expect((await send(daemonUrl, 'PUT', '/v1/facts', fact, headers)).status).toBe(201);
    expect((await send(daemonUrl, 'GET', '/v1/facts?query=lamp', undefined, headers)).status).toBe(200);
    await waitFor('c', 'upsert_memory', 'search_memory', 'PUT /v1/facts', 'GET /v1/facts');
    expect(only('c', 'search_memory').attributes).toEqual({
      'gen_ai.operation.name': 'search_memory',
      'gen_ai.memory.store.id': 'svc',
    });
    expect(parentOf(only('c', 'upsert_memory'))?.app).toBe('daemon');
  });

  it('holds nothing that a tenant wrote, and no credential', () => {
    const text = JSON.stringify(spans);
    expect([text.includes('Ewa'), text.includes(svc.credentials.api_key)]).toEqual([false, false]);
    expect([...tokens]).toEqual(['of mine']);
  });

  it('begins a trace of its own where the caller sends none, or one that is none', async () => {
    const seen = new Set<unknown>();
    for (const sent of [undefined, 'nonsense', `00-${hex('0', 32)}-${hex('1', 16)}-01`]) {
      const { headers } = await send(svc.url, 'GET', '/healthz', undefined, sent ? { traceparent: sent } : {});
      expect(headers.get('x-trace-id')).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
      expect(headers.get('traceparent')?.slice(3, 35)).toBe(headers.get('x-trace-id'));
      seen.add(headers.get('x-trace-id'));
    }
    expect(seen.size).toBe(3);
  });
});
