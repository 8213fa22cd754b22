import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { usePages } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { DataTable, type Column } from '../../components/DataTable.tsx';
import { TextField } from '../../components/fields.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listReceipts } from '../../generated/daemon/sdk.gen.ts';
import { sessionsOf, type KnownSession } from './known-sessions.ts';
import './sessions.css';

const addressOf = (id: string) => `/sessions/${encodeURIComponent(id)}`;

/** Observed sessions. The daemon has no list of them, so that they are found by the receipts of their steps. */
export default function SessionsScreen() {
  return (
    <Page title="Sessions" description="What agents did, step by step, each step bound by signed receipts.">
      <OpenById />
      <Section title="Recent sessions">
        <Recent />
      </Section>
    </Page>
  );
}

function OpenById() {
  const [, navigate] = useLocation();
  const [id, setId] = useState('');
  const open = (event: FormEvent) => {
    event.preventDefault();
    if (id.trim()) navigate(addressOf(id.trim()));
  };
  return (
    <form className="row session-by-id" onSubmit={open}>
      <TextField
        label="Session"
        value={id}
        onChange={setId}
        isMono
        hint="Its id, as X-Svc-Session-Id names it."
        autoComplete="off"
      />
      <Button type="submit" isDisabled={id.trim() === ''}>
        Open
      </Button>
    </form>
  );
}

const COLUMNS: Column<KnownSession>[] = [
  { name: 'Session', width: 'minmax(12rem, 2fr)', cell: ({ id }) => <code title={id}>{id}</code> },
  { name: 'Opened by', width: 'minmax(8rem, 1fr)', cell: ({ principal }) => principal },
  { name: 'Steps read', width: '7rem', isNumber: true, cell: ({ receipts }) => receipts.toLocaleString() },
  { name: 'Newest step', width: '9rem', cell: ({ newest }) => <Time at={newest} /> },
];

function Recent() {
  const pages = usePages(['sessions', 'recent'], (before) =>
    listReceipts({ query: { kind: 'step.opened', limit: 200, ...(before ? { before } : {}) } }),
  );
  return (
    <Answer query={pages} rows={5}>
      {(answers) => {
        const sessions = sessionsOf(answers.flatMap(({ rows }) => rows));
        if (sessions.length === 0)
          return (
            <Empty title="No session was observed yet">
              Open a step with <code>POST /v1/observe/sessions/&lt;id&gt;/steps</code>; docs/observe.md shows how, and
              how steps make themselves.
            </Empty>
          );
        return (
          <DataTable
            label="Recent sessions"
            columns={COLUMNS}
            rows={sessions}
            rowKey={({ id }) => id}
            linkOf={({ id }) => addressOf(id)}
            loadMore={pages.hasNextPage ? pages.fetchNextPage : undefined}
            isLoadingMore={pages.isFetchingNextPage}
          />
        );
      }}
    </Answer>
  );
}
