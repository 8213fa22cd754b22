import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { Identifier } from './Identifier.tsx';
import { Dialog } from './Dialog.tsx';

/** A secret that the server shows once: it leaves the page with this dialog. */
export function SecretOnce({
  title,
  secret,
  onClose,
  children,
}: {
  title: string;
  secret: string | undefined;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog title={title} isOpen={secret !== undefined} onClose={onClose}>
      <div className="stack">
        {children}
        <p className="secret">
          <Identifier value={secret ?? ''} />
        </p>
        <p className="quiet">It is shown this once. Copy it now; nobody can read it again.</p>
        <div className="row end">
          <Button look="primary" onPress={onClose}>
            I have it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
