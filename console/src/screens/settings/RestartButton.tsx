import { useState } from 'react';
import { useChange } from '../../client/queries.ts';
import { Button } from '../../components/Button.tsx';
import { ReasonDialog } from '../../components/ReasonDialog.tsx';
import { announce } from '../../components/toasts.tsx';
import { restartDaemon } from '../../generated/daemon/sdk.gen.ts';

export function RestartButton() {
  const [isAsking, setAsking] = useState(false);
  const restart = useChange(
    (reason: string | undefined) => restartDaemon({ body: reason === undefined ? {} : { reason } }),
    [],
  );
  const close = () => {
    setAsking(false);
    restart.reset();
  };
  const confirm = (reason: string | undefined, done: () => void) =>
    restart.mutate(reason, {
      onSuccess: ({ drain_seconds }) => {
        done();
        announce(`The daemon restarts: it finishes what is in flight, within ${drain_seconds} s.`);
      },
    });
  return (
    <>
      <Button right="administer" look="danger" onPress={() => setAsking(true)}>
        Restart
      </Button>
      <ReasonDialog
        name="restart"
        title="Restart the daemon?"
        confirm="Restart"
        isOpen={isAsking}
        onClose={close}
        onConfirm={confirm}
        isPending={restart.isPending}
        failure={restart.error}
      >
        <p>
          It finishes what is in flight, ends, and its supervisor starts it again. Until it listens, every client is
          refused. The restart leaves a receipt.
        </p>
      </ReasonDialog>
    </>
  );
}
