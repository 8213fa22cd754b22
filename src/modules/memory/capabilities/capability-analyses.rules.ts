import type { AuditedCapability, AuditStatus, Gap } from './capabilities.types.js';

/** What is asked for; what is undefined does not narrow. */
export interface CapabilityFilter {
  system?: string | undefined;
  maturity?: string | undefined;
  audit?: AuditStatus | undefined;
  promise?: bigint | undefined;
  search?: string | undefined;
}

export function isAskedFor(one: AuditedCapability, filter: CapabilityFilter): boolean {
  const { system = one.system, maturity = one.maturity, audit = one.audit.status, promise, search } = filter;
  if (one.system !== system || one.maturity !== maturity || one.audit.status !== audit) return false;
  if (promise !== undefined && !one.promises.includes(promise)) return false;
  return search === undefined || holds(one, search.toLowerCase());
}

const holds = ({ id, name, routes, flags, tools }: AuditedCapability, text: string): boolean =>
  [id, name, ...routes, ...flags, ...tools].some((part) => part.toLowerCase().includes(text));

/** Each capability with the ids of those that rest on it. */
export function downstreamOf(all: readonly { id: string; upstream: readonly string[] }[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { id, upstream } of all)
    for (const other of upstream) found.set(other, [...(found.get(other) ?? []), id].sort());
  return found;
}

/** One thing on a way through the capabilities. */
export interface Step {
  id: string;
  /** How many steps from the root. */
  depth: number;
  /** The one before it on the shortest way. */
  via: string;
}

/** All that a capability leads to, nearest first, each once. */
export function walk(root: string, next: (id: string) => readonly string[]): Step[] {
  const steps: Step[] = [];
  const seen = new Set([root]);
  let level = [root];
  for (let depth = 1; level.length > 0; depth += 1) {
    const found = level.flatMap((via) => next(via).map((id) => ({ id, depth, via })));
    level = [];
    for (const step of found) {
      if (seen.has(step.id)) continue;
      seen.add(step.id);
      steps.push(step);
      level.push(step.id);
    }
  }
  return steps;
}

/** What a capability lacks. A waived audit is one: somebody decided on it. */
export function gapsOf({ tests, audit }: AuditedCapability): Gap[] {
  const gaps: Gap[] = [];
  if (tests.length === 0) gaps.push('no_test');
  if (audit.status === 'unaudited') gaps.push('no_audit');
  if (audit.status === 'failed') gaps.push('failed_audit');
  return gaps;
}

/** The numbers of promises, rising, each with who keeps it. */
export function promisesOf(all: readonly AuditedCapability[]): { promise: bigint; keptBy: AuditedCapability[] }[] {
  const found = new Map<bigint, AuditedCapability[]>();
  for (const one of all)
    for (const promise of new Set(one.promises)) found.set(promise, [...(found.get(promise) ?? []), one]);
  return [...found].map(([promise, keptBy]) => ({ promise, keptBy })).sort((a, b) => (a.promise < b.promise ? -1 : 1));
}

export interface Coverage {
  capabilities: number;
  tested: number;
  audited: number;
  passed: number;
  promising: number;
}

/** How many of these capabilities have what. */
export const coverageOf = (all: readonly AuditedCapability[]): Coverage => ({
  capabilities: all.length,
  tested: all.filter(({ tests }) => tests.length > 0).length,
  audited: all.filter(({ audit }) => audit.status !== 'unaudited').length,
  passed: all.filter(({ audit }) => audit.status === 'passed').length,
  promising: all.filter(({ promises }) => promises.length > 0).length,
});

/** To three places; of nothing, nothing is covered. */
export const shareOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 1e3) / 1e3;
