import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { AuditQuery, SessionAudit } from './observe-audit.dto.js';
import type { ObserveSessionRow } from './observe-session.entity.js';
import { ObserveSessionUnknown } from './observe.problems.js';
import { ObserveStore } from './observe.store.js';
import { nodeOf, seesStep } from './observe.views.js';

/** Shows the steps of a session, page by page. */
@Injectable()
export class ObserveAuditService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: ObserveStore,
  ) {}

  /** @throws ObserveSessionUnknown; ValidationFailed for a parent that is not there */
  list(caller: DaemonCaller, sessionId: string, query: AuditQuery): Promise<SessionAudit> {
    const { limit, cursor, parent_id, depth: levels } = query;
    const after = decodeCursor(cursor, ['text']);
    return this.tenants.run(caller, undefined, async () => {
      const { openedAt, archivedAt } = await this.read(sessionId);
      const below = parent_id === undefined ? undefined : await this.store.findStep(sessionId, parent_id);
      if (parent_id !== undefined && !below)
        throw invalid('query.parent_id', 'names no step of the session; leave it out to begin at the roots');
      const rows = await this.store.listSteps({ sessionId, below, levels }, after, limit + 1);
      const { page, has_more, next_cursor } = takePage(rows, limit, ({ path }) => [path]);
      const steps = page.map((step) => ({
        ...nodeOf(step, seesStep(caller, step)),
        has_children: step.hasChildren,
      }));
      return {
        ...{ session_id: sessionId, opened_at: openedAt.toISOString() },
        archived_at: archivedAt?.toISOString() ?? null,
        ...{ steps, count: steps.length, has_more, next_cursor },
        schema: 'svc.observe.audit/1',
      };
    });
  }

  /** In the open unit of work. @throws ObserveSessionUnknown */
  async read(sessionId: string): Promise<ObserveSessionRow> {
    const session = await this.store.findSession(sessionId);
    if (session) return session;
    throw new ObserveSessionUnknown(
      { session_id: sessionId },
      'Open its first step with POST /v1/observe/sessions/{id}/steps',
    );
  }
}
