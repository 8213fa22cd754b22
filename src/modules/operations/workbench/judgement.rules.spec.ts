import { describe, expect, it } from 'vitest';
import { counted, judge, verdictOf } from './judgement.rules.js';
import type { Finding, Severity } from './workbench.types.js';

const finding = (severity: Severity, subject = 's'): Finding => ({ id: 'x', severity, subject, evidence: [], fix: '' });

describe('a verdict', () => {
  it.each([
    [[], 'ok'],
    [['info'], 'ok'],
    [['info', 'warn'], 'warn'],
    [['warn', 'fail', 'info'], 'fail'],
  ] as [Severity[], string][])('of %j is %s', (severities, verdict) => {
    expect(verdictOf(severities.map((one) => finding(one)))).toBe(verdict);
  });

  it('comes with the worst first, and the others in their order', () => {
    const found = [finding('info', 'a'), finding('fail', 'b'), finding('warn', 'c'), finding('fail', 'd')];
    expect(judge(found, 'all').findings.map(({ subject }) => subject)).toEqual(['b', 'd', 'c', 'a']);
  });

  it('counts in words', () => {
    expect([counted(1, 'lease'), counted(0, 'lease'), counted(2, 'policy', 'policies')]).toEqual([
      '1 lease',
      '0 leases',
      '2 policies',
    ]);
  });
});
