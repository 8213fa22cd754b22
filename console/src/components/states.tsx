import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { FailureKind, RequestFailure } from '../client/request-failure.ts';
import { Button } from './Button.tsx';
import { Time } from './Time.tsx';

/** Takes the place of what is being read, without moving what stands around it. */
export function Loading({ label = 'Loading', rows = 3 }: { label?: string; rows?: number }) {
  return (
    <div className="loading" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

/** There is nothing; what to do next. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <div className="quiet">{children}</div>}
      {action}
    </div>
  );
}

const HEADINGS: Record<FailureKind, string> = {
  unreachable: 'The server does not answer',
  'signed-out': 'You are signed out',
  forbidden: 'This sign-in may not see this',
  'switched-off': 'This is switched off',
  'not-found': 'This does not exist',
  busy: 'The server asks to wait',
  invalid: 'The server did not understand this',
  conflict: 'Something has changed meanwhile',
  broken: 'The server failed',
};

function adviceOn(failure: RequestFailure): ReactNode {
  switch (failure.kind) {
    case 'unreachable':
      return 'The console tries again by itself. svc doctor on its machine says what is wrong.';
    case 'busy':
      if (failure.retryAfterSeconds === undefined) return 'The console tries again by itself.';
      if (failure.isTransient) return `The console tries again in ${Math.ceil(failure.retryAfterSeconds)} s.`;
      return (
        <>
          It can be asked again <Time at={failure.retryAt} />.
        </>
      );
    case 'forbidden':
      return 'Ask an owner or admin of the tenant for the role or scope, or sign in as somebody else.';
    case 'switched-off':
      // A plane has more values than on and off; the server names them.
      if (failure.problem.code === 'PLANE_OFF') return '';
      return failure.flag
        ? `Set ${failure.flag}=1 and start the daemon again.`
        : 'An operator can switch it on; docs/env.md has the settings.';
    case 'signed-out':
    case 'not-found':
    case 'invalid':
    case 'conflict':
    case 'broken':
      return '';
  }
}

/** Why something cannot be shown, in the server's words, with what may help and the id that its log has. */
export function Failure({ failure, retry }: { failure: RequestFailure; retry?: () => void }) {
  return (
    <div className={`notice ${failure.kind === 'switched-off' ? '' : 'bad'}`} role="alert">
      <h2>{HEADINGS[failure.kind]}</h2>
      <p>{failure.message}</p>
      {adviceOn(failure) && <p className="quiet">{adviceOn(failure)}</p>}
      <div className="row">
        {retry && <Button onPress={retry}>Try again</Button>}
        {failure.requestId && (
          <span className="quiet">
            Request <code>{failure.requestId}</code>
          </span>
        )}
      </div>
    </div>
  );
}

/** What a query has, or why it has nothing. What was read before stays while it is read again. */
export function Answer<T>({
  query,
  rows,
  children,
}: {
  query: Pick<UseQueryResult<T, RequestFailure>, 'data' | 'error' | 'failureReason' | 'refetch'>;
  rows?: number;
  children: (data: T) => ReactNode;
}) {
  const retry = () => void query.refetch();
  if (query.data === undefined) {
    // While it is tried again, why it was not there at once.
    const failure = query.error ?? query.failureReason;
    return failure ? <Failure failure={failure} retry={retry} /> : <Loading rows={rows ?? 3} />;
  }
  return (
    <>
      {query.error && <Failure failure={query.error} retry={retry} />}
      {children(query.data)}
    </>
  );
}
