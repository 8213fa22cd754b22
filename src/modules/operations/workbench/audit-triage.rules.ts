import type { TriageGroup, TriageKind } from './audit-triage.store.js';
import { counted } from './judgement.rules.js';
import type { Finding, Severity } from './workbench.types.js';

interface Reading {
  id: string;
  severity: (group: TriageGroup) => Severity;
  fix: (group: TriageGroup) => string;
}

const READINGS: Record<TriageKind, Reading> = {
  step: {
    id: 'triage.step_failed',
    severity: () => 'warn',
    fix: ({ samples: [first] }) => `Look at it: GET /v1/observe/sessions/${first!.split('/', 1)[0]}/audit`,
  },
  decision: {
    id: 'triage.call_refused',
    severity: ({ what }) => (what === 'deny' ? 'warn' : 'info'),
    fix: ({ what }) =>
      what === 'deny'
        ? 'Find out who calls it, or change the policy: GET /v1/shield/decisions'
        : 'An owner resolves it: GET /v1/shield/approvals',
  },
  hold: {
    id: 'triage.deletion_refused',
    severity: () => 'warn',
    fix: () => 'Somebody tries to delete what is held: ask them, or release the hold (GET /v1/legal-holds)',
  },
  gate: {
    id: 'triage.gate_refused',
    severity: () => 'info',
    fix: ({ what }) => (what === 'lapsed' ? 'Nobody decided in time: ask again' : 'Read the reason, and ask again'),
  },
  incident: {
    id: 'triage.incident_open',
    severity: ({ what }) => (what === 'high' || what === 'critical' ? 'fail' : 'warn'),
    fix: ({ samples: [first] }) => `Close it once it is dealt with: PATCH /v1/incidents/${first}`,
  },
};

export interface InvalidReceipt {
  receiptId: string;
  error: string;
}

/** A finding for what went wrong alike, and one for each receipt that does not hold. */
export function findingsOfTriage(groups: readonly TriageGroup[], invalid: readonly InvalidReceipt[]): Finding[] {
  return [
    ...invalid.map(({ receiptId, error }): Finding => ({
      ...{ id: 'triage.receipt_invalid', severity: 'fail', subject: receiptId },
      evidence: [{ kind: 'receipt', ref: receiptId, detail: error }],
      fix: 'Evidence was changed: keep a copy of the database, and run svc doctor --full',
    })),
    ...groups.map(findingOf),
  ];
}

function findingOf(group: TriageGroup): Finding {
  const { kind, what, subject, count, samples, detail } = group;
  const { id, severity, fix } = READINGS[kind];
  const words = `${what}, ${counted(count, 'time')}${detail === null ? '' : ` (${detail})`}`;
  return {
    ...{ id, severity: severity(group), subject },
    evidence: samples.map((ref) => ({ kind, ref, detail: words })),
    fix: fix(group),
  };
}

/** How often a kind of thing went wrong, of those with one of these words. */
export const sumOf = (groups: readonly TriageGroup[], kind: TriageKind, ...words: string[]): number =>
  groups
    .filter((group) => group.kind === kind && (words.length === 0 || words.includes(group.what)))
    .reduce((sum, { count }) => sum + count, 0);
