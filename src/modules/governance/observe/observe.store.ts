import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { type RowLock, startAfter, TenantRepository, type Values } from '../../../common/tenancy/tenant-repository.js';
import { ObserveSessionRow } from './observe-session.entity.js';
import { ObserveStepRow } from './observe-step.entity.js';
import { placeOf } from './steps.rules.js';

/** Which steps of a session: all, or those below one; `levels` below it, or below nothing, at most. */
export interface StepFilter {
  readonly sessionId: string;
  readonly below?: Pick<ObserveStepRow, 'nodeId' | 'path' | 'depth'> | undefined;
  readonly levels?: number | undefined;
}

export type StepWithChildren = ObserveStepRow & { hasChildren: boolean };

/** Observed sessions and steps of the open unit of work's tenant. */
@Injectable()
export class ObserveStore {
  private readonly sessions: TenantRepository<ObserveSessionRow>;
  private readonly steps: TenantRepository<ObserveStepRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.sessions = new TenantRepository(tenancy, ObserveSessionRow);
    this.steps = new TenantRepository(tenancy, ObserveStepRow);
  }

  findSession(sessionId: string, lock?: RowLock): Promise<ObserveSessionRow | undefined> {
    return this.sessions.find({ sessionId }, lock);
  }

  /** The session, made where there is none; it is not archived until the unit of work ends. */
  async enterSession(sessionId: string, openedBy: string, lock: RowLock): Promise<ObserveSessionRow> {
    return (
      (await this.findSession(sessionId, lock)) ??
      (await this.sessions.insertNew({ sessionId, openedBy })) ??
      (await this.findSession(sessionId, lock))!
    );
  }

  async setAutoNode(sessionId: string, autoNode: string): Promise<void> {
    await this.sessions.updateOne({ sessionId }, { autoNode });
  }

  findStep(sessionId: string, nodeId: string, lock?: RowLock): Promise<ObserveStepRow | undefined> {
    return this.steps.find({ sessionId, nodeId }, lock);
  }

  /** @returns undefined where the session has a step by this id */
  async insertStep(values: Values<ObserveStepRow>, parentPath: string): Promise<ObserveStepRow | undefined> {
    const [drawn] = await this.tenancy.query<{ seq: string }>(`select nextval('observe_step_seq') as seq`);
    return this.steps.insertNew({ ...values, path: parentPath + placeOf(drawn!.seq) });
  }

  change(sessionId: string, nodeId: string, values: Values<ObserveStepRow>): Promise<ObserveStepRow> {
    return this.steps.updateOne({ sessionId, nodeId }, values);
  }

  /** A page in the order of the tree, each step before those below it. */
  async listSteps(filter: StepFilter, after: [string] | undefined, take: number): Promise<StepWithChildren[]> {
    const query = this.select(filter, take).addSelect(HAS_CHILDREN, 'has_children');
    if (after) startAfter(query, after, { path: 'asc' });
    const { entities, raw } = await query.getRawAndEntities<{ has_children: boolean }>();
    return entities.map((step, place) => Object.assign(step, { hasChildren: raw[place]!.has_children }));
  }

  /** All steps of a session in that order, in batches. */
  listPlainly(sessionId: string, after: [string] | undefined, take: number): Promise<ObserveStepRow[]> {
    return this.steps.list({ sessionId }, { order: { path: 'asc' }, after, take });
  }

  private select({ sessionId, below, levels }: StepFilter, take: number): SelectQueryBuilder<ObserveStepRow> {
    // One level has an index of its own; of more, the paths of a subtree all begin alike.
    const parentId = levels === 1 ? (below?.nodeId ?? null) : undefined;
    const query = this.steps.select('step', { sessionId }, { order: { path: 'asc' }, take });
    if (parentId === null) query.andWhere('step.parent_id is null');
    else if (parentId !== undefined) query.andWhere('step.parent_id = :parentId', { parentId });
    else if (below) query.andWhere('step.path > :from and step.path < :to', { from: below.path, to: `${below.path}g` });
    const from = below ? below.depth + 1 : 0;
    if (levels !== undefined && levels > 1) query.andWhere('step.depth < :deepest', { deepest: from + levels });
    return query;
  }
}

/** With a limit, so that it is asked of the rows of the page: for EXISTS the planner may hash the whole session. */
const HAS_CHILDREN = `coalesce((select true from observe_step child where child.tenant_id = step.tenant_id
  and child.session_id = step.session_id and child.parent_id = step.node_id limit 1), false)`;
