import { Link, useLocation, useParams } from 'wouter';
import { decoded } from '../../client/parameters.ts';
import { Button } from '../../components/Button.tsx';
import { Notice } from '../../components/Notice.tsx';
import { Page } from '../../components/Page.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { Tabs } from '../../components/Tabs.tsx';
import { Conformance } from './Conformance.tsx';
import { SessionExports } from './SessionExports.tsx';
import { SessionReceipts } from './SessionReceipts.tsx';
import { StepDetail } from './StepDetail.tsx';
import { StepTable, type StepView } from './StepTable.tsx';
import { useSteps } from './use-steps.ts';
import './sessions.css';

const PARTS = ['tree', 'timeline', 'rules', 'receipts', 'export'];

/** What of a session the address names: its part, and in the tree and the timeline a step, which may stand alone. */
function useShownPart() {
  const params = useParams<{ id: string; part?: string; step?: string }>();
  const [, navigate] = useLocation();
  const [id, first, second] = [decoded(params.id), decoded(params.part), decoded(params.step)];
  const isPart = PARTS.includes(first);
  const [part, step] = isPart ? [first, second] : ['tree', first];
  const show = (shown: string, chosen: string) =>
    navigate(['/sessions', ...[id, shown, chosen].filter(Boolean).map(encodeURIComponent)].join('/'), {
      replace: true,
    });
  return { id, part, step, show };
}

/** One observed session, each part of it at an address of its own. */
export default function SessionScreen() {
  const { id, part, step: selected, show } = useShownPart();
  const found = useSteps(id);
  const select = (step: string) => show(part, step);
  const steps = (view: StepView) => <Steps {...{ found, view, selected, select }} />;
  return (
    <Page
      title={`Session ${id}`}
      description={<Link href="/sessions">All sessions</Link>}
      actions={
        <Button onPress={found.readAgain} isPending={found.pages.isRefetching}>
          Read again
        </Button>
      }
    >
      <Answer query={found.pages} rows={8}>
        {() =>
          found.off ? (
            <Notice tone="warn" title="Observing is switched off">
              {found.off.detail} (<code>{found.off.flag}</code>)
            </Notice>
          ) : (
            <Tabs
              label="Session"
              selected={part}
              onSelect={(next) => next !== part && show(next, selected)}
              tabs={[
                { id: 'tree', title: 'Tree', content: () => steps('tree') },
                { id: 'timeline', title: 'Timeline', content: () => steps('timeline') },
                { id: 'rules', title: 'Rules', content: () => <Conformance session={id} /> },
                { id: 'receipts', title: 'Receipts', content: () => <SessionReceipts session={id} /> },
                { id: 'export', title: 'Export', content: () => <SessionExports session={id} /> },
              ]}
            />
          )
        }
      </Answer>
    </Page>
  );
}

interface StepsProps {
  found: ReturnType<typeof useSteps>;
  view: StepView;
  selected: string;
  select: (step: string) => void;
}

function Steps({ found: { pages, steps, newer, readAgain }, view, selected, select }: StepsProps) {
  const first = pages.data?.[0];
  const archivedAt = first && 'archived_at' in first ? first.archived_at : null;
  const step = steps.find(({ node_id }) => node_id === selected);
  if (steps.length === 0) return <Empty title="No steps">The session has none that you may see.</Empty>;
  return (
    <div className="stack">
      {archivedAt && (
        <Notice title="Archived">Labels, inputs and outputs are gone; tree, times and receipts stay.</Notice>
      )}
      {newer > 0 && (
        <Notice title={`${newer} changes since it was read`}>
          <Button onPress={readAgain}>Read again</Button>
        </Notice>
      )}
      <div className="session-split">
        <div>
          <h2 className="visually-hidden">Steps</h2>
          <StepTable steps={steps} view={view} selected={selected} select={select} isLoading={pages.hasNextPage} />
        </div>
        {step ? (
          <StepDetail step={step} />
        ) : (
          <Empty title={selected ? 'This step was not read yet' : 'No step chosen'}>
            Choose one with Enter or a click; ← and → fold and unfold what is below it.
          </Empty>
        )}
      </div>
    </div>
  );
}
