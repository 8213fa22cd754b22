import { useCallback, useMemo, useState } from 'react';
import { Badge } from '../../components/Badge.tsx';
import { DataTable, type Column } from '../../components/DataTable.tsx';
import { Time } from '../../components/Time.tsx';
import type { AuditStep } from '../../generated/daemon/types.gen.ts';
import { barOf, durationOf, spanOf, tookOf, unfolded, type Span } from './step-tree.ts';

export type StepView = 'tree' | 'timeline';

interface StepTableProps {
  steps: readonly AuditStep[];
  view: StepView;
  selected: string;
  select: (step: string) => void;
  isLoading: boolean;
}

const TONES = { open: 'warn', ok: 'good', error: 'bad', denied: 'bad', cancelled: 'plain' } as const;
const RISKS = { minimal: 'plain', limited: 'warn', high: 'bad' } as const;
/** Deeper steps are not moved further to the right. */
const DEEPEST_INDENT = 12;

export const StatusBadge = ({ status }: Pick<AuditStep, 'status'>) => <Badge tone={TONES[status]}>{status}</Badge>;
export const RiskBadge = ({ risk_class }: Pick<AuditStep, 'risk_class'>) => (
  <Badge tone={RISKS[risk_class]}>{risk_class}</Badge>
);

/** The steps in the order of the tree, as rows that fold, with their facts or with bars over time. */
export function StepTable({ steps, view, selected, select, isLoading }: StepTableProps) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const fold = useCallback(({ node_id }: AuditStep, isFolded: boolean) => {
    setFolded((before) => {
      const next = new Set(before);
      if (isFolded) next.add(node_id);
      else next.delete(node_id);
      return next;
    });
  }, []);
  const onKey = (key: string, step: AuditStep) => {
    if ((key !== 'ArrowLeft' && key !== 'ArrowRight') || !step.has_children) return false;
    fold(step, key === 'ArrowLeft');
    return true;
  };
  const rows = useMemo(() => unfolded(steps, folded), [steps, folded]);
  const span = useSpan(steps, view);
  const columns = useMemo<Column<AuditStep>[]>(
    () => [
      {
        name: 'Step',
        width: span ? 'minmax(12rem, 1fr)' : 'minmax(14rem, 3fr)',
        cell: (step) => <StepName step={step} isFolded={folded.has(step.node_id)} fold={fold} />,
      },
      ...(span ? timelineColumns(span) : TREE_COLUMNS),
    ],
    [span, folded, fold],
  );
  return (
    <>
      {span && <Scale {...span} />}
      <DataTable
        label="Steps"
        columns={columns}
        rows={rows}
        rowKey={({ node_id }) => node_id}
        selectedKey={selected}
        onOpen={({ node_id }) => select(node_id)}
        onKey={onKey}
        isLoadingMore={isLoading}
        height="65vh"
      />
    </>
  );
}

/** What the timeline spans; the same object while its ends are the same, so that bars are not drawn again. */
function useSpan(steps: readonly AuditStep[], view: StepView): Span | undefined {
  const [openedAt] = useState(() => Date.now());
  const span = useMemo(() => (view === 'timeline' ? spanOf(steps, openedAt) : undefined), [steps, view, openedAt]);
  const { from, to } = span ?? {};
  return useMemo(() => (from === undefined || to === undefined ? undefined : { from, to }), [from, to]);
}

const TREE_COLUMNS: Column<AuditStep>[] = [
  { name: 'State', width: '4.5rem', cell: StatusBadge },
  { name: 'Took', width: '4rem', isNumber: true, cell: (step) => tookOf(step) ?? '…' },
  { name: 'Kind', width: '5.5rem', cell: ({ kind }) => kind },
  { name: 'Risk', width: '5rem', cell: RiskBadge },
  { name: 'Actor', width: 'minmax(7rem, 1fr)', cell: ({ actor }) => <span title={actor}>{actor}</span> },
  { name: 'Began', width: '7.5rem', cell: ({ ts_start }) => <Time at={ts_start} /> },
];

const timelineColumns = (span: Span): Column<AuditStep>[] => [
  { name: 'Over time', width: 'minmax(12rem, 2fr)', cell: (step) => <Bar step={step} span={span} /> },
  { name: 'Took', width: '5rem', isNumber: true, cell: (step) => tookOf(step) ?? 'open' },
];

interface StepNameProps {
  step: AuditStep;
  isFolded: boolean;
  fold: (step: AuditStep, isFolded: boolean) => void;
}

function StepName({ step, isFolded, fold }: StepNameProps) {
  const { depth, label, has_children, withheld, node_id } = step;
  const text = withheld ? 'withheld' : label || node_id;
  return (
    <span className="step-name" style={{ paddingInlineStart: `${Math.min(depth, DEEPEST_INDENT)}rem` }}>
      <span className="visually-hidden">Level {depth + 1}, </span>
      {has_children ? (
        <button
          type="button"
          className="step-fold"
          tabIndex={-1}
          aria-expanded={!isFolded}
          aria-label={`What is below ${text}`}
          onClick={() => fold(step, !isFolded)}
        >
          {isFolded ? '▸' : '▾'}
        </button>
      ) : (
        <span className="step-fold" aria-hidden="true" />
      )}
      <span title={text} className={withheld ? 'quiet' : ''}>
        {text}
      </span>
    </span>
  );
}

function Bar({ step, span }: { step: AuditStep; span: Span }) {
  const { start, width } = barOf(step, span);
  const began = durationOf(Date.parse(step.ts_start) - span.from);
  return (
    <span className="step-track" title={`begins after ${began}`}>
      <span className="visually-hidden">
        {step.status}, begins after {began}
      </span>
      <span className={`step-bar ${step.status}`} style={{ insetInlineStart: `${start}%`, width: `${width}%` }} />
    </span>
  );
}

function Scale({ from, to }: Span) {
  return (
    <p className="row quiet">
      <span>
        From <Time at={from} isExact />
      </span>
      <span>
        over <span className="number">{durationOf(to - from)}</span>
      </span>
    </p>
  );
}
