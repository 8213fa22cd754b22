import { answerOf } from '../client/answer.ts';
import { nameOf, shownIdentity, signIn, signOut, type Identity } from '../client/identity.ts';
import { dropDrafts, takeKeptDrafts } from '../components/drafts.ts';
import { announce } from '../components/toasts.tsx';
import { createSession } from '../generated/api/sdk.gen.ts';
import type { ConsoleConfig } from './console-config.ts';
import { claimsOf } from './token-claims.ts';

/** Somebody is signed in, who may have left a form for a sign-in elsewhere. What another typed is gone. */
function enter(identity: Identity): void {
  const before = shownIdentity();
  if (before && nameOf(before) !== nameOf(identity)) dropDrafts();
  signIn(identity);
  if (takeKeptDrafts(nameOf(identity))) announce('What you typed is kept: open its form again.');
}

/** @throws RequestFailure */
export async function signInByKey(tenantId: string, apiKey: string): Promise<void> {
  const { apiKeyPrefix } = await answerOf(createSession({ body: { tenantId, apiKey } }));
  enter({ kind: 'session', tenant: tenantId, label: `key ${apiKeyPrefix}`, role: 'owner' });
}

/** Nothing is asked of the server: the first request shows whether it takes the token. */
export function signInByToken(token: string, config: ConsoleConfig, idToken?: string): void {
  const { subject, tenant, scopes, expiresAt } = claimsOf(token);
  enter({
    kind: 'token',
    tenant: tenant ?? config.default_tenant,
    label: subject ?? 'token',
    ...{ token, scopes },
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(idToken === undefined ? {} : { idToken }),
  });
}

export function signInAsDeveloper(config: ConsoleConfig, tenant = config.default_tenant): void {
  if (config.auth_mode === 'off') return enter({ kind: 'off', tenant, label: 'everybody' });
  const scopes = config.dev_scopes.join(' ');
  enter({ kind: 'dev_scopes', tenant, label: 'everybody on this machine', scopes });
}

/** Who the page acts as when it opens, without a question where none is needed. */
export async function begin(config: ConsoleConfig): Promise<void> {
  if (config.oidc) {
    const { finishOidcSignIn } = await import('./oidc.ts');
    const back = await finishOidcSignIn(config.oidc);
    if (back) return signInByToken(back.token, config, back.idToken);
  }
  if (config.people_issuer !== null) {
    const back = await (await import('./people.ts')).finishPeopleSignIn();
    if (back) return enter(back);
  }
  if (config.session) {
    const { tenant_id: tenant, label, role } = config.session;
    return enter({ kind: 'session', tenant, label, role });
  }
  if (config.auth_mode === 'off' || config.auth_mode === 'dev_scopes') return signInAsDeveloper(config);
  signOut();
}
