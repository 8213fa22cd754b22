import { useDeferredValue, useState } from 'react';
import { usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { useDraft } from '../../components/drafts.ts';
import { Notice } from '../../components/Notice.tsx';
import { Page } from '../../components/Page.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listFacts } from '../../generated/daemon/sdk.gen.ts';
import type { FactList, FactReply } from '../../generated/daemon/types.gen.ts';
import { isFiltered, NO_FILTER, queryOf } from './fact-filter.ts';
import { FactFilters } from './FactFilters.tsx';
import { FactForm } from './FactForm.tsx';

/** All facts of the tenant, now or as they were known at a moment. */
export default function FactsScreen() {
  const { draft: filter, change } = useDraft('facts filter', NO_FILTER);
  const [isStoring, setStoring] = useState(false);
  return (
    <Page
      title="Facts"
      description="What is known, with what was known before."
      actions={
        <Button right="write" look="primary" onPress={() => setStoring(true)}>
          Store a fact
        </Button>
      }
    >
      <FactFilters filter={filter} change={change} />
      {filter.asOf && (
        <Notice tone="warn">
          <p>
            What was known at <Time at={Number(filter.asOf)} isExact />, not what is known now.
          </p>
        </Notice>
      )}
      <h2 className="visually-hidden">List</h2>
      <FactTable />
      <FactForm isOpen={isStoring} onClose={() => setStoring(false)} />
    </Page>
  );
}

const COLUMNS: Column<FactReply>[] = [
  { name: 'Entity', width: 'minmax(9rem, 1.2fr)', cell: ({ entity }) => <code title={entity}>{entity}</code> },
  { name: 'Key', width: 'minmax(6rem, 0.8fr)', cell: ({ key }) => <code title={key}>{key}</code> },
  { name: 'Value', width: 'minmax(12rem, 2.5fr)', cell: ({ value }) => <span title={value}>{value}</span> },
  { name: 'State', width: '7rem', cell: (fact) => <FactState fact={fact} /> },
  { name: 'Confidence', width: '6.5rem', isNumber: true, cell: ({ confidence }) => confidence.toFixed(2) },
  { name: 'Version', width: '5rem', isNumber: true, cell: ({ version }) => version },
  { name: 'Stored', width: '8rem', cell: ({ stored_at }) => <Time at={stored_at} /> },
];

export function FactState({ fact }: { fact: FactReply }) {
  const { superseded_by, quarantined, private: isPrivate } = fact;
  if (quarantined) return <Badge tone="bad">quarantined</Badge>;
  if (superseded_by) return <Badge tone="warn">replaced</Badge>;
  return isPrivate ? <Badge>private</Badge> : <Badge tone="good">holds</Badge>;
}

const factsOf = ({ facts }: FactList) => facts;

function FactTable() {
  const { draft } = useDraft('facts filter', NO_FILTER);
  const filter = useDeferredValue(draft);
  const pages = usePages(['facts', 'list', filter], (cursor) => listFacts({ query: queryOf(filter, cursor) }), {
    rowsIn: ({ facts }) => facts.length,
  });
  return (
    <PagedTable
      pages={pages}
      rowsOf={factsOf}
      totalOf={({ total_visible }) => total_visible}
      label="Facts"
      columns={COLUMNS}
      rowKey={({ fact_id }) => fact_id}
      linkOf={({ fact_id }) => `/facts/${encodeURIComponent(fact_id)}`}
      empty={
        isFiltered(filter) ? (
          <Empty title="No fact matches">Take a shorter prefix or another text, or go back to now.</Empty>
        ) : (
          <Empty title="No facts yet">Store the first: an entity, a key of it, and the value.</Empty>
        )
      }
    />
  );
}
