import { useLocation } from 'wouter';
import { fieldError } from '../../client/field-errors.ts';
import { useChange } from '../../client/queries.ts';
import { Dialog } from '../../components/Dialog.tsx';
import { Diff } from '../../components/Diff.tsx';
import { useDraft } from '../../components/drafts.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import { Form } from '../../components/FormDialog.tsx';
import { announce } from '../../components/toasts.tsx';
import { storeFact } from '../../generated/daemon/sdk.gen.ts';
import type { FactReply, StoreFactRequest } from '../../generated/daemon/types.gen.ts';

const EMPTY = { entity: '', key: '', value: '', confidence: '1', horizon: 'durable' };
type Draft = typeof EMPTY;
type Horizon = NonNullable<StoreFactRequest['horizon_class']>;

const HORIZONS = ['ephemeral', 'session', 'durable', 'permanent'].map((value) => ({ value, label: value }));
const CHANGED = ['facts', 'census', 'overview', 'receipts'];

function initialOf(old: FactReply | undefined): Draft {
  if (!old) return EMPTY;
  const { entity, key, value, confidence, horizon_class: horizon } = old;
  return { entity, key, value, confidence: String(confidence), horizon };
}

export interface FactFormProps {
  isOpen: boolean;
  onClose: () => void;
  /** The version that a new one replaces. */
  old?: FactReply;
}

export function FactForm({ isOpen, onClose, old }: FactFormProps) {
  return (
    <Dialog title={old ? 'Store a new version' : 'Store a fact'} isOpen={isOpen} onClose={onClose} isWide>
      <Fields onClose={onClose} {...(old ? { old } : {})} />
    </Dialog>
  );
}

function Fields({ onClose, old }: Omit<FactFormProps, 'isOpen'>) {
  const form = useDraft(`fact ${old?.fact_id ?? 'new'}`, EMPTY);
  const draft = form.draft === EMPTY ? initialOf(old) : form.draft;
  const change = (part: Partial<Draft>) => form.change({ ...draft, ...part });
  const [, navigate] = useLocation();
  const store = useChange((body: StoreFactRequest) => storeFact({ body }), CHANGED);
  const submit = () => {
    const { entity, key, value, confidence, horizon } = draft;
    store.mutate(
      // What was stored as private stays so, unless it is said otherwise.
      {
        ...{ entity, key, value, confidence: Number(confidence), horizon_class: horizon as Horizon },
        ...(old?.private ? { private: true } : {}),
      },
      {
        onSuccess: (fact) => {
          form.clear();
          onClose();
          announce(`Stored version ${fact.version} of ${fact.entity} ${fact.key}.`);
          navigate(`/facts/${encodeURIComponent(fact.fact_id)}`);
        },
      },
    );
  };
  const field = (name: keyof Draft, label: string, isDisabled = false) => ({
    ...{ label, isDisabled, value: draft[name], error: fieldError(store.error, name) },
    onChange: (value: string) => change({ [name]: value }),
  });
  return (
    <Form
      submit="Store"
      onSubmit={submit}
      onClose={onClose}
      isReady={[draft.entity, draft.key, draft.value].every((text) => text.trim() !== '')}
      isPending={store.isPending}
      failure={store.error}
    >
      <TextField {...field('entity', 'Entity', old !== undefined)} isRequired isMono />
      <TextField {...field('key', 'Key', old !== undefined)} isRequired isMono />
      <TextField {...field('value', 'Value')} isRequired isMultiline />
      {old && draft.value !== old.value && <Diff before={old.value} after={draft.value} />}
      <div className="columns">
        <TextField {...field('confidence', 'Confidence')} type="number" hint="From 0 to 1." />
        <SelectField
          label="Kept as"
          value={draft.horizon}
          choices={HORIZONS}
          onChange={(horizon) => change({ horizon })}
        />
      </div>
    </Form>
  );
}
