import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { fieldError } from '../../client/field-errors.ts';
import { useChange } from '../../client/queries.ts';
import { useActingPassport } from '../../components/acting-passport.tsx';
import { useDraft } from '../../components/drafts.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { announce } from '../../components/toasts.tsx';
import { createWork } from '../../generated/daemon/sdk.gen.ts';
import type { CreateWorkData } from '../../generated/daemon/types.gen.ts';
import { workAddress } from './work-states.ts';

const BEGINNINGS = [
  { value: 'ready', label: 'Ready: may be claimed' },
  { value: 'backlog', label: 'Backlog: later' },
];

export function CreateWork({ project, onClose }: { project: string; onClose: () => void }) {
  const { passport = '' } = useActingPassport();
  const initial = useMemo(
    () => ({ title: '', body: '', project_id: project, state: 'ready', priority: '2', created_by_passport: passport }),
    [project, passport],
  );
  const { draft, change, clear } = useDraft('new work', initial);
  const [, navigate] = useLocation();
  const create = useChange((body: NonNullable<CreateWorkData['body']>) => createWork({ body }), ['work']);
  const send = () =>
    create.mutate(
      { ...draft, state: draft.state as 'ready' | 'backlog', priority: Number(draft.priority) },
      {
        onSuccess: ({ id, title }) => {
          clear();
          announce(`Made: ${title}`);
          navigate(workAddress(id));
        },
      },
    );
  const field = (name: keyof typeof initial) => ({
    value: draft[name],
    onChange: (value: string) => change({ [name]: value }),
    error: fieldError(create.error, name),
  });
  return (
    <FormDialog
      title="New work item"
      isOpen
      onClose={onClose}
      isWide
      submit="Make it"
      onSubmit={send}
      isPending={create.isPending}
      failure={create.error}
    >
      <TextField label="Title" {...field('title')} isRequired />
      <TextField label="What is to be done" {...field('body')} isMultiline />
      <TextField label="Project" {...field('project_id')} isRequired />
      <SelectField label="State" {...field('state')} choices={BEGINNINGS} />
      <TextField label="Priority" {...field('priority')} type="number" hint="0 is the most urgent." />
      <TextField label="Made by passport" {...field('created_by_passport')} isRequired isMono />
    </FormDialog>
  );
}
