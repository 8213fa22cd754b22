import { useChange } from '../../client/queries.ts';
import { ActingPassportField, useActingPassport } from '../../components/acting-passport.tsx';
import { ReasonDialog } from '../../components/ReasonDialog.tsx';
import { announce } from '../../components/toasts.tsx';
import { forceReleasePunchcard } from '../../generated/daemon/sdk.gen.ts';
import type { Punchcard } from '../../generated/daemon/types.gen.ts';

/** Ends a punchcard of another holder. */
export function ForceReleaseDialog({ punchcard, onClose }: { punchcard: Punchcard; onClose: () => void }) {
  const { id, resource, holder_passport } = punchcard;
  const { passport } = useActingPassport();
  const force = useChange(
    (reason: string | undefined = '') =>
      forceReleasePunchcard({
        path: { id },
        body: { confirm: true, reason, ...(passport ? { by_passport: passport } : {}) },
      }),
    ['punchcards', 'receipts'],
  );
  return (
    <ReasonDialog
      name={`force ${id}`}
      title={`Take ${resource} from ${holder_passport}`}
      confirm="Force release"
      isRequired
      isOpen
      onClose={onClose}
      isPending={force.isPending}
      failure={force.error}
      onConfirm={(reason, done) =>
        force.mutate(reason, {
          onSuccess: () => {
            done();
            announce(`${resource} is free.`);
          },
        })
      }
    >
      <p>Its holder may be in the middle of a change, and is refused from then on. This cannot be undone.</p>
      <ActingPassportField hint="Receipt and event say who did it." />
    </ReasonDialog>
  );
}
