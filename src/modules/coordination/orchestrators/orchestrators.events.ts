import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import type { OrchestratorRow } from './orchestrator.entity.js';

/** Event and receipt of one change. Each orchestrator has a stream of its own, so that none waits for another. */
export const orchestratorChange = (
  what: 'created' | 'changed',
  { orchestratorId, state, version }: OrchestratorRow,
  facts: object,
): AuditEntry => ({
  kind: `orchestrator.${what}`,
  subject: orchestratorId,
  facts: { orchestratorId, state, version, ...facts },
  stream: `orchestrators/${orchestratorId}`,
});
