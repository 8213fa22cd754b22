import { useState } from 'react';
import { usePages } from '../../client/queries.ts';
import { Badge } from '../../components/Badge.tsx';
import { Button } from '../../components/Button.tsx';
import { DataTable, type Column } from '../../components/DataTable.tsx';
import { SelectField } from '../../components/fields.tsx';
import { NeedsSession } from '../../components/NeedsSession.tsx';
import { Page } from '../../components/Page.tsx';
import { SecretOnce } from '../../components/SecretOnce.tsx';
import { Answer, Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listApiKeys } from '../../generated/api/sdk.gen.ts';
import type { ApiKey, ApiKeyCreated } from '../../generated/api/types.gen.ts';
import { CreateKey } from './CreateKey.tsx';
import { KeyDialog } from './KeyDialog.tsx';

const STATES = [
  { value: 'all', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'expired', label: 'Expired' },
  { value: 'revoked', label: 'Revoked' },
];
const TONES = { active: 'good', expired: 'warn', revoked: 'plain' } as const;

const COLUMNS: Column<ApiKey>[] = [
  {
    name: 'Label',
    width: 'minmax(10rem, 2fr)',
    cell: ({ label }) => label ?? <span className="quiet">no label</span>,
  },
  { name: 'Begins with', width: 'minmax(8rem, 1fr)', cell: ({ prefix }) => <code>{prefix}</code> },
  { name: 'State', width: '7rem', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
  { name: 'Created', width: '8rem', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Expires', width: '8rem', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
];

/** Keys of programs. Each counts as owner of the tenant. */
export default function KeysScreen() {
  return (
    <Page title="API keys" description="Keys of programs. Each counts as an owner of the tenant, until it is revoked.">
      <h2 className="visually-hidden">List</h2>
      <NeedsSession what="API keys">
        <Keys />
      </NeedsSession>
    </Page>
  );
}

function Keys() {
  const [status, setStatus] = useState('all');
  const [isCreating, setCreating] = useState(false);
  const [opened, setOpened] = useState<ApiKey>();
  const [made, setMade] = useState<ApiKeyCreated>();
  const pages = usePages(['keys', status], (cursor) =>
    listApiKeys({
      query: {
        limit: 100,
        ...(cursor === undefined ? {} : { cursor }),
        ...(status === 'all' ? {} : { status: status as ApiKey['status'] }),
      },
    }),
  );
  return (
    <>
      <div className="filters">
        <SelectField label="State" value={status} onChange={setStatus} choices={STATES} />
        <Button look="primary" onPress={() => setCreating(true)}>
          Create a key
        </Button>
      </div>
      <Answer query={pages} rows={6}>
        {(answers) => {
          const rows = answers.flatMap(({ apiKeys }) => apiKeys);
          if (rows.length === 0)
            return <Empty title="No keys">Create one for each program that asks this tenant.</Empty>;
          return (
            <DataTable
              label="API keys"
              columns={COLUMNS}
              rows={rows}
              rowKey={({ id }) => id}
              onOpen={setOpened}
              loadMore={pages.hasNextPage ? () => pages.fetchNextPage() : undefined}
              isLoadingMore={pages.isFetchingNextPage}
            />
          );
        }}
      </Answer>
      <CreateKey isOpen={isCreating} onClose={() => setCreating(false)} onMade={setMade} />
      {opened && <KeyDialog key={opened.id} apiKey={opened} onClose={() => setOpened(undefined)} onMade={setMade} />}
      <SecretOnce title="The key" secret={made?.apiKey} onClose={() => setMade(undefined)}>
        <p>{made?.label}: put it where the program reads its secrets.</p>
      </SecretOnce>
    </>
  );
}
