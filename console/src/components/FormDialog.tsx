import type { ReactNode } from 'react';
import type { RequestFailure } from '../client/request-failure.ts';
import { Button, type ButtonProps } from './Button.tsx';
import { Dialog, type DialogProps } from './Dialog.tsx';
import { Failure } from './states.tsx';

interface FormProps {
  /** On the button that sends. */
  submit: string;
  onSubmit: () => void;
  onClose: () => void;
  /** Whether everything that is required is there. */
  isReady?: boolean;
  isPending?: boolean;
  failure?: RequestFailure | null;
  look?: ButtonProps['look'];
  children: ReactNode;
}

/** Fields of a dialog to fill in and send; stays, with what was typed, where the server refuses. */
export function Form({
  submit,
  onSubmit,
  onClose,
  isReady = true,
  isPending = false,
  failure = null,
  look = 'primary',
  children,
}: FormProps) {
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !isPending) onSubmit();
      }}
    >
      {children}
      {failure && <Failure failure={failure} />}
      <div className="row end">
        <Button onPress={onClose}>Cancel</Button>
        <Button look={look} type="submit" isDisabled={!isReady} isPending={isPending}>
          {submit}
        </Button>
      </div>
    </form>
  );
}

/** A dialog that is one form. */
export function FormDialog({ title, isOpen, isWide = false, ...form }: FormProps & Omit<DialogProps, 'children'>) {
  return (
    <Dialog {...{ title, isOpen, isWide }} onClose={form.onClose}>
      <Form {...form} />
    </Dialog>
  );
}
