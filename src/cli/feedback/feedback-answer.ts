import type { Actor } from '../../common/evidence-log/audit-trail.js';
import { CrossTenant } from '../../common/tenancy/cross-tenant.js';
import type { OperatorAnswer } from '../../modules/continuity/feedback/operator-answer.dto.js';
import { RequestsService } from '../../modules/continuity/feedback/requests.service.js';
import { REQUEST_ACTIONS } from '../../modules/continuity/feedback/requests.types.js';
import { RevenueService } from '../../modules/continuity/feedback/revenue.service.js';
import { VERDICTS } from '../../modules/continuity/feedback/revenue.types.js';
import { asOperator } from '../operator.js';
import { UsageError, UserError } from '../output.js';

export interface Answer {
  tenantId: string;
  id: string;
  text: string;
  decision?: string;
}

export interface Answered {
  kind: 'request' | 'declaration';
  status: string;
  operatorAnswer: OperatorAnswer | null;
}

/** Answers the request or declaration of the id. @throws UserError, UsageError */
export function sendAnswer(by: Actor, { tenantId, id, text, decision }: Answer): Promise<Answered> {
  return asOperator(async (services) => {
    const kind = await services.get(CrossTenant).run('answer feedback', async (query) => {
      const [found] = await query<{ kind: Answered['kind'] }>(FIND, [tenantId, id]);
      return found?.kind;
    });
    if (kind === 'request') {
      const action = chosen(decision, REQUEST_ACTIONS, kind);
      const answered = await services.get(RequestsService).answer(tenantId, by, { requestId: id, text, action });
      return { kind, ...answered };
    }
    if (kind === 'declaration') {
      const verdict = chosen(decision, VERDICTS, kind);
      const answer = { declarationId: id, text, decision: verdict };
      return { kind, ...(await services.get(RevenueService).answer(tenantId, by, answer)) };
    }
    throw new UserError(
      `Tenant ${tenantId} has no request or declaration ${id}; svc feedback list shows them. Survey responses and tips take no answer`,
    );
  });
}

const FIND = `
  select 'request' as kind from feedback_request where tenant_id = $1 and request_id = $2
  union all select 'declaration' from revenue_declaration where tenant_id = $1 and declaration_id = $2`;

/** @throws UsageError */
function chosen<T extends string>(decision: string | undefined, all: readonly T[], kind: string): T | undefined {
  const found = all.find((one) => one === decision);
  if (decision === undefined || found) return found;
  throw new UsageError(`A ${kind} takes --decision ${all.join(', ')}`);
}
