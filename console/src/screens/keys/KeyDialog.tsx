import { useState } from 'react';
import { useChange } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Details } from '../../components/Details.tsx';
import { ConfirmDialog, Dialog } from '../../components/Dialog.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { ReasonDialog } from '../../components/ReasonDialog.tsx';
import { Failure } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { announce } from '../../components/toasts.tsx';
import { revokeApiKey, rotateApiKey } from '../../generated/api/sdk.gen.ts';
import type { ApiKey, ApiKeyCreated } from '../../generated/api/types.gen.ts';

interface KeyDialogProps {
  apiKey: ApiKey;
  onClose: () => void;
  onMade: (key: ApiKeyCreated) => void;
}

/** One key: exchange it, or end it. */
export function KeyDialog({ apiKey, onClose, onMade }: KeyDialogProps) {
  const [act, setAct] = useState<'rotate' | 'revoke'>();
  const props = { apiKey, onClose, onMade };
  if (act === 'rotate') return <RotateKey {...props} />;
  if (act === 'revoke') return <RevokeKey {...props} />;
  return (
    <Dialog title={apiKey.label ?? apiKey.prefix} isOpen onClose={onClose}>
      <div className="stack">
        <Details
          items={[
            ['State', apiKey.status],
            ['Begins with', <code key="prefix">{apiKey.prefix}</code>],
            ['Created', <Time key="created" at={apiKey.createdAt} isExact />],
            ['Created by', apiKey.createdBy],
            ['Expires', <Time key="expires" at={apiKey.expiresAt} isExact />],
            ['Revoked', apiKey.revokedAt && <Time at={apiKey.revokedAt} isExact />],
            ['Revoked by', apiKey.revokedBy],
            ['Reason', apiKey.revokeReason],
            ['Id', <Identifier key="id" value={apiKey.id} />],
          ]}
        />
        <div className="row end">
          <Button onPress={onClose}>Close</Button>
          {apiKey.status === 'active' && <Button onPress={() => setAct('rotate')}>Rotate</Button>}
          {apiKey.status !== 'revoked' && (
            <Button look="danger" onPress={() => setAct('revoke')}>
              Revoke
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function RotateKey({ apiKey, onClose, onMade }: KeyDialogProps) {
  const rotate = useChange(
    () =>
      rotateApiKey({
        path: { id: apiKey.id },
        headers: { 'x-idempotency-key': crypto.randomUUID() },
        body: apiKey.expiresAt === null ? {} : { expiresAt: apiKey.expiresAt },
      }),
    ['keys'],
  );
  return (
    <ConfirmDialog
      title={`Rotate ${apiKey.label ?? apiKey.prefix}?`}
      confirm="Rotate"
      isOpen
      onClose={onClose}
      isPending={rotate.isPending}
      look="primary"
      onConfirm={() =>
        rotate.mutate(undefined, {
          onSuccess: (made) => {
            onClose();
            onMade(made);
          },
        })
      }
    >
      <p>
        A new key takes its place, with the same label{apiKey.expiresAt ? ' and end' : ''}. The old one is refused
        within a second, and so are sessions that began with it, also this one where it did.
      </p>
      {rotate.error && <Failure failure={rotate.error} />}
    </ConfirmDialog>
  );
}

function RevokeKey({ apiKey, onClose }: KeyDialogProps) {
  const revoke = useChange(
    (reason: string | undefined) =>
      revokeApiKey({
        path: { id: apiKey.id },
        headers: { 'x-idempotency-key': crypto.randomUUID() },
        query: reason === undefined ? {} : { reason },
      }),
    ['keys'],
  );
  return (
    <ReasonDialog
      name={`revoke key ${apiKey.id}`}
      title={`Revoke ${apiKey.label ?? apiKey.prefix}?`}
      confirm="Revoke"
      isOpen
      onClose={onClose}
      isPending={revoke.isPending}
      failure={revoke.error}
      onConfirm={(reason, done) =>
        revoke.mutate(reason, {
          onSuccess: () => {
            done();
            announce(`${apiKey.label ?? apiKey.prefix} is revoked.`);
          },
        })
      }
    >
      <p>Every process refuses it and its sessions within a second, also this session where it began with the key.</p>
    </ReasonDialog>
  );
}
