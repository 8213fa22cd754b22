import { describe, expect, it } from 'vitest';
import { findingsOfHandoff } from './handoff.rules.js';

const NONE = { open_work: [], leases: [], pending_gates: [], intents: [], to_passport: 'bo', truncated: false };
const idsOf = (given: Partial<Parameters<typeof findingsOfHandoff>[0]>) =>
  findingsOfHandoff({ ...NONE, ...given }).map(({ id, severity, subject }) => `${severity} ${id} ${subject}`);

describe('what a handoff finds', () => {
  it('is nothing where nothing is held and nothing waits', () => {
    expect(idsOf({})).toEqual([]);
  });

  it('warns of leases that are held and gates that wait', () => {
    const lease = { kind: 'work', subject: 'w1', mode: 'write', fence: 3, holder_passport: 'ada', expires_at: 'later' };
    const gate = {
      action_id: 'g',
      work_id: 'w2',
      requested_by: 'ada',
      after: {},
      may_decide: ['*'],
      expires_at: 'later',
    };
    expect(idsOf({ leases: [lease], pending_gates: [gate], to_passport: null, truncated: true })).toEqual([
      'warn handoff.lease_held w1',
      'warn handoff.gate_pending w2',
      'info handoff.to_nobody to_passport',
      'warn handoff.truncated limit',
    ]);
  });
});
