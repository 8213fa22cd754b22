import { Injectable } from '@nestjs/common';
import { GatesStore } from './gates/gates.store.js';
import type { GateFilter } from './gates/gates.types.js';
import type { WorkGateRow } from './gates/work-gate.entity.js';
import type { WorkItemRow } from './work-item.entity.js';
import { WorkListStore, type WorkFilter } from './work-list.store.js';

const ANY: WorkFilter = {
  ...{ projectId: undefined, state: undefined, assigneePassport: undefined, orchestrator: undefined },
  ...{ ready: undefined, priority: undefined, label: undefined },
};

/** What a session begins with: open items and pending gates, in the open unit of work. */
@Injectable()
export class WorkOutlookService {
  constructor(
    private readonly items: WorkListStore,
    private readonly gates: GatesStore,
  ) {}

  /** What a passport has begun or may begin, the begun first; in the order of the board. */
  async listOf(assigneePassport: string, limit: number): Promise<WorkItemRow[]> {
    const found: WorkItemRow[] = [];
    for (const state of ['in_progress', 'in_review', 'blocked', 'ready'] as const)
      found.push(...(await this.items.list({ ...ANY, assigneePassport, state }, undefined, limit)));
    return found.slice(0, limit);
  }

  /** What anybody may begin at once. */
  listReady(limit: number): Promise<WorkItemRow[]> {
    return this.items.list({ ...ANY, ready: true }, undefined, limit);
  }

  /** Items of a project that wait for information, in the order of the board. */
  listAsking(projectId: string, limit: number): Promise<WorkItemRow[]> {
    return this.items.list({ ...ANY, projectId, state: 'blocked', blockerKind: 'needs_info' }, undefined, limit);
  }

  /** Oldest first. */
  listGates(of: GateFilter, limit: number): Promise<WorkGateRow[]> {
    return this.gates.listOpen(of, undefined, limit);
  }
}
