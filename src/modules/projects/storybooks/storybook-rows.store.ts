import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import {
  MAX_STATEMENTS,
  type StatedGate,
  type StatedMove,
  type StatedPerson,
  type StatedPlane,
  type StatedRepo,
  type StatedWork,
} from './storybooks.types.js';

/** One more than a section holds, so that it is known whether there is more. */
const MAX_ROWS = MAX_STATEMENTS + 1;

/** Subject and receipt. */
type Receipts = ReadonlyMap<string, string>;

/**
 * What a storybook is made of, facts and dossiers apart, in the open unit of work. Nothing here asks for the time: an
 * item whose lease is over, or a gate past its day, is what its row says until a sweep changes that.
 */
@Injectable()
export class StorybookRowsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Of the project and of each plane, by subject: the newest, which all before it lead to. */
  async findReceipts(projectId: string): Promise<Receipts> {
    const rows = await this.find<{ subject: string; receipt_id: string }>(
      `select distinct on (r.subject) r.subject, r.receipt_id from receipt r
       where r.tenant_id = $1 and r.stream = 'projects/' || $2 and (r.kind like 'project.%' or r.kind like 'plane.%')
       order by r.subject, r.seq desc`,
      projectId,
    );
    return new Map(rows.map(({ subject, receipt_id }) => [subject, receipt_id]));
  }

  listPlanes(projectId: string): Promise<Omit<StatedPlane, 'receipts'>[]> {
    return this.find(
      `select p.plane_id as id, p.name, p.description from plane p
       where p.tenant_id = $1 and p.project_id = $2 and p.deleted_at is null order by p.plane_id limit ${MAX_ROWS}`,
      projectId,
    );
  }

  listPeople(projectId: string): Promise<Omit<StatedPerson, 'receipts'>[]> {
    return this.find(
      `select m.passport_id as passport, m.role, nullif(m.plane_id, '') as "planeId" from project_passport m
       where m.tenant_id = $1 and m.project_id = $2 order by m.plane_id, m.passport_id limit ${MAX_ROWS}`,
      projectId,
    );
  }

  listRepos(projectId: string): Promise<Omit<StatedRepo, 'receipts'>[]> {
    return this.find(
      `select r.repo, r.plane_id as "planeId", r.role from project_repo r
       where r.tenant_id = $1 and r.project_id = $2 order by r.repo limit ${MAX_ROWS}`,
      projectId,
    );
  }

  /** What is not ended first, in the order of the board. */
  listWork(projectId: string): Promise<StatedWork[]> {
    return this.find<StatedWork>(
      `select i.work_id as "workId", i.title, i.state, i.priority, i.assignee_passport as assignee, i.blocker_kind as "blockerKind",
         i.blocker_reason as "blockerReason", i.open_blockers as "openBlockers", i.version from work_item i
       where i.tenant_id = $1 and i.project_id = $2
       order by i.state in ('done', 'cancelled'), i.priority, i.created_at, i.work_id limit ${MAX_ROWS}`,
      projectId,
    );
  }

  /** Newest first. */
  listMoves(projectId: string): Promise<StatedMove[]> {
    return this.find<StatedMove>(
      `select t.work_id as "workId", i.title, t.version, t.from_state as "from", t.to_state as "to", t.passport, t.receipt_id as "receiptId",
         t.changed_at as at from work_item i join work_transition t on t.tenant_id = i.tenant_id and t.work_id = i.work_id
       where i.tenant_id = $1 and i.project_id = $2 order by t.changed_at desc, t.work_id, t.version desc limit ${MAX_ROWS}`,
      projectId,
    );
  }

  /** Pending ones first, then by when they were decided on, newest first. */
  listGates(projectId: string): Promise<StatedGate[]> {
    return this.find<StatedGate>(
      `select g.action_id as "actionId", g.work_id as "workId", i.title, g.after ->> 'state' as "to", g.status, g.requested_passport as "requestedBy",
         g.requested_at as "requestedAt", g.expires_at as "expiresAt", g.decided_passport as "decidedBy", g.decided_at as "decidedAt", g.reason,
         g.request_receipt as "requestReceipt", g.decision_receipt as "decisionReceipt"
       from work_gate g join work_item i on i.tenant_id = g.tenant_id and i.work_id = g.work_id
       where g.tenant_id = $1 and g.project_id = $2 order by g.decided_at desc nulls first, g.requested_at desc, g.action_id limit ${MAX_ROWS}`,
      projectId,
    );
  }

  private find<Row>(sql: string, projectId: string): Promise<Row[]> {
    return this.tenancy.query<Row>(sql, [this.tenancy.tenant, projectId]);
  }
}
