import { useState } from 'react';
import { useChange } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { useDraft } from '../../components/drafts.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { ReasonDialog } from '../../components/ReasonDialog.tsx';
import { saveJson } from '../../components/save-json.ts';
import { announce, announceFailure } from '../../components/toasts.tsx';
import { changeIncident, exportIncident, holdIncident } from '../../generated/daemon/sdk.gen.ts';
import type { IncidentCase } from '../../generated/daemon/types.gen.ts';

const STATES = ['open', 'contained', 'closed'].map((value) => ({ value, label: value }));
const CHANGED = ['incidents', 'holds', 'overview', 'receipts'];

/** Moves the case on; where the server does not allow the move it says which it does. */
export function IncidentState({ incident }: { incident: IncidentCase }) {
  const change = useChange(
    (status: IncidentCase['status']) =>
      changeIncident({ path: { id: incident.incident_id }, body: { status, base_version: incident.version } }),
    CHANGED,
  );
  return (
    <SelectField
      label="Move to"
      value={incident.status}
      choices={STATES}
      isDisabled={change.isPending}
      onChange={(status) =>
        change.mutate(status as IncidentCase['status'], {
          onSuccess: () => announce(`The incident is ${status}.`),
          onError: announceFailure,
        })
      }
    />
  );
}

export function HoldIncident({ incident }: { incident: IncidentCase }) {
  const [isAsking, setAsking] = useState(false);
  const hold = useChange(
    (reason: string | undefined) =>
      holdIncident({ path: { id: incident.incident_id }, body: reason === undefined ? {} : { reason } }),
    CHANGED,
  );
  return (
    <>
      <Button right="administer" onPress={() => setAsking(true)} isDisabled={incident.status === 'closed'}>
        Hold what it is about
      </Button>
      <ReasonDialog
        name={`hold incident ${incident.incident_id}`}
        look="primary"
        title="Hold what the incident is about?"
        confirm="Place the hold"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isPending={hold.isPending}
        failure={hold.error}
        onConfirm={(reason, done) =>
          hold.mutate(reason, {
            onSuccess: () => {
              done();
              announce('The hold is placed.');
            },
          })
        }
      >
        <p>
          {incident.entities.length === 0
            ? 'The incident names no entity: name some, or place a hold by its prefixes.'
            : `Nothing of ${incident.entities.join(', ')} can be deleted, until the incident is closed.`}
        </p>
      </ReasonDialog>
    </>
  );
}

const NO_NOTE = { text: '' };

export function AddNote({ incident: { incident_id: id } }: { incident: IncidentCase }) {
  const [isAsking, setAsking] = useState(false);
  const { draft, change, clear } = useDraft(`note of incident ${id}`, NO_NOTE);
  const notes = draft.text.trim();
  const add = useChange(() => changeIncident({ path: { id }, body: { notes } }), CHANGED);
  const send = () =>
    add.mutate(undefined, {
      onSuccess: () => {
        clear();
        setAsking(false);
      },
    });
  return (
    <>
      <Button right="write" onPress={() => setAsking(true)}>
        Add a note
      </Button>
      <FormDialog
        title="Add a note"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        submit="Add it"
        onSubmit={send}
        isReady={notes !== ''}
        isPending={add.isPending}
        failure={add.error}
      >
        <TextField
          label="Note"
          value={draft.text}
          onChange={(text) => change({ text })}
          hint="It is added to those there are, with your name; none is ever removed."
          isMultiline
          isRequired
          autoFocus
        />
      </FormDialog>
    </>
  );
}

/** The case with its receipts and facts as a file. */
export function ExportIncident({ id }: { id: string }) {
  const save = useChange<void, unknown>(() => exportIncident({ path: { id } }), ['receipts']);
  const run = () =>
    save.mutate(undefined, {
      onSuccess: (file) => announce(`Saved ${saveJson(`incident-${id}`, file)}. svc verify FILE checks it offline.`),
      onError: announceFailure,
    });
  return (
    <Button onPress={run} isPending={save.isPending}>
      Export
    </Button>
  );
}
