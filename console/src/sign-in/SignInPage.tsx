import { useState, type FormEvent } from 'react';
import { useConfig } from '../app/config.ts';
import { RequestFailure } from '../client/request-failure.ts';
import { Button } from '../components/Button.tsx';
import { TextField } from '../components/fields.tsx';
import { Notice } from '../components/Notice.tsx';
import { signInAsDeveloper, signInByKey, signInByToken } from './begin.ts';

export function SignInPage({ reason }: { reason?: string }) {
  return (
    <main className="sign-in">
      <h1>svc console</h1>
      {reason && <Notice tone="warn">{reason}</Notice>}
      <WaysIn />
    </main>
  );
}

/**
 * Ways in, of which the daemon's mode and settings open some.
 * @param tenant proposed where one is asked for, in place of the daemon's own
 */
export function WaysIn({ tenant }: { tenant?: string }) {
  const config = useConfig();
  const isOpen = config.auth_mode === 'dev_scopes' || config.auth_mode === 'off';
  return (
    <>
      {config.is_session_accepted && <KeyForm proposed={tenant ?? config.default_tenant} />}
      {config.people_issuer !== null && (
        <PeopleForm issuer={config.people_issuer} proposed={tenant ?? config.default_tenant} />
      )}
      {config.oidc && <ProviderButton />}
      {config.auth_mode.startsWith('jwt') && <TokenForm />}
      {isOpen && (
        <section className="card">
          <h2>Without signing in</h2>
          <p className="quiet">
            SVCD_AUTH_MODE={config.auth_mode}: everybody who reaches this daemon may do everything.
          </p>
          <Button onPress={() => signInAsDeveloper(config)}>Go on as everybody</Button>
        </section>
      )}
    </>
  );
}

/** Runs something that may be refused, and keeps what the refusal said. */
function useAttempt(): {
  message: string | undefined;
  isPending: boolean;
  attempt: (work: () => Promise<void>) => void;
} {
  const [message, setMessage] = useState<string>();
  const [isPending, setPending] = useState(false);
  const attempt = (work: () => Promise<void>) => {
    setPending(true);
    setMessage(undefined);
    work()
      .catch((error: Error) =>
        setMessage(error instanceof RequestFailure ? `${error.title}. ${error.message}` : error.message),
      )
      .finally(() => setPending(false));
  };
  return { message, isPending, attempt };
}

function KeyForm({ proposed }: { proposed: string }) {
  const { api } = useConfig();
  const [tenant, setTenant] = useState(proposed);
  const [key, setKey] = useState('');
  const { message, isPending, attempt } = useAttempt();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt(() => signInByKey(tenant.trim(), key.trim()));
  };
  return (
    <form className="card" onSubmit={submit}>
      <h2>With an API key</h2>
      {!api.is_reachable && <Notice tone="warn">The tenant API did not answer the daemon: is it running?</Notice>}
      <TextField label="Tenant" value={tenant} onChange={setTenant} isRequired autoComplete="organization" />
      <TextField
        label="API key"
        value={key}
        onChange={setKey}
        type="password"
        isRequired
        autoComplete="current-password"
        hint="The first one is in .svc/credentials.json on the server. It is sent once and not kept by this page."
        error={message}
      />
      <Button look="primary" type="submit" isPending={isPending}>
        Sign in
      </Button>
      <p className="quiet">
        People with a seat open the link of their invitation or of a sign-in mail, and come back here.
      </p>
    </form>
  );
}

function TokenForm() {
  const config = useConfig();
  const [token, setToken] = useState('');
  const { message, attempt } = useAttempt();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt(async () => signInByToken(token.trim(), config));
  };
  return (
    <form className="card" onSubmit={submit}>
      <h2>With a token of the daemon</h2>
      <TextField
        label="Token"
        value={token}
        onChange={setToken}
        type="password"
        isRequired
        autoComplete="off"
        hint="svc token mints one. It stays in this tab's memory and is gone when the page is loaded again."
        error={message}
      />
      <Button type="submit">Use this token</Button>
    </form>
  );
}

/** People with a seat, at the identity provider that the tenant API trusts. */
function PeopleForm({ issuer, proposed }: { issuer: string; proposed: string }) {
  const [tenant, setTenant] = useState(proposed);
  const { message, isPending, attempt } = useAttempt();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt(async () => (await import('./people.ts')).startPeopleSignIn(tenant.trim()));
  };
  return (
    <form className="card" onSubmit={submit}>
      <h2>With your seat</h2>
      <TextField label="Tenant of your seat" value={tenant} onChange={setTenant} isRequired error={message} />
      <Button look="primary" type="submit" isPending={isPending}>
        Sign in to your seat with {new URL(issuer).host}
      </Button>
    </form>
  );
}

function ProviderButton() {
  const { oidc } = useConfig();
  const { message, isPending, attempt } = useAttempt();
  return (
    <section className="card">
      <h2>With your organization</h2>
      {message && <Notice tone="bad">{message}</Notice>}
      <Button
        look="primary"
        isPending={isPending}
        onPress={() => attempt(async () => (await import('./oidc.ts')).startOidcSignIn(oidc!))}
      >
        Sign in to the daemon with {new URL(oidc!.issuer).host}
      </Button>
    </section>
  );
}
