import type { ReactNode } from 'react';
import { useHasSession } from '../client/identity.ts';
import { Empty } from './states.tsx';

/** What the tenant API answers, or how to sign in for it. */
export function NeedsSession({ what, children }: { what: string; children: ReactNode }) {
  if (useHasSession()) return children;
  return (
    <Empty title={`${what} need a session`}>
      The tenant API knows sessions alone. Sign out in the account menu, then sign in &ldquo;With an API key&rdquo;.
    </Empty>
  );
}
