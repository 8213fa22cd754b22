import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import type { WorkItem } from '../work-item.dto.js';
import { PlanFolder, type PlanFault, type PlanFile } from './plan-folder.js';
import { projectOf, type PlanItem } from './plans.rules.js';

/** An item of a plan, with its place in the order of all. */
export interface PlannedItem {
  item: WorkItem;
  path: string;
  place: number;
}

/** Who creates what plan files say. */
const PLANS = 'plans';

/** What the plan files below SVC_EXECPLANS_ROOT say, as work: to be read, never to be changed here. */
@Injectable()
export class PlansService {
  private readonly folder: PlanFolder | undefined;

  constructor(@Inject(SETTINGS) { daemon: { execplansRoot } }: Settings) {
    this.folder = execplansRoot === undefined ? undefined : new PlanFolder(execplansRoot);
  }

  /** By file and by place in it. */
  async list(tenantId: string): Promise<{ items: PlannedItem[]; warnings: PlanFault[] }> {
    if (!this.folder) return { items: [], warnings: [{ path: '.', problem: 'SVC_EXECPLANS_ROOT is not set' }] };
    const { files, faults } = await this.folder.read();
    return { items: files.flatMap((file) => itemsOf(tenantId, file)), warnings: faults.slice(0, MAX_WARNINGS) };
  }

  async find(tenantId: string, id: string): Promise<WorkItem | undefined> {
    return (await this.list(tenantId)).items.find(({ item }) => item.id === id)?.item;
  }
}

const MAX_WARNINGS = 100;

const itemsOf = (tenantId: string, file: PlanFile): PlannedItem[] =>
  file.items.map((item, place) => ({ item: workOf(tenantId, file, item), path: file.path, place }));

const workOf = (tenantId: string, { path, createdAt, changedAt }: PlanFile, plan: PlanItem): WorkItem => ({
  id: plan.id,
  work_id: plan.id,
  tenant_id: tenantId,
  project_id: projectOf(path),
  title: plan.title,
  body: [[`${path}:${plan.line}`, ...plan.headings].join(' > '), plan.body].join('\n\n').trim(),
  body_truncated: false,
  state: plan.state,
  created_by_passport: PLANS,
  assignee_passport: null,
  linked_pr: null,
  linked_issue: null,
  blocker_reason: null,
  blocker_kind: null,
  priority: 2,
  labels: [],
  open_blockers: 0,
  ready: plan.state === 'ready',
  lease: null,
  source: 'plans',
  version: 1,
  created_at: new Date(Math.min(createdAt.getTime() || changedAt.getTime(), changedAt.getTime())).toISOString(),
  updated_at: changedAt.toISOString(),
});
