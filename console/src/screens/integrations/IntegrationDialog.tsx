import { useState } from 'react';
import { useChange } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Details } from '../../components/Details.tsx';
import { ConfirmDialog, Dialog } from '../../components/Dialog.tsx';
import { Failure } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { announce } from '../../components/toasts.tsx';
import { checkIntegration, disconnectIntegration } from '../../generated/daemon/sdk.gen.ts';
import type { Integration } from '../../generated/daemon/types.gen.ts';

interface IntegrationDialogProps {
  integration: Integration;
  onClose: () => void;
}

/** One account: whether its token still holds, and its end. */
export function IntegrationDialog({ integration, onClose }: IntegrationDialogProps) {
  const [isEnding, setEnding] = useState(false);
  const check = useChange(() => checkIntegration({ path: { id: integration.id } }), ['integrations']);
  if (isEnding) return <Disconnect {...{ integration, onClose }} />;
  const { account, token_scopes, token_expires_at, webhook_path, connected_by, connected_at } = integration;
  const run = () =>
    check.mutate(undefined, {
      onSuccess: () => {
        onClose();
        announce(`GitHub takes the token of ${account}.`);
      },
    });
  return (
    <Dialog title={account} isOpen onClose={onClose} isWide>
      <div className="stack">
        <Details
          items={[
            ['Token may', token_scopes.join(', ') || 'what its fine-grained settings say'],
            ['Token expires', token_expires_at ? <Time at={token_expires_at} isExact /> : 'not, as far as GitHub says'],
            ['Webhooks go to', <code key="webhook">{webhook_path}</code>],
            ['Connected by', connected_by],
            ['Connected', <Time key="connected" at={connected_at} isExact />],
          ]}
        />
        {check.error && <Failure failure={check.error} />}
        <div className="row end">
          <Button look="danger" onPress={() => setEnding(true)}>
            Disconnect
          </Button>
          <Button onPress={run} isPending={check.isPending}>
            Check the token
          </Button>
          <Button onPress={onClose}>Close</Button>
        </div>
      </div>
    </Dialog>
  );
}

function Disconnect({ integration: { id, account }, onClose }: IntegrationDialogProps) {
  const disconnect = useChange(() => disconnectIntegration({ path: { id } }), ['integrations', 'receipts']);
  const confirm = () =>
    disconnect.mutate(undefined, {
      onSuccess: () => {
        onClose();
        announce(`${account} is disconnected.`);
      },
    });
  return (
    <ConfirmDialog
      title={`Disconnect ${account}?`}
      confirm="Disconnect"
      isOpen
      onClose={onClose}
      onConfirm={confirm}
      isPending={disconnect.isPending}
    >
      <p>Its token and secret are destroyed, and what its webhooks reported goes with it. Comments of work stay.</p>
      {disconnect.error && <Failure failure={disconnect.error} />}
    </ConfirmDialog>
  );
}
