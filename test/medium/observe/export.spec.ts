import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../../kit/daemon.js';

/** The definitions of OTLP as OpenTelemetry publishes them (opentelemetry-proto), compiled. */
const { opentelemetry } = createRequire(import.meta.url)(
  '@opentelemetry/otlp-transformer/build/src/generated/root.js',
) as { opentelemetry: any };
const Traces = opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_OBSERVE: '1', SVCD_FEATURE_LEGAL_HOLD: '1' } });
});
afterAll(() => daemon.close());

const START = '2026-11-23T09:00:00Z';
const END = { ts_end: '2026-11-23T09:00:01.250Z' };
const path = (session: string, rest = '') => `/v1/observe/sessions/${session}${rest}`;
const call = (method: string, at: string, body?: object, headers?: Record<string, string>): Promise<any> =>
  daemon.call(method, at, body, headers).then((answer) => {
    expect([method, at, answer.status, answer.body.detail]).toEqual([
      method,
      at,
      answer.status < 300 ? answer.status : 200,
      undefined,
    ]);
    return answer.body;
  });
const open = (session: string, node_id: string, more: object = {}) =>
  call('POST', path(session, '/steps'), {
    label: `do ${node_id}`,
    actor: 'agent:a',
    ts_start: START,
    node_id,
    ...more,
  });
const close = (session: string, node_id: string, more: object = {}) =>
  call('PATCH', path(session, `/steps/${node_id}`), { ...END, ...more });
const NOBODYS = '00000000-0000-7000-8000-000000000000';
const KINDS = ['plan', 'agent', 'tool', 'model', 'retrieval', 'memory', 'decision', 'human', 'output', 'other'];

/** A session with a step of every kind, one of them open, one failed. */
async function makeSession(session: string): Promise<string> {
  const fact = await call('PUT', '/v1/facts', { entity: `e:${session}`, key: 'k', value: 'v' });
  await open(session, 'root', { kind: 'agent' });
  for (const kind of KINDS) {
    await open(session, kind, { kind, parent_id: 'root', inputs: [{ kind: 'text', text: `for ${kind}` }] });
    if (kind === 'other') continue;
    const written = { mutation_receipt_id: fact.receipt_id, outputs: [{ kind: 'fact', ref: fact.fact_id }] };
    await close(session, kind, { status: kind === 'tool' ? 'error' : 'ok', ...(kind === 'memory' && written) });
  }
  await close(session, 'root');
  return fact.receipt_id;
}

describe('conformance', () => {
  it('names rule, step and article of what does not hold, and what it is not', async () => {
    await makeSession('c1');
    await open('c1', 'risky', { kind: 'decision', risk_class: 'high', parent_id: 'root' });
    await close('c1', 'risky');
    const report = await call('GET', path('c1', '/audit/conformance'));
    expect(report).toMatchObject({ conforms: false, steps_checked: 12, truncated: false });
    expect(report.findings.map(({ rule, node_id, article }: any) => [rule, node_id, article])).toEqual([
      ['steps_closed', 'other', 'Article 12(1)'],
      ['high_risk_has_receipt', 'risky', 'Article 12(2)'],
      ['human_decision_recorded', 'risky', 'Article 14'],
    ]);
    expect(report.rules.filter(({ holds }: any) => holds).map(({ rule }: any) => rule)).toEqual([
      ...['tree_whole', 'times_in_order', 'mutation_has_receipt', 'receipts_verify'],
    ]);
    expect(report.note).toContain('no conformity assessment');
    for (const article of report.ai_act_articles)
      expect(article).toMatchObject({ applies_from_annex_iii: '2027-12-02', applies_from_annex_i: '2028-08-02' });
  });

  it('finds a step that somebody changed in the database, and a receipt that is not there', async () => {
    await makeSession('c2');
    const findings = async () => {
      const { findings: found } = await call('GET', path('c2', '/audit/conformance'));
      return found.filter(({ rule }: any) => rule === 'receipts_verify');
    };
    expect(await findings()).toEqual([]);
    const change = (sql: string) => daemon.database.query(sql);
    await change(`update observe_step set label = 'another' where session_id = 'c2' and node_id = 'plan'`);
    expect(await findings()).toEqual([
      expect.objectContaining({ node_id: 'plan', detail: 'It is not what the receipt of its opening says.' }),
    ]);
    await change(`update observe_step set outputs = '[]', status = 'ok' where session_id = 'c2' and node_id = 'tool'`);
    await change(`update observe_step set close_receipt = '${NOBODYS}' where session_id = 'c2' and node_id = 'human'`);
    expect((await findings()).map(({ node_id, detail }: any) => [node_id, detail])).toEqual([
      ['plan', 'It is not what the receipt of its opening says.'],
      ['tool', 'It is not what the receipt of its close says.'],
      ['human', `The receipt ${NOBODYS} is not there.`],
      ['human', 'It is not what the receipt of its close says.'],
    ]);
  });

  it('and the export are 404 for a session of nobody, and of another tenant', async () => {
    await open('c3', 'a');
    const other = daemon.as({ scopes: ALL_SCOPES, tenant: 'other' });
    for (const rest of ['/audit/conformance', '/audit/export', '/audit/export?format=ocsf']) {
      expect((await daemon.call('GET', path('nowhere', rest))).status).toBe(404);
      expect([404, 403]).toContain((await other('GET', path('c3', rest))).status);
    }
    expect((await daemon.call('GET', path('c3', '/audit/export?format=xml'))).status).toBe(400);
  });
});

describe('the export', () => {
  it('has the members of the specification, with steps, receipts and conformance', async () => {
    const receipt = await makeSession('e1');
    const file = await call('GET', path('e1', '/audit/export'));
    expect(Object.keys(file).sort()).toEqual([
      ...['ai_act_articles', 'conformance', 'contract_version', 'dataplane_verification_available', 'receipts'],
      ...['schema', 'session_id', 'steps'],
    ]);
    expect(file).toMatchObject({ session_id: 'e1', contract_version: '1', dataplane_verification_available: true });
    const { steps } = await call('GET', path('e1', '/audit'));
    expect(file.steps).toEqual(steps.map(({ has_children: _, ...step }: any) => step));
    const named = file.steps
      .flatMap((s: any) => [s.open_receipt, s.close_receipt, s.mutation_receipt_id])
      .filter(Boolean);
    expect(file.receipts.map((r: any) => r.receipt_id).sort()).toEqual([...new Set(named)].sort());
    expect(named).toContain(receipt);
    for (const { verified, family, record_base64 } of file.receipts)
      expect([verified, family, record_base64.length > 100]).toEqual([true, 'execution', true]);
    expect(file.conformance).toEqual(await call('GET', path('e1', '/audit/conformance')));
  });

  it('shows of private steps of others that they are there alone', async () => {
    await makeSession('e2');
    const other = daemon.as({ scopes: 'facts:read', passport: 'other' });
    for (const format of ['json', 'otlp-json', 'ocsf']) {
      const { status, text } = await other('GET', path('e2', `/audit/export?format=${format}`));
      expect([status, text.includes('for plan'), text.includes('do plan'), text.includes('(private)')]).toEqual([
        ...[200, false, false, true],
      ]);
    }
  });

  it('as OTLP is what the definitions of OpenTelemetry read, whole', async () => {
    await makeSession('e3');
    const sent = await call('GET', path('e3', '/audit/export?format=otlp-json'));
    // In its JSON, OTLP writes ids in hexadecimal, where protobuf has base64.
    const bytes = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
    const message = structuredClone(sent);
    const { spans } = message.resourceSpans[0].scopeSpans[0];
    for (const span of spans)
      for (const id of ['traceId', 'spanId', 'parentSpanId']) if (span[id]) span[id] = bytes(span[id]);
    const encoded = Traces.encode(Traces.fromObject(message)).finish();
    expect(Traces.verify(Traces.decode(encoded))).toBe(null);
    const read = Traces.toObject(Traces.decode(encoded), { longs: String, bytes: String, json: true });
    expect(read).toEqual(message);
    expect(spans).toHaveLength(11);
    const attribute = (span: any, key: string) => span.attributes.find((a: any) => a.key === key)?.value.stringValue;
    const named = (name: string) =>
      sent.resourceSpans[0].scopeSpans[0].spans.find((s: any) => attribute(s, 'svc.step.id') === name);
    expect(KINDS.map((kind) => [kind, attribute(named(kind), 'gen_ai.operation.name')])).toEqual([
      ['plan', 'plan'],
      ['agent', 'invoke_agent'],
      ['tool', 'execute_tool'],
      ['model', 'chat'],
      ['retrieval', 'retrieval'],
      ['memory', 'upsert_memory'],
      ...['decision', 'human', 'output', 'other'].map((kind) => [kind, undefined]),
    ]);
    expect(named('memory').attributes).toContainEqual({ key: 'gen_ai.memory.record.count', value: { intValue: '1' } });
    expect(attribute(named('tool'), 'error.type')).toBe('_OTHER');
    expect(named('tool')).toMatchObject({ status: { code: 2 }, parentSpanId: named('root').spanId });
    expect(named('plan')).toMatchObject({
      startTimeUnixNano: '1795424400000000000',
      endTimeUnixNano: '1795424401250000000',
    });
  });

  /**
   * What API Activity (6003) of OCSF 1.8.0 requires: events/base_event.json, events/application/api_activity.json and
   * objects/{actor,api,metadata,network_endpoint,user}.json of the schema's repository at the tag 1.8.0.
   */
  const REQUIRED = ['activity_id', 'category_uid', 'class_uid', 'metadata', 'severity_id', 'time', 'type_uid'];
  it('as OCSF has what its class requires', async () => {
    await makeSession('e4');
    const events = await call('GET', path('e4', '/audit/export?format=ocsf'));
    expect(events).toHaveLength(11);
    for (const event of events) {
      for (const member of [...REQUIRED, 'actor', 'api', 'src_endpoint']) expect(event[member]).toBeDefined();
      expect([event.class_uid, event.category_uid, event.type_uid]).toEqual([6003, 6, 600300 + event.activity_id]);
      expect([1, 2, 3, 4, 99]).toContain(event.activity_id);
      expect([event.metadata.version, typeof event.metadata.product.name, typeof event.time]).toEqual([
        '1.8.0',
        'string',
        'number',
      ]);
      expect([typeof event.api.operation, typeof event.actor.user.name, typeof event.src_endpoint.name]).toEqual(
        Array(3).fill('string'),
      );
      if (event.activity_id === 99) expect(event.activity_name).toBeDefined();
    }
  });
});
