import type { Handoff } from './handoff.dto.js';
import type { Finding } from './workbench.types.js';

type HandedOver = Pick<Handoff, 'open_work' | 'leases' | 'pending_gates' | 'intents' | 'to_passport' | 'truncated'>;

/** What whoever takes over has to do something about. */
export function findingsOfHandoff({
  open_work,
  leases,
  pending_gates,
  intents,
  to_passport,
  truncated,
}: HandedOver): Finding[] {
  const blocked = open_work.filter(({ state, open_blockers }) => state === 'blocked' || open_blockers > 0);
  return [
    ...leases.map(({ kind, subject, fence, holder_passport, expires_at }): Finding => ({
      ...{ id: 'handoff.lease_held', severity: 'warn', subject },
      evidence: [{ kind: 'lease', ref: String(fence), detail: `${holder_passport} holds it until ${expires_at}` }],
      fix:
        kind === 'work'
          ? RELEASE_WORK(subject)
          : 'Release it: POST /v1/punchcards/release; the next holder gets another fence',
    })),
    ...pending_gates.map(({ action_id, work_id, requested_by, expires_at }): Finding => ({
      ...{ id: 'handoff.gate_pending', severity: 'warn', subject: work_id },
      evidence: [{ kind: 'gate', ref: action_id, detail: `${requested_by} asked; it lapses at ${expires_at}` }],
      fix: `Decide on it, or ask who may: POST /v1/work/gate/${action_id}/approve`,
    })),
    ...blocked.map(({ work_id, title, blocker_reason }): Finding => ({
      ...{ id: 'handoff.work_blocked', severity: 'info', subject: work_id },
      evidence: [{ kind: 'work', ref: work_id, detail: blocker_reason ?? title }],
      fix: 'Find out what it waits for: GET /v1/work/{id}',
    })),
    ...intents.map(({ session_id, expires_at }): Finding => ({
      ...{ id: 'handoff.intent_live', severity: 'info', subject: session_id },
      evidence: [{ kind: 'intent', ref: session_id, detail: `it counts until ${expires_at}` }],
      fix: 'Clear it: POST /v1/coord/announce with ttl_seconds 0',
    })),
    ...(to_passport === null ? [NOBODY] : []),
    ...(truncated ? [CUT] : []),
  ];
}

const RELEASE_WORK = (workId: string): string =>
  `Release it: POST /v1/work/${workId}/release; whoever claims it next gets another fence`;

const NOBODY: Finding = {
  ...{ id: 'handoff.to_nobody', severity: 'info', subject: 'to_passport', evidence: [] },
  fix: 'Name who takes over as to_passport, where that is known',
};

const CUT: Finding = {
  ...{ id: 'handoff.truncated', severity: 'warn', subject: 'limit', evidence: [] },
  fix: 'Raise limit, or name a project',
};
