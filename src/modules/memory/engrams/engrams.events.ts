import type { AuditEntry, ReceiptEntry } from '../../../common/evidence-log/audit-trail.js';
import { blake3Digest } from '../../../evidence/digest.js';
import type { VersionOfKind } from '../graph/kind-rules.service.js';

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

/** The receipt of a version, or of a deletion: the digest of its content, as engram.resolved has it. */
export const versionReceipt = ({ id: name, version, payload, isDeleted }: VersionOfKind): ReceiptEntry => ({
  kind: isDeleted ? 'engram.deleted' : 'engram.stored',
  subject: `engram:${name}`,
  receipt: { name, version, hash: contentHash(payload) },
  stream: 'engrams',
});

/** null of what was stored under the kind before it had rules, and is none. */
function contentHash(payload: unknown): string | null {
  const { content } = (payload ?? {}) as { content?: unknown };
  return typeof content === 'string' ? blake3Digest(content) : null;
}

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
