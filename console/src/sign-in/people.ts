import { answerOf } from '../client/answer.ts';
import { hasEnded, nameOf, shownIdentity, type Identity } from '../client/identity.ts';
import { keepDrafts } from '../components/drafts.ts';
import { finishProviderSignIn, startProviderSignIn } from '../generated/api/sdk.gen.ts';

/** What the way back needs: kept for this tab and this one sign-in; of no use without the provider's code. */
const PENDING = 'svc console people sign-in';
interface Pending {
  transaction: string;
  hash: string;
}

/** Leaves for the page of the identity provider. @throws RequestFailure */
export async function startPeopleSignIn(tenantId: string): Promise<void> {
  const { authorizationUrl, transaction } = await answerOf(startProviderSignIn({ body: { tenantId } }));
  sessionStorage.setItem(PENDING, JSON.stringify({ transaction, hash: location.hash } satisfies Pending));
  if (hasEnded()) keepDrafts(nameOf(shownIdentity()!));
  location.assign(authorizationUrl);
}

/**
 * The session of the seat, as a cookie, for what the provider gave on the way back.
 * @returns undefined when the page was not reached from there
 * @throws RequestFailure; Error with what the provider said
 */
export async function finishPeopleSignIn(): Promise<Identity | undefined> {
  const stored = sessionStorage.getItem(PENDING);
  const { searchParams } = new URL(location.href);
  const state = searchParams.get('state');
  if (stored === null || state === null) return undefined;
  sessionStorage.removeItem(PENDING);
  const { transaction, hash } = JSON.parse(stored) as Pending;
  // The code is of one use, and out of the address before it is used.
  history.replaceState(null, '', location.href.replace(/[?#].*$/, '') + hash);
  const [code, iss] = [searchParams.get('code'), searchParams.get('iss')];
  if (code === null)
    throw new Error(searchParams.get('error_description') ?? searchParams.get('error') ?? 'no code came');
  const body = { transaction, code, state, ...(iss === null ? {} : { iss }) };
  const { tenantId, seatEmail, seatRole } = await answerOf(finishProviderSignIn({ body }));
  return { kind: 'session', tenant: tenantId, label: seatEmail!, role: seatRole! };
}
