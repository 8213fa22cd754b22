import { useState } from 'react';
import { useLocation } from 'wouter';
import { usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { DataTable, type Column } from '../../components/DataTable.tsx';
import { SelectField } from '../../components/fields.tsx';
import { Page } from '../../components/Page.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listLegalHolds } from '../../generated/daemon/sdk.gen.ts';
import type { LegalHold } from '../../generated/daemon/types.gen.ts';
import { PlaceHold } from './PlaceHold.tsx';

const STATES = [
  { value: 'all', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'released', label: 'Released' },
];

const COLUMNS: Column<LegalHold>[] = [
  { name: 'Reason', width: 'minmax(12rem, 2fr)', cell: ({ reason }) => <span title={reason}>{reason}</span> },
  { name: 'Pins', width: 'minmax(9rem, 1fr)', cell: ({ entity_prefixes }) => scopeOf(entity_prefixes) },
  {
    name: 'State',
    width: '7rem',
    cell: ({ status }) => <Badge tone={status === 'active' ? 'warn' : 'plain'}>{status}</Badge>,
  },
  { name: 'Placed by', width: 'minmax(7rem, 0.7fr)', cell: ({ placed_by }) => placed_by },
  { name: 'Placed', width: '8rem', cell: ({ placed_at }) => <Time at={placed_at} /> },
];

export const scopeOf = (prefixes: readonly string[]): string =>
  prefixes.length === 0 ? 'the whole tenant' : prefixes.map((prefix) => `${prefix}*`).join(', ');

/** What may not be deleted, and why. */
export default function HoldsScreen() {
  const [status, setStatus] = useState('all');
  const [isPlacing, setPlacing] = useState(false);
  const [, navigate] = useLocation();
  return (
    <Page
      title="Legal holds"
      description="While a hold is active nothing that it pins is deleted or overwritten, by whatever way."
      actions={
        <Button right="administer" look="primary" onPress={() => setPlacing(true)}>
          Place a hold
        </Button>
      }
    >
      <div className="filters">
        <SelectField label="State" value={status} onChange={setStatus} choices={STATES} />
      </div>
      <h2 className="visually-hidden">List</h2>
      <HoldTable status={status} />
      <PlaceHold
        isOpen={isPlacing}
        onClose={() => setPlacing(false)}
        onPlaced={(id) => navigate(`/holds/${encodeURIComponent(id)}`)}
      />
    </Page>
  );
}

function HoldTable({ status }: { status: string }) {
  const pages = usePages(['holds', 'list', status], (cursor) =>
    listLegalHolds({
      query: {
        limit: 100,
        ...(cursor === undefined ? {} : { cursor }),
        ...(status === 'all' ? {} : { status: status as LegalHold['status'] }),
      },
    }),
  );
  return (
    <Answer query={pages} rows={6}>
      {(answers) => {
        const rows = answers.flatMap(({ holds }) => holds);
        if (rows.length === 0)
          return (
            <Empty title={status === 'all' ? 'No holds' : 'No hold of this state'}>
              Place one before a litigation or an inquiry: deletions are then refused, and each attempt leaves a
              receipt.
            </Empty>
          );
        return (
          <DataTable
            label="Legal holds"
            columns={COLUMNS}
            rows={rows}
            rowKey={({ id }) => id}
            linkOf={({ id }) => `/holds/${encodeURIComponent(id)}`}
            loadMore={pages.hasNextPage ? () => pages.fetchNextPage() : undefined}
            isLoadingMore={pages.isFetchingNextPage}
          />
        );
      }}
    </Answer>
  );
}
