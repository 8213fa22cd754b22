import { useDeferredValue, useState } from 'react';
import { usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { TextField } from '../../components/fields.tsx';
import { Page } from '../../components/Page.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listEngrams } from '../../generated/daemon/sdk.gen.ts';
import type { EngramRecord } from '../../generated/daemon/types.gen.ts';
import { EngramForm } from './EngramForm.tsx';

const COLUMNS: Column<EngramRecord>[] = [
  { name: 'Name', width: 'minmax(9rem, 1fr)', cell: ({ name }) => <code>{name}</code> },
  {
    name: 'When to use it',
    width: 'minmax(12rem, 3fr)',
    cell: ({ description }) => <span title={description}>{description}</span>,
  },
  { name: 'Version', width: '5rem', isNumber: true, cell: ({ version }) => version },
  {
    name: 'State',
    width: '6rem',
    cell: ({ enabled }) => <Badge tone={enabled ? 'good' : 'plain'}>{enabled ? 'on' : 'off'}</Badge>,
  },
  { name: 'From', width: '6rem', cell: ({ source }) => (source === 'file' ? 'a file' : 'the tenant') },
  { name: 'Stored', width: '8rem', cell: ({ created_at_unix_ms }) => <Time at={created_at_unix_ms} /> },
];

/** Instructions that agents are given by name. */
export default function EngramsScreen() {
  const [words, setWords] = useState('');
  const [isWriting, setWriting] = useState(false);
  const query = useDeferredValue(words.trim());
  const pages = usePages(['engrams', 'list', query], (cursor) =>
    listEngrams({
      query: { limit: 100, ...(query ? { query } : {}), ...(cursor === undefined ? {} : { cursor }) },
    }),
  );
  return (
    <Page
      title="Engrams"
      description="Instructions that agents are given, by what they are for."
      actions={
        <Button right="write" look="primary" onPress={() => setWriting(true)}>
          Write an engram
        </Button>
      }
    >
      <div className="filters">
        <TextField label="Find" type="search" value={words} onChange={setWords} />
      </div>
      <h2 className="visually-hidden">List</h2>
      <PagedTable
        label="Engrams"
        pages={pages}
        rowsOf={({ engrams }) => engrams}
        columns={COLUMNS}
        rowKey={({ name }) => name}
        linkOf={({ name }) => `/engrams/${encodeURIComponent(name)}`}
        empty={<Empty title="No engrams">Write one here, or let the studio install some.</Empty>}
      />
      {isWriting && <EngramForm onClose={() => setWriting(false)} />}
    </Page>
  );
}
