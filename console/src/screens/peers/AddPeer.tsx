import { fieldError } from '../../client/field-errors.ts';
import { useChange } from '../../client/queries.ts';
import { useDraft } from '../../components/drafts.ts';
import { CheckboxField, SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { linesOf } from '../../components/lines.ts';
import { announce } from '../../components/toasts.tsx';
import { addPeer } from '../../generated/daemon/sdk.gen.ts';
import type { Peer } from '../../generated/daemon/types.gen.ts';

const DIRECTIONS = [
  { value: 'both', label: 'Both: each takes from the other' },
  { value: 'pull', label: 'Pull: this daemon takes from it' },
  { value: 'push', label: 'Push: this daemon gives to it' },
];
const EMPTY = { peer_id: '', public_key: '', url: '', prefixes: '', direction: 'both', mayRead: true, mayWrite: true };

const bodyOf = (draft: typeof EMPTY) => ({
  peer_id: draft.peer_id.trim(),
  public_key: draft.public_key.trim(),
  ...(draft.url.trim() ? { url: draft.url.trim() } : {}),
  scopes: [...(draft.mayRead ? ['facts:read'] : []), ...(draft.mayWrite ? ['facts:write'] : [])],
  entity_prefixes: linesOf(draft.prefixes),
  direction: draft.direction as Peer['direction'],
});

export function AddPeer({ onClose }: { onClose: () => void }) {
  const { draft, change, clear } = useDraft('add a peer', EMPTY);
  const add = useChange(() => addPeer({ body: bodyOf(draft) }), ['peers', 'overview', 'receipts']);
  const field = (name: 'peer_id' | 'public_key' | 'url') => ({
    value: draft[name],
    onChange: (value: string) => change({ [name]: value }),
    error: fieldError(add.error, name),
    isMono: true,
  });
  const send = () =>
    add.mutate(undefined, {
      onSuccess: ({ peer }) => {
        clear();
        onClose();
        announce(`${peer.peer_id} is a peer.`);
      },
    });
  return (
    <FormDialog
      title="Add a peer"
      isOpen
      onClose={onClose}
      isWide
      submit="Add it"
      onSubmit={send}
      isReady={draft.peer_id.trim() !== '' && draft.public_key.trim() !== '' && linesOf(draft.prefixes).length > 0}
      isPending={add.isPending}
      failure={add.error}
    >
      <TextField label="Name" {...field('peer_id')} isRequired autoFocus hint="What it is called here, as laptop." />
      <TextField label="Public key" {...field('public_key')} isRequired hint="As svc peer key prints it there." />
      <TextField label="Address" {...field('url')} hint="Optional: without one this daemon never asks it." />
      <SelectField
        label="Direction"
        value={draft.direction}
        onChange={(direction) => change({ direction })}
        choices={DIRECTIONS}
      />
      <TextField
        label="Prefixes of entities"
        value={draft.prefixes}
        onChange={(prefixes) => change({ prefixes })}
        error={fieldError(add.error, 'entity_prefixes')}
        hint="One a line, as project:atlas. * opens all; nothing is open that nobody named."
        isMultiline
        isMono
        isRequired
      />
      <CheckboxField label="May read here" isSelected={draft.mayRead} onChange={(mayRead) => change({ mayRead })} />
      <CheckboxField label="May write here" isSelected={draft.mayWrite} onChange={(mayWrite) => change({ mayWrite })} />
    </FormDialog>
  );
}
