import { useState } from 'react';
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

/** One observed session. */
export default function SessionScreen() {
  const params = useParams<{ id: string; step?: string }>();
  const id = decoded(params.id);
  const selected = decoded(params.step);
  const [, navigate] = useLocation();
  const [tab, setTab] = useState('tree');
  const found = useSteps(id);
  const select = (step: string) =>
    navigate(`/sessions/${encodeURIComponent(id)}/${encodeURIComponent(step)}`, { replace: true });
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
              selected={tab}
              onSelect={setTab}
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
