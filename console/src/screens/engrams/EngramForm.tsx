import { useLocation } from 'wouter';
import { fieldError } from '../../client/field-errors.ts';
import { useChange } from '../../client/queries.ts';
import { Diff } from '../../components/Diff.tsx';
import { useDraft } from '../../components/drafts.ts';
import { CheckboxField, SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { announce } from '../../components/toasts.tsx';
import { listEntityVersions, storeEntity } from '../../generated/daemon/sdk.gen.ts';
import type { EngramWithContent } from '../../generated/daemon/types.gen.ts';
import { initialOf, MODELS, payloadOf, type EngramDraft, type EngramPayload } from './engram-draft.ts';

const CHANGED = ['engrams', 'entities', 'overview', 'receipts'];
const EMPTY: EngramDraft = initialOf(undefined);
const HINTS = {
  name: 'As code-review: a to z, 0 to 9, and - between them. It stays.',
  description: 'When to use it. Words that it shares with a task decide whether it applies.',
  query_pattern: 'Tasks that it applies to, instead: words, * for any characters, | between alternatives.',
  intent_bucket: 'What it is for, as you sort them.',
};

const put = (id: string, payload: EngramPayload) => storeEntity({ path: { kind: 'engram', id }, body: { payload } });

/** To the daemon it would be a new version of what is there; whoever writes a new one does not mean that. */
async function create(name: string, payload: EngramPayload): ReturnType<typeof put> {
  const { data } = await listEntityVersions({ path: { kind: 'engram', id: name }, query: { limit: 1 } });
  if (data?.versions[0]?.deleted !== false) return put(name, payload);
  const error = { title: 'Engram exists', detail: `${name} is there already. Open it to write a new version of it.` };
  return { error, response: new Response(null, { status: 409 }) } as unknown as ReturnType<typeof put>;
}

interface EngramFormProps {
  onClose: () => void;
  /** The version that a new one goes on from. */
  old?: EngramWithContent;
}

/** Writes an engram, or its next version. */
export function EngramForm({ onClose, old }: EngramFormProps) {
  const form = useDraft(`engram ${old?.name ?? 'new'}`, EMPTY);
  const draft = form.draft === EMPTY ? initialOf(old) : form.draft;
  const change = (part: Partial<EngramDraft>) => form.change({ ...draft, ...part });
  const [, navigate] = useLocation();
  const name = draft.name.trim();
  const store = useChange(
    () => (old ? put(name, payloadOf(draft, old)) : create(name, payloadOf(draft, old))),
    CHANGED,
  );
  const send = () =>
    store.mutate(undefined, {
      onSuccess: ({ entity }) => {
        form.clear();
        onClose();
        announce(`Stored version ${entity.version} of ${name}.`);
        navigate(`/engrams/${encodeURIComponent(name)}`);
      },
    });
  const field = (member: 'content' | keyof typeof HINTS) => ({
    value: draft[member],
    onChange: (value: string) => change({ [member]: value }),
    error: fieldError(store.error, `payload.${member}`),
    ...(member === 'content' ? {} : { hint: HINTS[member] }),
  });
  const models = (member: 'capability_class_min' | 'capability_class_max') => ({
    ...{ value: draft[member], choices: MODELS, onChange: (value: string) => change({ [member]: value }) },
  });
  return (
    <FormDialog
      title={old ? `A new version of ${old.name}` : 'Write an engram'}
      isOpen
      onClose={onClose}
      isWide
      submit="Store"
      onSubmit={send}
      isReady={name !== '' && draft.content !== ''}
      isPending={store.isPending}
      failure={store.error}
    >
      {!old && <TextField label="Name" {...field('name')} isRequired isMono autoFocus />}
      <TextField label="What it says" {...field('content')} isRequired isMultiline />
      {old && draft.content !== old.content && <Diff before={old.content} after={draft.content} />}
      <TextField label="Description" {...field('description')} />
      <TextField label="Tasks" {...field('query_pattern')} />
      <TextField label="For" {...field('intent_bucket')} />
      <div className="columns">
        <SelectField label="Models from" {...models('capability_class_min')} />
        <SelectField label="Models up to" {...models('capability_class_max')} />
      </div>
      <CheckboxField
        label="Given out to agents"
        isSelected={draft.enabled}
        onChange={(enabled) => change({ enabled })}
      />
    </FormDialog>
  );
}
