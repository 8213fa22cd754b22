import { useState } from 'react';
import { Link } from 'wouter';
import { useChange } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Details } from '../../components/Details.tsx';
import { ConfirmDialog, Dialog } from '../../components/Dialog.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { Failure } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { announce } from '../../components/toasts.tsx';
import { revokePeer } from '../../generated/daemon/sdk.gen.ts';
import type { Peer } from '../../generated/daemon/types.gen.ts';

const receiptLink = (id: string | null) => id && <Link href={`/receipts/${id}`}>{id}</Link>;

/** One peer: what is open to it, and its end. */
export function PeerDialog({ peer, onClose }: { peer: Peer; onClose: () => void }) {
  const [isRevoking, setRevoking] = useState(false);
  if (isRevoking) return <RevokePeer peer={peer} onClose={onClose} />;
  return (
    <Dialog title={peer.peer_id} isOpen onClose={onClose} isWide>
      <div className="stack">
        <Details
          items={[
            ['State', peer.status],
            ['Direction', peer.direction],
            ['Address', peer.url ?? 'this daemon never asks it'],
            ['May', peer.scopes.join(', ')],
            ['Entities', peer.entity_prefixes.join('\n')],
            ['Collections', peer.collections?.join(', ') ?? 'all'],
            ['Public key', <Identifier key="key" value={peer.public_key} />],
            ['Last cosigned head', peer.last_cosigned_head ?? 'none'],
            ['Added', <Time key="added" at={peer.created_at} isExact />],
            ['Added by', peer.created_by],
            ['Receipt', receiptLink(peer.receipt_id)],
            ['Revoked', peer.revoked_at && <Time at={peer.revoked_at} isExact />],
            ['Revoked by', peer.revoked_by],
            ['Receipt of that', receiptLink(peer.revoke_receipt_id)],
          ]}
        />
        <div className="row end">
          {peer.status === 'active' && (
            <Button right="administer" look="danger" onPress={() => setRevoking(true)}>
              Revoke
            </Button>
          )}
          <Button onPress={onClose}>Close</Button>
        </div>
      </div>
    </Dialog>
  );
}

function RevokePeer({ peer: { peer_id }, onClose }: { peer: Peer; onClose: () => void }) {
  const revoke = useChange(() => revokePeer({ path: { peer_id } }), ['peers', 'overview', 'receipts']);
  const confirm = () =>
    revoke.mutate(undefined, {
      onSuccess: () => {
        onClose();
        announce(`${peer_id} is revoked.`);
      },
    });
  return (
    <ConfirmDialog
      title={`Revoke ${peer_id}?`}
      confirm="Revoke"
      isOpen
      onClose={onClose}
      onConfirm={confirm}
      isPending={revoke.isPending}
    >
      <p>
        It is refused from its next request on, and with it all that it delegated. What came from it stays. It can be
        added again under its name and with its key.
      </p>
      {revoke.error && <Failure failure={revoke.error} />}
    </ConfirmDialog>
  );
}
