import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';

/** What is said of a move, or a removal, of a label. */
interface LabelFacts {
  name: string;
  label: string;
  engramVersion: number;
  version: number;
  former?: number | null;
}

type PlainAudit = Omit<Extract<AuditEntry, { makeEvent?: never }>, 'makeEvent'>;

/** Event and receipt of it. */
export const labelEntry = (what: 'labelled' | 'unlabelled', facts: LabelFacts): PlainAudit => ({
  kind: `engram.${what}`,
  subject: `engram:${facts.name}`,
  facts,
  stream: 'engrams',
});

/** Which engrams an agent was given. */
interface ResolvedFacts {
  agentId: string | null;
  modelId: string | null;
  capabilityClass: string;
  label: string | null;
  engrams: (readonly [name: string, version: number, hash: string])[];
  manifestStatus: string;
}

export const RESOLVED = 'engram.resolved';

/** What was given out, named by the hash over it. */
export const resolvedEntry = (setHash: string, facts: ResolvedFacts) =>
  ({ kind: RESOLVED, subject: setHash, facts: { engramSetHash: setHash, ...facts }, stream: 'engrams' }) as const;
