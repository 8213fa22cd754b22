import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from './Button.tsx';

export interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  isWide?: boolean;
}

/** Takes the focus, gives it back, and closes by Escape. */
export function Dialog({ title, isOpen, onClose, children, isWide = false }: DialogProps) {
  return (
    <ModalOverlay className="overlay" isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable>
      <Modal className={`modal ${isWide ? 'wide' : ''}`}>
        <AriaDialog className="dialog">
          <Heading slot="title">{title}</Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({
  title,
  isOpen,
  onClose,
  children,
  confirm,
  onConfirm,
  isPending = false,
  look = 'danger',
}: DialogProps & { confirm: string; onConfirm: () => void; isPending?: boolean; look?: 'danger' | 'primary' }) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <div className="stack">
        {children}
        <div className="row end">
          <Button onPress={onClose}>Cancel</Button>
          <Button look={look} onPress={onConfirm} isPending={isPending}>
            {confirm}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
