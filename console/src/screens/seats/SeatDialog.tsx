import { useState } from 'react';
import { useChange } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { Details } from '../../components/Details.tsx';
import { Dialog } from '../../components/Dialog.tsx';
import { SelectField } from '../../components/fields.tsx';
import { Identifier } from '../../components/Identifier.tsx';
import { ReasonDialog } from '../../components/ReasonDialog.tsx';
import { Failure } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { announce } from '../../components/toasts.tsx';
import { changeSeatRole, revokeSeat } from '../../generated/api/sdk.gen.ts';
import type { OrgSeat } from '../../generated/api/types.gen.ts';
import { ROLES, type Role } from './roles.ts';

/** One seat: its role, and its end. */
export function SeatDialog({ seat, onClose }: { seat: OrgSeat; onClose: () => void }) {
  const [isRevoking, setRevoking] = useState(false);
  if (isRevoking) return <RevokeSeat seat={seat} onClose={onClose} />;
  return (
    <Dialog title={seat.userEmail} isOpen onClose={onClose}>
      <div className="stack">
        <Details
          items={[
            ['State', seat.status],
            ['Invited', <Time key="invited" at={seat.invitedAt} isExact />],
            ['Accepted', seat.acceptedAt && <Time at={seat.acceptedAt} isExact />],
            ['Revoked', seat.revokedAt && <Time at={seat.revokedAt} isExact />],
            ['Id', <Identifier key="id" value={seat.id} />],
          ]}
        />
        {seat.status === 'revoked' ? (
          <>
            <p className="quiet">A revoked seat does not come back. Invite the e-mail again.</p>
            <div className="row end">
              <Button onPress={onClose}>Close</Button>
            </div>
          </>
        ) : (
          <ChangeRole seat={seat} onClose={onClose} onRevoke={() => setRevoking(true)} />
        )}
      </div>
    </Dialog>
  );
}

interface ChangeRoleProps {
  seat: OrgSeat;
  onClose: () => void;
  onRevoke: () => void;
}

function ChangeRole({ seat, onClose, onRevoke }: ChangeRoleProps) {
  const [role, setRole] = useState<Role>(seat.role);
  // An owner is made and unmade by owners alone.
  const right = seat.role === 'owner' || role === 'owner' ? 'own' : 'administer';
  const change = useChange(
    (to: Role) =>
      changeSeatRole({
        path: { id: seat.id },
        headers: { 'x-idempotency-key': crypto.randomUUID() },
        body: { role: to },
      }),
    ['seats'],
  );
  const save = () =>
    change.mutate(role, {
      onSuccess: () => {
        onClose();
        announce(`${seat.userEmail} is ${role} now.`, { label: 'Undo', run: () => change.mutate(seat.role) });
      },
    });
  return (
    <>
      <SelectField label="Role" value={role} onChange={(value) => setRole(value as Role)} choices={ROLES} />
      <p className="quiet">Another role ends the sessions of the seat at once, and the invitations that it made.</p>
      {change.error && <Failure failure={change.error} />}
      <div className="row end">
        <Button right={right} look="danger" onPress={onRevoke}>
          {seat.status === 'pending' ? 'Withdraw the invitation' : 'Revoke'}
        </Button>
        <Button
          right={right}
          look="primary"
          onPress={save}
          isPending={change.isPending}
          isDisabled={role === seat.role}
        >
          Save the role
        </Button>
      </div>
    </>
  );
}

function RevokeSeat({ seat, onClose }: { seat: OrgSeat; onClose: () => void }) {
  const revoke = useChange(
    (reason: string | undefined) =>
      revokeSeat({
        path: { id: seat.id },
        headers: { 'x-idempotency-key': crypto.randomUUID() },
        query: reason === undefined ? {} : { reason },
      }),
    ['seats'],
  );
  return (
    <ReasonDialog
      name={`revoke seat ${seat.id}`}
      title={`Revoke the seat of ${seat.userEmail}?`}
      confirm="Revoke"
      isOpen
      onClose={onClose}
      isPending={revoke.isPending}
      failure={revoke.error}
      onConfirm={(reason, done) =>
        revoke.mutate(reason, {
          onSuccess: () => {
            done();
            announce(`The seat of ${seat.userEmail} is revoked.`);
          },
        })
      }
    >
      <p>Its sessions end within a second, and so do invitations that it made. To come back, it is invited again.</p>
    </ReasonDialog>
  );
}
