import { shownIdentity, signOut } from '../client/identity.ts';
import { dropDrafts } from '../components/drafts.ts';
import { endSession } from '../generated/api/sdk.gen.ts';
import type { ConsoleConfig } from './console-config.ts';

/** Signs out, here and where the sign-in came from: of the tenant API, or at the identity provider. */
export async function leave({ oidc }: ConsoleConfig): Promise<void> {
  const identity = shownIdentity();
  if (identity?.kind === 'session') await endSession();
  signOut();
  dropDrafts();
  if (identity?.kind !== 'token' || identity.idToken === undefined || !oidc) return;
  try {
    const { endOidcSession } = await import('./oidc.ts');
    await endOidcSession(oidc, identity);
  } catch (error) {
    const { host } = new URL(oidc.issuer);
    signOut(`You are signed out here, but not at ${host}, which could not be asked: ${(error as Error).message}`);
  }
}
