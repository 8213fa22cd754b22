import { fieldError } from '../../client/field-errors.ts';
import { useChange } from '../../client/queries.ts';
import { useDraft } from '../../components/drafts.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { announce } from '../../components/toasts.tsx';
import { registerPassport } from '../../generated/daemon/sdk.gen.ts';
import type { Passport } from '../../generated/daemon/types.gen.ts';

type Kind = Passport['kind'];
const KINDS = [
  { value: 'agent', label: 'Agent' },
  { value: 'service', label: 'Service' },
  { value: 'human', label: 'Person' },
];
const EMPTY: { id: string; name: string; kind: Kind; key: string } = { id: '', name: '', kind: 'agent', key: '' };

/** The name under which somebody acts from now on. Whoever asks for one is decided on elsewhere. */
export function RegisterPassport({
  onClose,
  onRegistered,
}: {
  onClose: () => void;
  onRegistered: (id: string) => void;
}) {
  const { draft, change, clear } = useDraft('register a passport', EMPTY);
  const [id, name, key] = [draft.id.trim(), draft.name.trim(), draft.key.trim()];
  const register = useChange(
    () =>
      registerPassport({
        body: {
          ...{ passport_id: id, kind: draft.kind },
          ...(name ? { display_name: name } : {}),
          ...(key ? { public_key: key } : {}),
        },
      }),
    ['passports', 'overview', 'receipts'],
  );
  const send = () =>
    register.mutate(undefined, {
      onSuccess: () => {
        clear();
        announce(`${id} is registered.`);
        onRegistered(id);
      },
    });
  return (
    <FormDialog
      title="Register a passport"
      isOpen
      onClose={onClose}
      submit="Register"
      onSubmit={send}
      isReady={id !== ''}
      isPending={register.isPending}
      failure={register.error}
    >
      <TextField
        label="Passport"
        value={draft.id}
        onChange={(value) => change({ id: value })}
        error={fieldError(register.error, 'passport_id')}
        hint="What requests bear, as codex:7. It stays taken for ever."
        isRequired
        isMono
        autoFocus
      />
      <TextField
        label="Name"
        value={draft.name}
        onChange={(value) => change({ name: value })}
        hint="What people read."
      />
      <SelectField
        label="Kind"
        value={draft.kind}
        onChange={(kind) => change({ kind: kind as Kind })}
        choices={KINDS}
      />
      <TextField
        label="Public key"
        value={draft.key}
        onChange={(value) => change({ key: value })}
        error={fieldError(register.error, 'public_key')}
        hint="Optional: Ed25519, 32 bytes in base64url. Attested is only who sends a signature, by POST /v1/passports."
        isMono
      />
    </FormDialog>
  );
}
