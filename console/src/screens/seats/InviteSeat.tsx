import { useState } from 'react';
import { fieldError } from '../../client/field-errors.ts';
import { useChange } from '../../client/queries.ts';
import { useDraft } from '../../components/drafts.ts';
import { SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/FormDialog.tsx';
import { SecretOnce } from '../../components/SecretOnce.tsx';
import { Time } from '../../components/Time.tsx';
import { inviteSeat } from '../../generated/api/sdk.gen.ts';
import { ROLES, type Role } from './roles.ts';

type Invitable = Exclude<Role, 'owner'>;
const EMPTY: { email: string; role: Invitable } = { email: '', role: 'member' };

export function InviteSeat({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { draft, change, clear } = useDraft('invite a seat', EMPTY);
  const [made, setMade] = useState<{ inviteUrl: string; expiresAt: string; email: string }>();
  const invite = useChange(
    () =>
      inviteSeat({
        headers: { 'x-idempotency-key': crypto.randomUUID() },
        body: { email: draft.email.trim(), role: draft.role },
      }),
    ['seats'],
  );
  const send = () =>
    invite.mutate(undefined, {
      onSuccess: ({ inviteUrl, expiresAt, seat }) => {
        clear();
        onClose();
        setMade({ inviteUrl, expiresAt, email: seat.userEmail });
      },
    });
  return (
    <>
      <FormDialog
        title="Invite somebody"
        isOpen={isOpen}
        onClose={onClose}
        submit="Invite"
        onSubmit={send}
        isReady={draft.email.trim() !== ''}
        isPending={invite.isPending}
        failure={invite.error}
      >
        <TextField
          label="E-mail"
          type="email"
          value={draft.email}
          onChange={(email) => change({ email })}
          isRequired
          error={fieldError(invite.error, 'email')}
        />
        <SelectField
          label="Role"
          value={draft.role}
          onChange={(role) => change({ role: role as Invitable })}
          choices={ROLES.filter(({ value }) => value !== 'owner')}
        />
      </FormDialog>
      <SecretOnce title="The invitation" secret={made?.inviteUrl} onClose={() => setMade(undefined)}>
        <p>
          Send this link to {made?.email}. It is accepted once, until <Time at={made?.expiresAt} isExact />; who has it
          takes the seat.
        </p>
      </SecretOnce>
    </>
  );
}
