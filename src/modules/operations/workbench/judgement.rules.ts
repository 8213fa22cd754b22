import { SEVERITIES, type Finding, type Judgement, type Severity, type Verdict } from './workbench.types.js';

const VERDICT: Record<Severity, Verdict> = { info: 'ok', warn: 'warn', fail: 'fail' };

/** The worst of what was found: what is only worth knowing leaves it ok. */
export function verdictOf(findings: readonly Pick<Finding, 'severity'>[]): Verdict {
  const worst = Math.max(0, ...findings.map(({ severity }) => SEVERITIES.indexOf(severity)));
  return VERDICT[SEVERITIES[worst]!];
}

/** Findings with the worst first, in the order in which they came otherwise, and what they come to. */
export function judge(findings: readonly Finding[], summary: string): Judgement {
  const sorted = findings.toSorted((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity));
  return { findings: sorted, summary, verdict: verdictOf(sorted) };
}

/** `1 lease`, `3 leases`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
