import type { RuleName } from './ai-act.types.js';
import type { ObserveStepRow } from './observe-step.entity.js';

/** What a rule found of a step. */
export interface RuleFinding {
  readonly rule: RuleName;
  readonly nodeId: string;
  readonly detail: string;
}

/** How far clocks may differ before a step begins in the future. */
const CLOCKS_MS = 5 * 60_000;

type Place = 'nodeId' | 'parentId' | 'depth';
type State = 'kind' | 'riskClass' | 'status' | 'tsStart' | 'tsEnd' | 'openedAt';
type Evidence = 'receiptId' | 'mutationReceiptId' | 'outputs';
export type CheckedStep = Pick<ObserveStepRow, Place | State | Evidence>;

const isClosed = ({ status }: CheckedStep): boolean => status !== 'open';

/** A step that says it wrote facts. */
export const isMutation = ({ kind, status, outputs }: Pick<CheckedStep, 'kind' | 'status' | 'outputs'>): boolean =>
  kind === 'memory' && status === 'ok' && !!outputs?.some((output) => output.kind === 'fact');

/** What of a step is wrong by itself, or next to its parent. */
type StepRule = (step: CheckedStep, parent: CheckedStep | undefined) => string | undefined;

const STEP_RULES: readonly (readonly [RuleName, StepRule])[] = [
  ['tree_whole', brokenTree],
  ['steps_closed', (step) => (isClosed(step) ? undefined : 'It is open.')],
  ['times_in_order', wrongTime],
  [
    'high_risk_has_receipt',
    (step) => (step.riskClass === 'high' && isClosed(step) && !step.receiptId ? 'It names no receipt_id.' : undefined),
  ],
  [
    'mutation_has_receipt',
    (step) =>
      isMutation(step) && !step.mutationReceiptId ? 'It wrote facts and names no mutation_receipt_id.' : undefined,
  ],
];

function brokenTree({ parentId, depth }: CheckedStep, parent: CheckedStep | undefined): string | undefined {
  if (parentId === null) return depth === 0 ? undefined : `It has no parent, at depth ${depth}.`;
  if (parent?.nodeId !== parentId) return `Its parent ${parentId} does not stand above it.`;
  return depth === parent.depth + 1 ? undefined : `It is at depth ${depth}, its parent at ${parent.depth}.`;
}

function wrongTime({ tsStart, tsEnd, openedAt }: CheckedStep, parent: CheckedStep | undefined): string | undefined {
  if (tsEnd && tsEnd < tsStart) return 'It ended before it began.';
  if (parent && tsStart < parent.tsStart) return `It began before its parent, at ${parent.tsStart.toISOString()}.`;
  if (tsStart.getTime() > openedAt.getTime() + CLOCKS_MS)
    return `It begins after it was recorded, at ${openedAt.toISOString()}.`;
  return undefined;
}

/** Goes over the steps of a session in the order of their tree, each after those above it. */
export class TreeCheck {
  /** The steps above the last one, by depth. */
  private readonly above: CheckedStep[] = [];
  /** Decisions of high risk of which no person's step is known yet. */
  private readonly alone = new Set<string>();

  check(step: CheckedStep): RuleFinding[] {
    const parent = step.depth === 0 ? undefined : this.above[step.depth - 1];
    this.above.length = Math.min(this.above.length, step.depth);
    this.noteDecision(step);
    this.above[step.depth] = step;
    return STEP_RULES.flatMap(([rule, find]) => {
      const detail = find(step, parent);
      return detail === undefined ? [] : [{ rule, nodeId: step.nodeId, detail }];
    });
  }

  /** What can be said after the last step alone. */
  finish(): RuleFinding[] {
    return [...this.alone].map((nodeId) => ({
      ...{ rule: 'human_decision_recorded', nodeId },
      detail: 'It is a decision of high risk, and no closed step of kind human is below it or above it.',
    }));
  }

  private noteDecision(step: CheckedStep): void {
    const above = this.above.filter((held) => held !== undefined);
    const isByPerson = (held: CheckedStep) => held.kind === 'human' && isClosed(held) && held.status !== 'cancelled';
    if (isByPerson(step)) for (const { nodeId } of above) this.alone.delete(nodeId);
    if (step.kind === 'decision' && step.riskClass === 'high' && !above.some(isByPerson)) this.alone.add(step.nodeId);
  }
}
