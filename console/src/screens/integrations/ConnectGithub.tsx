import { useState } from 'react';
import { fieldError } from '../../client/field-errors.ts';
import { useChange } from '../../client/queries.ts';
import { CheckboxField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { announce } from '../../components/toasts.tsx';
import { connectGithub } from '../../generated/daemon/sdk.gen.ts';
import type { ConnectedGithub } from '../../generated/daemon/types.gen.ts';

/** The token is no draft: it leaves the page with this dialog. */
export function ConnectGithub({ onClose, onMade }: { onClose: () => void; onMade: (made: ConnectedGithub) => void }) {
  const [token, setToken] = useState('');
  const [isNewSecret, setNewSecret] = useState(false);
  const connect = useChange(
    () => connectGithub({ body: { token: token.trim(), new_webhook_secret: isNewSecret } }),
    ['integrations', 'receipts'],
  );
  const send = () =>
    connect.mutate(undefined, {
      onSuccess: (made) => {
        onClose();
        announce(`${made.integration.account} is ${made.created ? 'connected' : 'connected by the new token'}.`);
        onMade(made);
      },
    });
  return (
    <FormDialog
      title="Connect an account of GitHub"
      isOpen
      onClose={onClose}
      submit="Connect"
      onSubmit={send}
      isReady={token.trim() !== ''}
      isPending={connect.isPending}
      failure={connect.error}
    >
      <TextField
        label="Token"
        type="password"
        value={token}
        onChange={setToken}
        autoComplete="off"
        error={fieldError(connect.error, 'token')}
        hint="A personal access token. GitHub is asked whether it takes it; the daemon keeps it encrypted."
        isRequired
        autoFocus
      />
      <CheckboxField
        label="Of an account that is connected: another secret for its webhooks, in place of the old one"
        isSelected={isNewSecret}
        onChange={setNewSecret}
      />
    </FormDialog>
  );
}
