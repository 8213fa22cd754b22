import { expect, it } from 'vitest';
import type { ObserveNode } from './observe-steps.dto.js';
import { ocsfOf } from './ocsf.rules.js';
import { otlpAround, spanOf } from './otlp.rules.js';

const source = { tenantId: 't', sessionId: 's', version: '1.0.0' };
const step: ObserveNode = {
  ...{ node_id: 'n', session_id: 's', parent_id: 'p', depth: 1, label: 'find', actor: 'a', kind: 'memory' },
  ...{ risk_class: 'high', status: 'open', private: true, withheld: false, inputs: [], outputs: [] },
  ...{ enrich_ref: null, reasoning_ref: null, receipt_id: null, mutation_receipt_id: null, auto: false },
  ...{ ts_start: '2026-01-01T00:00:00.001Z', ts_end: null, open_receipt: null, close_receipt: null, salt: null },
};

it('makes the same ids of the same step, and others of another tenant', () => {
  const span = spanOf(step, source);
  expect(span).toEqual(spanOf(step, source));
  expect([span.traceId, span.spanId, span.parentSpanId].map((id) => id?.length)).toEqual([32, 16, 16]);
  expect(span.traceId).not.toBe(spanOf(step, { ...source, tenantId: 'u' }).traceId);
  expect(span.parentSpanId).toBe(spanOf({ ...step, node_id: 'p', parent_id: null }, source).spanId);
});

it('names memory by what it does, and ends an open span where it began', () => {
  const span = spanOf(step, source);
  expect([span.name, span.endTimeUnixNano, span.status.code]).toEqual(['search_memory', '1767225600001000000', 0]);
  expect(spanOf({ ...step, mutation_receipt_id: 'r' }, source).name).toBe('upsert_memory');
  expect(spanOf({ ...step, auto: true, label: 'fact.retired' }, source).name).toBe('delete_memory');
});

it('puts spans between two texts that are JSON together', () => {
  const [before, after] = otlpAround(source);
  expect(JSON.parse(`${before}1,2${after}`).resourceSpans[0].scopeSpans[0].spans).toEqual([1, 2]);
});

it('maps risk, status and activity to OCSF', () => {
  expect(ocsfOf(step, source)).toMatchObject({ severity_id: 4, status_id: 0, activity_id: 2, type_uid: 600302 });
});
