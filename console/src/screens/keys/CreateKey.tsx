import { fieldError } from '../../client/field-errors.ts';
import { useChange } from '../../client/queries.ts';
import { useDraft } from '../../components/drafts.ts';
import { TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { createApiKey } from '../../generated/api/sdk.gen.ts';
import type { ApiKeyCreated } from '../../generated/api/types.gen.ts';

const EMPTY = { label: '', expiresAt: '' };

export function CreateKey({
  isOpen,
  onClose,
  onMade,
}: {
  isOpen: boolean;
  onClose: () => void;
  onMade: (key: ApiKeyCreated) => void;
}) {
  const { draft, change, clear } = useDraft('create a key', EMPTY);
  const create = useChange(
    () =>
      createApiKey({
        headers: { 'x-idempotency-key': crypto.randomUUID() },
        body: {
          label: draft.label.trim(),
          ...(draft.expiresAt ? { expiresAt: new Date(draft.expiresAt).toISOString() } : {}),
        },
      }),
    ['keys'],
  );
  const send = () =>
    create.mutate(undefined, {
      onSuccess: (key) => {
        clear();
        onClose();
        onMade(key);
      },
    });
  return (
    <FormDialog
      title="Create an API key"
      isOpen={isOpen}
      onClose={onClose}
      submit="Create"
      onSubmit={send}
      isReady={draft.label.trim() !== ''}
      isPending={create.isPending}
      failure={create.error}
    >
      <TextField
        label="Label"
        value={draft.label}
        onChange={(label) => change({ label })}
        isRequired
        error={fieldError(create.error, 'label')}
        hint="The program and where it runs, so that somebody knows later whether the key is still needed."
      />
      <TextField
        label="Expires"
        type="datetime-local"
        value={draft.expiresAt}
        onChange={(expiresAt) => change({ expiresAt })}
        error={fieldError(create.error, 'expiresAt')}
        hint="Optional; without it the key lasts until it is revoked."
      />
    </FormDialog>
  );
}
