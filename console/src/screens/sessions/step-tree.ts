import type { AuditStep, SessionAudit } from '../../generated/daemon/types.gen.ts';

/** What the daemon answers where observing is switched off: 200, and nothing else. */
interface SwitchedOff {
  enabled: false;
  flag: string;
  detail: string;
}

export const isSwitchedOff = (answer: object): answer is SwitchedOff => 'enabled' in answer && answer.enabled === false;

export const stepsOf = (pages: readonly (SessionAudit | SwitchedOff)[]): AuditStep[] =>
  pages.flatMap((page) => (isSwitchedOff(page) ? [] : page.steps));

/** The steps that are shown, in the order of the tree: none below a folded one. */
export function unfolded(steps: readonly AuditStep[], folded: ReadonlySet<string>): AuditStep[] {
  let hiddenBelow = Infinity;
  return steps.filter(({ node_id, depth }) => {
    if (depth > hiddenBelow) return false;
    hiddenBelow = folded.has(node_id) ? depth : Infinity;
    return true;
  });
}

/** From the first step's begin to the last end, in milliseconds since 1970. */
export interface Span {
  from: number;
  to: number;
}

/** @param now ends what is open */
export function spanOf(steps: readonly AuditStep[], now: number): Span {
  const span = { from: Infinity, to: -Infinity };
  for (const { ts_start, ts_end } of steps) {
    span.from = Math.min(span.from, Date.parse(ts_start));
    span.to = Math.max(span.to, ts_end === null ? now : Date.parse(ts_end));
  }
  return span.from <= span.to ? span : { from: now, to: now };
}

/** Where a step's bar stands, in per cent of the span. */
export function barOf(step: AuditStep, { from, to }: Span): { start: number; width: number } {
  const length = Math.max(1, to - from);
  const per = (at: number) => Math.max(0, Math.min(100, ((at - from) / length) * 100));
  const start = per(Date.parse(step.ts_start));
  return { start, width: (step.ts_end === null ? 100 : per(Date.parse(step.ts_end))) - start };
}

const UNITS: [ms: number, name: string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
];

/** As `1.5 s`. */
export function durationOf(ms: number): string {
  const unit = UNITS.find(([length]) => ms >= length);
  return unit ? `${Number((ms / unit[0]).toFixed(ms / unit[0] < 10 ? 1 : 0))} ${unit[1]}` : `${Math.round(ms)} ms`;
}

/** How long a step took; undefined while it is open. */
export const tookOf = ({ ts_start, ts_end }: AuditStep): string | undefined =>
  ts_end === null ? undefined : durationOf(Date.parse(ts_end) - Date.parse(ts_start));
