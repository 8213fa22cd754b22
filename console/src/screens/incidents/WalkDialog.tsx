import { fieldError } from '../../client/field-errors.ts';
import { useChange } from '../../client/queries.ts';
import { useDraft } from '../../components/drafts.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { announce } from '../../components/toasts.tsx';
import { walkBlastRadius } from '../../generated/daemon/sdk.gen.ts';
import type { WalkBlastRadiusData } from '../../generated/daemon/types.gen.ts';

export type RootKind = NonNullable<NonNullable<WalkBlastRadiusData['body']>['kind']>;

const ROOTS: readonly { value: RootKind; label: string; hint: string }[] = [
  { value: 'document', label: 'Document', hint: 'As corpus/document.' },
  { value: 'passage', label: 'Passage', hint: 'Its chunk id.' },
  { value: 'fact', label: 'Fact', hint: 'Its id.' },
  { value: 'receipt', label: 'Receipt', hint: 'Its id, or blake3: and its hash.' },
  { value: 'answer', label: 'Answer', hint: 'Its id.' },
  { value: 'case', label: 'Case', hint: 'Its id.' },
];

const EMPTY: { kind: RootKind; id: string } = { kind: 'document', id: '' };

/** Where a walk begins. It changes nothing; what it found is kept with the incident. */
export function WalkDialog({ id: incident, onClose }: { id: string; onClose: () => void }) {
  const { draft, change, clear } = useDraft(`walk of ${incident}`, EMPTY);
  const walk = useChange(
    () => walkBlastRadius({ path: { id: incident }, body: { kind: draft.kind, id: draft.id.trim() } }),
    ['incidents', 'receipts'],
  );
  const send = () =>
    walk.mutate(undefined, {
      onSuccess: ({ radius }) => {
        clear();
        onClose();
        announce(`${radius.node_count} things rest on it, itself among them.`);
      },
    });
  return (
    <FormDialog
      title="Find what rests on something"
      isOpen
      onClose={onClose}
      submit="Find it"
      onSubmit={send}
      isReady={draft.id.trim() !== ''}
      isPending={walk.isPending}
      failure={walk.error}
    >
      <SelectField
        label="Begins at"
        value={draft.kind}
        onChange={(kind) => change({ kind: kind as RootKind })}
        choices={ROOTS}
      />
      <TextField
        label="Which"
        value={draft.id}
        onChange={(id) => change({ id })}
        hint={ROOTS.find(({ value }) => value === draft.kind)?.hint}
        error={fieldError(walk.error, 'id')}
        isRequired
        isMono
      />
    </FormDialog>
  );
}
