import { queryClient } from './query-client.ts';
import { createStore } from './store.ts';

/**
 * Who the page acts as. A token lives in this variable alone: not in storage, not in an address. `idToken` is what an
 * identity provider ends its own session by. `session` is the cookie of the tenant API, which no script can read.
 */
export type Identity =
  | { kind: 'session'; tenant: string; label: string; role: string }
  | {
      kind: 'token';
      tenant: string;
      label: string;
      token: string;
      scopes: string;
      expiresAt?: number;
      idToken?: string;
    }
  | { kind: 'dev_scopes'; tenant: string; label: string; scopes: string }
  | { kind: 'off'; tenant: string; label: string };

/** `unknown` until the first look; `ended` once the server refuses what was valid: screens stay as they are. */
type State =
  | { state: 'unknown' }
  | { state: 'signed-out'; reason?: string }
  | { state: 'signed-in'; identity: Identity }
  | { state: 'ended'; identity: Identity; reason: string };

const store = createStore<State>({ state: 'unknown' });

/** By which screens belong to one and the same. */
export const nameOf = ({ kind, tenant, label }: Identity): string => `${kind} ${tenant} ${label}`;

export function signIn(identity: Identity): void {
  const before = shownIdentity();
  const isSame = before !== undefined && nameOf(before) === nameOf(identity);
  // What another saw is gone before anything of this one is shown.
  if (!isSame) queryClient.clear();
  store.set({ state: 'signed-in', identity });
  if (isSame) void queryClient.invalidateQueries();
}

export function signOut(reason?: string): void {
  store.set({ state: 'signed-out', ...(reason === undefined ? {} : { reason }) });
  queryClient.clear();
}

/** The server refuses the identity. What is shown and typed stays until somebody signs in again. */
export function endSignIn(reason: string): void {
  const identity = identityNow();
  if (identity) store.set({ state: 'ended', identity, reason });
}

export function identityNow(): Identity | undefined {
  const current = store.get();
  return current.state === 'signed-in' ? current.identity : undefined;
}

export const hasEnded = (): boolean => store.get().state === 'ended';

/** Whose screens are shown: of somebody who is signed in, or was until the server refused. */
export function shownIdentity(): Identity | undefined {
  const current = store.get();
  return 'identity' in current ? current.identity : undefined;
}

export const useIdentityState = (): State => store.use();

/** Who is signed in. Screens are shown to nobody else. */
export function useIdentity(): Identity {
  const state = useIdentityState();
  if (!('identity' in state)) throw new Error('nobody is signed in');
  return state.identity;
}

/** Whether the tenant API's side can be read: it knows sessions alone. */
export const useHasSession = (): boolean => useIdentity().kind === 'session';
