import { useConfig } from '../app/config.ts';
import { Button } from '../components/Button.tsx';
import { Dialog } from '../components/Dialog.tsx';
import { Notice } from '../components/Notice.tsx';
import { leave } from './leave.ts';
import { WaysIn } from './SignInPage.tsx';

const stay = () => undefined;

/** Above the screen that somebody was at, which is as it was once the same one is signed in again. */
export function SignInAgain({ reason, tenant }: { reason: string; tenant: string }) {
  const config = useConfig();
  return (
    <Dialog title="Sign in again" isOpen onClose={stay}>
      <div className="stack">
        <Notice tone="warn">{reason}</Notice>
        <WaysIn tenant={tenant} />
        <div className="row end">
          <Button onPress={() => void leave(config)}>Leave</Button>
        </div>
      </div>
    </Dialog>
  );
}
