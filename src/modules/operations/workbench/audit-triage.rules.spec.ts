import { describe, expect, it } from 'vitest';
import { findingsOfTriage, sumOf } from './audit-triage.rules.js';
import type { TriageGroup } from './audit-triage.store.js';

const group = (kind: TriageGroup['kind'], what: string, count = 1): TriageGroup => ({
  ...{ kind, what, subject: 's', count, samples: ['a/b'], detail: null },
});

describe('a triage', () => {
  it('fails for a receipt that does not hold, and for an incident that is grave', () => {
    const found = findingsOfTriage([group('incident', 'critical')], [{ receiptId: 'r', error: 'SIGNATURE_INVALID' }]);
    expect(found.map(({ id, severity }) => [id, severity])).toEqual([
      ['triage.receipt_invalid', 'fail'],
      ['triage.incident_open', 'fail'],
    ]);
  });

  it('warns of failures and refusals; what waits for an approval is worth knowing', () => {
    const groups = [group('step', 'error'), group('decision', 'deny'), group('decision', 'approval_required')];
    expect(
      findingsOfTriage([...groups, group('hold', 'DELETE'), group('gate', 'lapsed')], []).map(
        ({ severity }) => severity,
      ),
    ).toEqual([...['warn', 'warn', 'info', 'warn', 'info']]);
  });

  it('counts by kind and word', () => {
    const groups = [group('decision', 'deny', 3), group('decision', 'approval_required', 4), group('step', 'error', 5)];
    expect([sumOf(groups, 'decision', 'deny'), sumOf(groups, 'step'), sumOf(groups, 'hold')]).toEqual([3, 5, 0]);
  });
});
