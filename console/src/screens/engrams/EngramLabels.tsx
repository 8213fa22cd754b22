import { useState } from 'react';
import { fieldError } from '../../client/field-errors.ts';
import { useChange } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { Section } from '../../components/Page.tsx';
import { Time } from '../../components/Time.tsx';
import { announce, announceFailure } from '../../components/toasts.tsx';
import { moveLabel, removeLabel } from '../../generated/daemon/sdk.gen.ts';
import type { EngramLabel, EngramWithContent } from '../../generated/daemon/types.gen.ts';

const CHANGED = ['engrams', 'receipts'];

/** Names of versions, by which agents ask for one. latest is always the newest, and stands in no list. */
export function EngramLabels({ engram, labels }: { engram: EngramWithContent; labels: readonly EngramLabel[] }) {
  const [moving, setMoving] = useState<Partial<EngramLabel>>();
  const set = (
    <Button right="write" onPress={() => setMoving({})}>
      Set a label
    </Button>
  );
  return (
    <Section title="Labels" actions={engram.source === 'entity' && set}>
      {labels.length === 0 && <p className="quiet">None: whoever asks gets the newest version.</p>}
      <ul className="plain-list">
        {labels.map((label) => (
          <li key={label.label} className="row">
            <code>{label.label}</code> version {label.engram_version}
            <span className="quiet">
              <Time at={label.moved_at} /> by {label.moved_by}
            </span>
            <Button right="write" onPress={() => setMoving(label)}>
              Move
            </Button>
            <RemoveLabel name={engram.name} label={label.label} />
          </li>
        ))}
      </ul>
      {moving && <MoveLabel engram={engram} moving={moving} onClose={() => setMoving(undefined)} />}
    </Section>
  );
}

function RemoveLabel({ name, label }: { name: string; label: string }) {
  const remove = useChange(() => removeLabel({ path: { name, label } }), CHANGED);
  const run = () =>
    remove.mutate(undefined, {
      onSuccess: () => announce(`${name} has no label ${label} any more.`),
      onError: announceFailure,
    });
  return (
    <Button
      right="write"
      look="quiet"
      onPress={run}
      isPending={remove.isPending}
      aria-label={`Remove the label ${label}`}
    >
      Remove
    </Button>
  );
}

interface MoveLabelProps {
  engram: EngramWithContent;
  moving: Partial<EngramLabel>;
  onClose: () => void;
}

function MoveLabel({ engram, moving, onClose }: MoveLabelProps) {
  const [label, setLabel] = useState(moving.label ?? '');
  const [version, setVersion] = useState(String(engram.version));
  const move = useChange(
    () =>
      moveLabel({
        path: { name: engram.name, label: label.trim() },
        body: { version: Number(version), ...(moving.version ? { base_version: moving.version } : {}) },
      }),
    CHANGED,
  );
  const send = () =>
    move.mutate(undefined, {
      onSuccess: ({ label: now }) => {
        onClose();
        announce(`${now.label} is version ${now.engram_version} of ${engram.name}.`);
      },
    });
  return (
    <FormDialog
      title={moving.label ? `Move ${moving.label}` : 'Set a label'}
      isOpen
      onClose={onClose}
      submit="Set it"
      onSubmit={send}
      isReady={label.trim() !== '' && Number(version) > 0}
      isPending={move.isPending}
      failure={move.error}
    >
      <TextField
        label="Label"
        value={label}
        onChange={setLabel}
        isDisabled={moving.label !== undefined}
        hint="As production: a to z, 0 to 9, and . _ - after the first."
        isRequired
        isMono
      />
      <TextField
        label="Version"
        type="number"
        value={version}
        onChange={setVersion}
        error={fieldError(move.error, 'version')}
        isRequired
      />
    </FormDialog>
  );
}
