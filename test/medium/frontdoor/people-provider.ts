import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

/** What the provider knows of people, by the name they sign in with. */
export type People = Record<string, Record<string, unknown>>;

export interface ClientOfPeople {
  clientId: string;
  /** Absent: a public client. */
  secret?: string;
  redirectUri: string;
}

/** A real OpenID Provider (the npm package oidc-provider) on a loopback port, at which people sign in by their name. */
export class PeopleProvider {
  private constructor(
    private readonly server: Server,
    readonly issuer: string,
    readonly people: People,
  ) {}

  /** @param inIdToken whether the ID token has the e-mail address, or UserInfo alone */
  static async start(
    { clientId, secret, redirectUri }: ClientOfPeople,
    people: People,
    inIdToken = false,
  ): Promise<PeopleProvider> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = new Provider(issuer, {
      jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'RS256', use: 'sig' }] },
      cookies: { keys: [randomUUID()] },
      conformIdTokenClaims: !inIdToken,
      claims: { openid: ['sub'], email: ['email', 'email_verified', 'groups'] },
      findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id, ...people[id] }) }),
      ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Grant: 600, Interaction: 600, Session: 600 },
      clients: [
        {
          client_id: clientId,
          redirect_uris: [redirectUri],
          grant_types: ['authorization_code'],
          response_types: ['code'],
          ...(secret === undefined ? { token_endpoint_auth_method: 'none' } : { client_secret: secret }),
        },
      ],
    });
    const callback = provider.callback();
    server.on('request', (request, reply) => void callback(request, reply));
    return new PeopleProvider(server, issuer, people);
  }

  /**
   * What a browser does at the provider: signs in and agrees.
   * @param authorizationUrl where svc sends it
   * @returns the address that it is led back to
   */
  async visit(authorizationUrl: string, name: string): Promise<URL> {
    const cookies = new Map<string, string>();
    let next = { url: authorizationUrl, form: undefined as URLSearchParams | undefined };
    for (let step = 0; step < 12; step += 1) {
      const answer = await fetch(next.url, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; ') },
        ...(next.form ? { method: 'POST', body: next.form } : {}),
      });
      for (const cookie of answer.headers.getSetCookie()) {
        const [, key, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
        cookies.set(key!, value!);
      }
      const location = answer.headers.get('location');
      if (location !== null) {
        const url = new URL(location, next.url);
        if (url.origin !== this.issuer) return url;
        next = { url: url.href, form: undefined };
        continue;
      }
      const page = await answer.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
      if (prompt === undefined) throw new Error(`the provider answered ${answer.status}: ${page.slice(0, 500)}`);
      next = { url: next.url, form: new URLSearchParams({ prompt, login: name, password: 'any' }) };
    }
    throw new Error('the provider leads nowhere');
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
