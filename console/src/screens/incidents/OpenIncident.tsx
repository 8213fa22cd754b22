import { fieldError } from '../../client/field-errors.ts';
import { useIdentity } from '../../client/identity.ts';
import { useChange } from '../../client/queries.ts';
import { useDraft } from '../../components/drafts.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { linesOf } from '../../components/lines.ts';
import { announce } from '../../components/toasts.tsx';
import { openIncident } from '../../generated/daemon/sdk.gen.ts';
import type { IncidentCase } from '../../generated/daemon/types.gen.ts';

const EMPTY = {
  ...{ title: '', severity: 'medium', from: '', to: '', notes: '' },
  ...{ entities: '', sessions: '', agents: '' },
};
const SEVERITIES = ['low', 'medium', 'high', 'critical'].map((value) => ({ value, label: value }));
const ONE_A_LINE = 'One a line; optional.';

const bodyOf = (draft: typeof EMPTY) => ({
  title: draft.title.trim(),
  severity: draft.severity as IncidentCase['severity'],
  window: { from: momentOf(draft.from), ...(draft.to ? { to: momentOf(draft.to) } : {}) },
  entities: linesOf(draft.entities),
  session_ids: linesOf(draft.sessions),
  agent_ids: linesOf(draft.agents),
  ...(draft.notes.trim() ? { notes: draft.notes.trim() } : {}),
});

/** Of a field in the reader's zone. */
const momentOf = (local: string): string => new Date(local).toISOString();

export function OpenIncident({ onClose, onOpened }: { onClose: () => void; onOpened: (id: string) => void }) {
  const { tenant } = useIdentity();
  const { draft, change, clear } = useDraft('open an incident', EMPTY);
  const open = useChange(
    () => openIncident({ body: { tenant_id: tenant, ...bodyOf(draft) } }),
    ['incidents', 'overview', 'receipts'],
  );
  const field = (name: keyof typeof EMPTY, sentAs: string = name) => ({
    value: draft[name],
    onChange: (value: string) => change({ [name]: value }),
    error: fieldError(open.error, sentAs),
  });
  const send = () =>
    open.mutate(undefined, {
      onSuccess: ({ case: { incident_id, title } }) => {
        clear();
        announce(`Opened: ${title}`);
        onOpened(incident_id);
      },
    });
  return (
    <FormDialog
      title="Open an incident"
      isOpen
      onClose={onClose}
      isWide
      submit="Open it"
      onSubmit={send}
      isReady={draft.title.trim() !== '' && draft.from !== ''}
      isPending={open.isPending}
      failure={open.error}
    >
      <TextField label="What happened" {...field('title')} isRequired autoFocus hint="In a line." />
      <SelectField label="Severity" {...field('severity')} choices={SEVERITIES} />
      <div className="columns">
        <TextField label="From" type="datetime-local" {...field('from', 'window.from')} isRequired />
        <TextField label="To" type="datetime-local" {...field('to', 'window.to')} hint="Empty while it goes on." />
      </div>
      <TextField
        label="Entities"
        {...field('entities')}
        isMultiline
        isMono
        hint={`${ONE_A_LINE} Each names itself and all that begin so.`}
      />
      <div className="columns">
        <TextField label="Sessions" {...field('sessions', 'session_ids')} isMultiline isMono hint={ONE_A_LINE} />
        <TextField label="Agents" {...field('agents', 'agent_ids')} isMultiline isMono hint={ONE_A_LINE} />
      </div>
      <TextField label="Notes" {...field('notes')} isMultiline />
    </FormDialog>
  );
}
