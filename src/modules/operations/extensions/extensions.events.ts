import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import type { ExtensionRow } from './extension.entity.js';
import type { CallOutcome } from './extensions.types.js';

/** Event and receipt of a change. All extensions of a tenant are one chain. */
export const extensionChange = (
  what: 'registered' | 'enabled' | 'disabled' | 'deleted',
  { extensionId, kind, digest }: ExtensionRow,
): AuditEntry => ({
  kind: `extension.${what}`,
  subject: extensionId,
  facts: { extensionId, kind, digest },
  stream: 'extensions',
});

/** What a receipt says of a call: digests, and nothing of what went in or came out. */
export interface CallFacts {
  outcome: CallOutcome;
  /** Null of a call that did not end well. */
  outputDigest: string | null;
  inputDigest: string;
  durationMs: number;
}

/** Event and receipt of a call. */
export const extensionCall = ({ extensionId, kind, digest }: ExtensionRow, call: CallFacts): AuditEntry => ({
  kind: 'extension.dispatched',
  subject: extensionId,
  facts: { extensionId, kind, digest, ...call },
  stream: 'extensions',
});
