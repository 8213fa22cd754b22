import { expect, it } from 'vitest';
import type { ObserveNode } from './observe-steps.dto.js';
import { ocsfOf } from './ocsf.rules.js';

const step: ObserveNode = {
  ...{ node_id: 'n', session_id: 's', parent_id: null, depth: 0, label: 'pay', actor: 'a', kind: 'tool' },
  ...{ risk_class: 'minimal', status: 'error', private: true, withheld: false, inputs: [], outputs: [] },
  ...{ enrich_ref: null, reasoning_ref: null, receipt_id: null, mutation_receipt_id: null, auto: false },
  ...{ ts_start: '2026-01-01T00:00:00.001Z', ts_end: null, open_receipt: null, close_receipt: null, salt: null },
};
const source = { tenantId: 't', sessionId: 's', version: '1.0.0' };

it('a step is another activity, named by its kind, and an update where it has the receipt of a change', () => {
  expect(ocsfOf(step, source)).toMatchObject({
    activity_id: 99,
    activity_name: 'tool',
    type_uid: 600399,
    status_id: 2,
  });
  expect(ocsfOf({ ...step, mutation_receipt_id: 'r' }, source)).toMatchObject({ activity_id: 3, type_uid: 600303 });
});
