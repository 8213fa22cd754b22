import { useState } from 'react';
import { usePages } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import type { Column } from '../../components/DataTable.tsx';
import { Page, Section } from '../../components/Page.tsx';
import { PagedTable } from '../../components/PagedTable.tsx';
import { SecretOnce } from '../../components/SecretOnce.tsx';
import { Empty } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { listIntegrations } from '../../generated/daemon/sdk.gen.ts';
import type { ConnectedGithub, Integration } from '../../generated/daemon/types.gen.ts';
import { ConnectGithub } from './ConnectGithub.tsx';
import { GithubItems } from './GithubItems.tsx';
import { IntegrationDialog } from './IntegrationDialog.tsx';

/** Accounts elsewhere that the tenant is connected with, and what they reported. */
export default function IntegrationsScreen() {
  const [isConnecting, setConnecting] = useState(false);
  const [made, setMade] = useState<ConnectedGithub>();
  const connect = (
    <Button look="primary" onPress={() => setConnecting(true)}>
      Connect GitHub
    </Button>
  );
  return (
    <Page title="Integrations" description="Accounts elsewhere that the tenant is connected with." actions={connect}>
      <Section title="Accounts">
        <Accounts />
      </Section>
      <Section title="Issues and pull requests">
        <GithubItems />
      </Section>
      {isConnecting && <ConnectGithub onClose={() => setConnecting(false)} onMade={setMade} />}
      <SecretOnce
        title="The secret of its webhooks"
        secret={made?.webhook_secret ?? undefined}
        onClose={() => setMade(undefined)}
      >
        <p>
          Put it into the webhooks of the repositories on GitHub, with the address of this daemon followed by{' '}
          <code>{made?.integration.webhook_path}</code>, content type application/json, events Issues and Pull requests.
        </p>
      </SecretOnce>
    </Page>
  );
}

const COLUMNS: Column<Integration>[] = [
  { name: 'Account', width: 'minmax(9rem, 1fr)', cell: ({ provider, account }) => `${provider}: ${account}` },
  { name: 'Token may', width: 'minmax(9rem, 1fr)', cell: ({ token_scopes }) => token_scopes.join(', ') },
  { name: 'Connected', width: '8rem', cell: ({ connected_at }) => <Time at={connected_at} /> },
  { name: 'Checked', width: '8rem', cell: ({ checked_at }) => <Time at={checked_at} /> },
  { name: 'Last delivery', width: '8rem', cell: ({ last_delivery_at }) => <Time at={last_delivery_at} /> },
];

function Accounts() {
  const [opened, setOpened] = useState<Integration>();
  const pages = usePages(['integrations', 'accounts'], (cursor) =>
    listIntegrations({ query: { limit: 100, ...(cursor === undefined ? {} : { cursor }) } }),
  );
  return (
    <>
      <PagedTable
        label="Integrations"
        pages={pages}
        rowsOf={({ integrations }) => integrations}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        onOpen={setOpened}
        empty={<Empty title="No integrations">Connect an account of GitHub by a token of it.</Empty>}
      />
      {opened && <IntegrationDialog key={opened.id} integration={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}
