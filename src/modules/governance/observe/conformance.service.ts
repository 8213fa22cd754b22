import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { AI_ACT_ARTICLES, AID, articleOf, RULE_NAMES } from './ai-act.types.js';
import type { AiActArticleView, ConformanceReport } from './conformance.dto.js';
import { type RuleFinding, TreeCheck } from './conformance.rules.js';
import { ObserveAuditService } from './observe-audit.service.js';
import type { ObserveStepRow } from './observe-step.entity.js';
import { ObserveStore } from './observe.store.js';
import { type CheckedRecord, receiptFindings, StepReceipts } from './step-receipts.service.js';

const BATCH = 500;
const MAX_FINDINGS = 1000;

/** What is done with each batch of steps as they are checked, with their records. */
type Each = (steps: readonly ObserveStepRow[], records: ReadonlyMap<string, CheckedRecord>) => void;

/** Holds the steps of a session against the named rules, batch by batch, each in a short transaction of its own. */
@Injectable()
export class ConformanceService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly audits: ObserveAuditService,
    private readonly store: ObserveStore,
    private readonly receipts: StepReceipts,
  ) {}

  /** @throws ObserveSessionUnknown */
  async report(caller: DaemonCaller, sessionId: string, each: Each = () => undefined): Promise<ConformanceReport> {
    const tree = new TreeCheck();
    const found = new Findings();
    let [steps, receipts, after]: [number, number, [string] | undefined] = [0, 0, undefined];
    for (;;) {
      const { rows, records, isArchived } = await this.readBatch(caller, sessionId, after);
      for (const row of rows) {
        found.add(tree.check(row));
        found.add(receiptFindings(row, records, isArchived));
      }
      each(rows, records);
      [steps, receipts] = [steps + rows.length, receipts + records.size];
      if (rows.length < BATCH) break;
      after = [rows.at(-1)!.path];
    }
    found.add(tree.finish());
    return { session_id: sessionId, steps_checked: steps, receipts_checked: receipts, ...found.view() };
  }

  private readBatch(caller: DaemonCaller, sessionId: string, after: [string] | undefined) {
    // The steps of a session that is archived are empty: it may be so between two batches.
    return this.tenants.runOnSnapshot(caller, undefined, async () => {
      const { archivedAt } = await this.audits.read(sessionId);
      const rows = await this.store.listPlainly(sessionId, after, BATCH);
      return { rows, records: await this.receipts.check(rows), isArchived: archivedAt !== null };
    });
  }
}

class Findings {
  private readonly shown: RuleFinding[] = [];
  private readonly counts = new Map<string, number>();
  private all = 0;

  add(findings: readonly RuleFinding[]): void {
    for (const finding of findings) {
      this.all += 1;
      this.counts.set(finding.rule, (this.counts.get(finding.rule) ?? 0) + 1);
      if (this.shown.length < MAX_FINDINGS) this.shown.push(finding);
    }
  }

  view(): Omit<ConformanceReport, 'session_id' | 'steps_checked' | 'receipts_checked'> {
    return {
      conforms: this.all === 0,
      rules: RULE_NAMES.map((rule) => {
        const violations = this.counts.get(rule) ?? 0;
        return { rule, article: articleOf(rule), holds: violations === 0, violations };
      }),
      findings: this.shown.map(({ rule, nodeId, detail }) => ({
        ...{ rule, node_id: nodeId, article: articleOf(rule), detail },
      })),
      truncated: this.all > this.shown.length,
      ai_act_articles: articlesView(),
      ...{ note: AID, schema: 'svc.observe.conformance/1' },
    };
  }
}

export const articlesView = (): AiActArticleView[] =>
  AI_ACT_ARTICLES.map(({ rules, ...article }) => ({ ...article, rules: [...rules] }));
