import { useMemo } from 'react';
import { fieldError } from '../../client/field-errors.ts';
import { useAnswer, useChange } from '../../client/queries.ts';
import { Dialog } from '../../components/Dialog.tsx';
import { useDraft } from '../../components/drafts.ts';
import { TextField } from '../../components/fields.tsx';
import { Form } from '../../components/FormDialog.tsx';
import { Answer } from '../../components/states.tsx';
import { announce } from '../../components/toasts.tsx';
import { changeCandidate } from '../../generated/daemon/sdk.gen.ts';
import type { ChangeCandidateData, Candidate } from '../../generated/daemon/types.gen.ts';
import { seenKey } from './decide.ts';
import type { ReviewItem } from './review-items.ts';
import { askItem } from './seen.ts';

interface EditProps {
  item: ReviewItem;
  onClose: () => void;
}

/** Changes what a candidate would store; its quote stays. */
export function EditCandidate(props: EditProps) {
  const seen = useAnswer(seenKey(props.item), () => askItem(props.item));
  return (
    <Dialog title="Edit the candidate" isOpen onClose={props.onClose} isWide>
      <Answer query={seen}>{(data) => <EditForm {...props} candidate={data as Candidate} />}</Answer>
    </Dialog>
  );
}

function EditForm({ item, candidate, onClose }: EditProps & { candidate: Candidate }) {
  const initial = useMemo(() => {
    const { entity, key, value, confidence } = candidate;
    return { entity, key, value, confidence: String(confidence) };
  }, [candidate]);
  const { draft, change, clear } = useDraft(`candidate ${item.id}`, initial);
  const edit = useChange(
    (body: NonNullable<ChangeCandidateData['body']>) => changeCandidate({ path: { id: item.id }, body }),
    ['review', 'candidates'],
  );
  const send = () =>
    edit.mutate(
      { ...draft, confidence: Number(draft.confidence), base_version: candidate.version },
      {
        onSuccess: () => {
          clear();
          onClose();
          announce('The candidate is changed. Decide on it now.');
        },
      },
    );
  const field = (name: keyof typeof initial) => ({
    value: draft[name],
    onChange: (value: string) => change({ [name]: value }),
    error: fieldError(edit.error, name),
  });
  return (
    <Form submit="Save" onSubmit={send} onClose={onClose} isPending={edit.isPending} failure={edit.error}>
      <TextField label="Value" {...field('value')} isMultiline />
      <TextField label="Entity" {...field('entity')} isMono />
      <TextField label="Key" {...field('key')} isMono />
      <TextField label="Confidence" {...field('confidence')} hint="From 0 to 1." />
    </Form>
  );
}
