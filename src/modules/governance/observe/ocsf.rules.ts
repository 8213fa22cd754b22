import type { ObserveNode } from './observe-steps.dto.js';
import type { OtlpSource } from './otlp.rules.js';

/** The version of the Open Cybersecurity Schema Framework, and its class API Activity of the category Application. */
const OCSF_VERSION = '1.8.0';
const API_ACTIVITY = 6003;
const APPLICATION_ACTIVITY = 6;

/** severity_id, status_id and activity_id of the schema. */
const SEVERITY = { minimal: 1, limited: 2, high: 4 } as const;
const STATUS = { open: 0, ok: 1, error: 2, denied: 2, cancelled: 99 } as const;
const READ = 2;
const UPDATE = 3;
const OTHER = 99;

/** A step as an event of API Activity. */
export function ocsfOf(step: ObserveNode, { tenantId, version }: OtlpSource): object {
  const activity = activityOf(step);
  const started = Date.parse(step.ts_start);
  const ended = step.ts_end === null ? undefined : Date.parse(step.ts_end);
  return {
    ...{ category_uid: APPLICATION_ACTIVITY, category_name: 'Application Activity' },
    ...{ class_uid: API_ACTIVITY, class_name: 'API Activity', type_uid: API_ACTIVITY * 100 + activity },
    ...{ activity_id: activity, activity_name: activity === OTHER ? step.kind : undefined },
    ...{ severity_id: SEVERITY[step.risk_class], status_id: STATUS[step.status], status: step.status },
    ...{ time: started, start_time: started, end_time: ended, message: step.label },
    metadata: {
      ...{ version: OCSF_VERSION, product: { name: 'svc', vendor_name: 'svc', version }, uid: step.node_id },
      ...{ correlation_uid: step.session_id, tenant_uid: tenantId },
    },
    actor: { user: { name: step.actor }, session: { uid: step.session_id } },
    api: { operation: step.label, request: { uid: step.node_id } },
    src_endpoint: { name: 'svc', svc_name: 'svc' },
    unmapped: unmappedOf(step),
  };
}

function activityOf({ kind, mutation_receipt_id }: ObserveNode): number {
  if (mutation_receipt_id !== null) return UPDATE;
  return kind === 'retrieval' || kind === 'memory' ? READ : OTHER;
}

const unmappedOf = (step: ObserveNode): object => ({
  ...{ parent_id: step.parent_id, depth: step.depth, kind: step.kind, risk_class: step.risk_class, auto: step.auto },
  ...{ inputs: step.inputs, outputs: step.outputs, withheld: step.withheld },
  ...{ receipt_id: step.receipt_id, mutation_receipt_id: step.mutation_receipt_id },
  ...{ open_receipt: step.open_receipt, close_receipt: step.close_receipt },
});
