import { sha256 } from '../../../evidence/sha256.js';
import { isMutation } from './conformance.rules.js';
import type { ObserveNode } from './observe-steps.dto.js';

/** The conventions by which spans are named and described. */
const GEN_AI_CONVENTIONS = 'semantic-conventions-genai v0.1.0';
/** Of the general conventions that those rest on. */
const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.45.0';

/** Values of the enumerations SpanKind and StatusCode of OTLP. */
const INTERNAL = 1;
const CLIENT = 3;
const STATUS = { open: 0, ok: 1, error: 2, denied: 2, cancelled: 0 } as const;

type Value = { stringValue: string } | { intValue: string } | { boolValue: boolean };
interface Attribute {
  key: string;
  value: Value;
}

/** A span in the JSON of OTLP: ids in hexadecimal, 64-bit numbers as decimal text. */
export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  status: { code: number };
}

export interface OtlpSource {
  tenantId: string;
  sessionId: string;
  version: string;
}

/** An ExportTraceServiceRequest of OTLP 1.x, without its spans, which are many. */
export const otlpAround = ({ tenantId, sessionId, version }: OtlpSource): [string, string] => {
  const resource = { 'service.name': 'svc', 'service.version': version, 'svc.tenant.id': tenantId };
  const around = {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ ...resource, 'svc.session.id': sessionId }) },
        scopeSpans: [{ scope: { name: GEN_AI_CONVENTIONS, version }, spans: ['SPANS'], schemaUrl: SCHEMA_URL }],
        schemaUrl: SCHEMA_URL,
      },
    ],
  };
  const [before, after] = JSON.stringify(around).split('"SPANS"');
  return [before!, after!];
};

export function spanOf(step: ObserveNode, { tenantId, sessionId }: OtlpSource): OtlpSpan {
  const said = describe(step);
  const start = nanos(step.ts_start);
  return {
    traceId: idOf(16, tenantId, sessionId),
    spanId: idOf(8, tenantId, sessionId, step.node_id),
    ...(step.parent_id === null ? {} : { parentSpanId: idOf(8, tenantId, sessionId, step.parent_id) }),
    ...{ name: said.name, kind: said.kind, startTimeUnixNano: start },
    endTimeUnixNano: step.ts_end === null ? start : nanos(step.ts_end),
    attributes: attributesOf({ ...said.attributes, ...ownAttributes(step) }),
    status: { code: STATUS[step.status] },
  };
}

interface Description {
  name: string;
  kind: number;
  attributes: Record<string, string | number | undefined>;
}

const OPERATION = 'gen_ai.operation.name';

/** Name, kind and attributes, as the conventions have them for operations of its kind. */
function describe(step: ObserveNode): Description {
  const { kind, label, actor } = step;
  const agent = { 'gen_ai.agent.name': actor };
  switch (kind) {
    case 'agent':
      return { name: `invoke_agent ${actor}`, kind: INTERNAL, attributes: { [OPERATION]: 'invoke_agent', ...agent } };
    case 'plan':
      return { name: `plan ${actor}`, kind: INTERNAL, attributes: { [OPERATION]: 'plan', ...agent } };
    case 'tool': {
      const attributes = { [OPERATION]: 'execute_tool', 'gen_ai.tool.name': label };
      return { name: `execute_tool ${label}`, kind: INTERNAL, attributes };
    }
    case 'model': {
      const attributes = { [OPERATION]: 'chat', 'gen_ai.provider.name': 'unknown', 'gen_ai.request.model': actor };
      return { name: `chat ${actor}`, kind: CLIENT, attributes };
    }
    case 'retrieval':
      return { name: 'retrieval', kind: CLIENT, attributes: { [OPERATION]: 'retrieval' } };
    case 'memory':
      return memoryOf(step);
    case 'decision':
    case 'human':
    case 'output':
    case 'other':
      return { name: label, kind: INTERNAL, attributes: {} };
  }
}

/** One record by its id, several by how many they are. */
function memoryOf(step: ObserveNode): Description {
  const operation = operationOf(step);
  const facts = [...step.inputs, ...step.outputs].filter(({ kind, ref }) => kind === 'fact' && ref !== null);
  const record = facts.length === 1 ? facts[0]!.ref! : undefined;
  const attributes = {
    ...{ [OPERATION]: operation, 'gen_ai.memory.store.id': 'svc', 'gen_ai.memory.record.id': record },
    'gen_ai.memory.record.count': facts.length,
  };
  return { name: operation, kind: CLIENT, attributes };
}

function operationOf(step: ObserveNode): string {
  if (step.auto && step.label === 'fact.retired') return 'delete_memory';
  return step.mutation_receipt_id !== null || isMutation(step) ? 'upsert_memory' : 'search_memory';
}

/** What the conventions have no name for. */
const ownAttributes = (step: ObserveNode) => ({
  'gen_ai.conversation.id': step.session_id,
  'error.type': step.status === 'error' || step.status === 'denied' ? '_OTHER' : undefined,
  ...{ 'svc.step.id': step.node_id, 'svc.step.kind': step.kind, 'svc.step.label': step.label },
  ...{ 'svc.step.actor': step.actor, 'svc.step.risk_class': step.risk_class, 'svc.step.status': step.status },
  ...{ 'svc.step.auto': step.auto, 'svc.step.withheld': step.withheld },
  'svc.receipt.open': step.open_receipt ?? undefined,
  'svc.receipt.close': step.close_receipt ?? undefined,
  'svc.receipt.id': step.receipt_id ?? undefined,
  'svc.receipt.mutation': step.mutation_receipt_id ?? undefined,
  'svc.step.inputs': step.inputs.length > 0 ? JSON.stringify(step.inputs) : undefined,
  'svc.step.outputs': step.outputs.length > 0 ? JSON.stringify(step.outputs) : undefined,
});

const attributesOf = (values: Record<string, string | number | boolean | undefined>): Attribute[] =>
  Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: valueOf(value) }]));

function valueOf(value: string | number | boolean): Value {
  if (typeof value === 'string') return { stringValue: value };
  return typeof value === 'boolean' ? { boolValue: value } : { intValue: String(value) };
}

/** The first bytes of a digest over the names, in hexadecimal: the same step always has the same. */
const idOf = (bytes: number, ...names: string[]): string =>
  Buffer.from(sha256(JSON.stringify(names))).toString('hex', 0, bytes);

const nanos = (time: string): string => `${BigInt(Date.parse(time)) * 1_000_000n}`;
