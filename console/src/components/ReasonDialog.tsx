import type { ReactNode } from 'react';
import type { RequestFailure } from '../client/request-failure.ts';
import { useDraft } from './drafts.ts';
import { TextField } from './fields.tsx';
import { FormDialog } from './FormDialog.tsx';

const NOTHING = { reason: '' };

interface ReasonDialogProps {
  /** Of the draft of the reason: what is done, and to what. */
  name: string;
  title: string;
  confirm: string;
  isOpen: boolean;
  onClose: () => void;
  /**
   * @param reason undefined where none was given
   * @param done closes the dialog and forgets the reason
   */
  onConfirm: (reason: string | undefined, done: () => void) => void;
  /** The server refuses it without a reason. */
  isRequired?: boolean;
  isPending?: boolean;
  failure?: RequestFailure | null;
  look?: 'danger' | 'primary';
  children?: ReactNode;
}

/** Asks before something that stays in a record, and why it is done. */
export function ReasonDialog({
  name,
  confirm,
  onConfirm,
  isRequired = false,
  look = 'danger',
  children,
  ...dialog
}: ReasonDialogProps) {
  const { draft, change, clear } = useDraft(`reason of ${name}`, NOTHING);
  const reason = draft.reason.trim() || undefined;
  const done = () => {
    clear();
    dialog.onClose();
  };
  return (
    <FormDialog
      {...dialog}
      submit={confirm}
      look={look}
      isReady={!isRequired || reason !== undefined}
      onSubmit={() => onConfirm(reason, done)}
    >
      {children}
      <TextField
        label="Reason"
        value={draft.reason}
        onChange={(text) => change({ reason: text })}
        hint={isRequired ? 'It is kept in the receipt.' : 'Optional. It is kept in the receipt.'}
        isRequired={isRequired}
        autoFocus
      />
    </FormDialog>
  );
}
