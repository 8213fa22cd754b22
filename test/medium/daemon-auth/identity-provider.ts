import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK, type JWTPayload } from 'jose';
import { Provider, type ClientMetadata, type Configuration } from 'oidc-provider';

export const AUDIENCE = 'urn:svc:daemon';
const CLIENT_SECRET = 'a secret of the clients';

/** A client of the provider and the claims of its tokens in addition to their scope. */
export type Clients = Record<string, Record<string, unknown>>;

/** Clients that are pages: they have no secret (PKCE), and people sign in for them and come back to this address. */
export type Pages = Record<string, string>;

/** What more a provider does. */
interface Further {
  /** What its tokens say of a person who signed in by this name. */
  claimsOf?: (name: string) => Record<string, unknown>;
  /** Programs register themselves (RFC 7591), and their tokens are for the resource that they ask for (RFC 8707). */
  isOpen?: true;
}

/**
 * A real OpenID Provider (the npm package oidc-provider) on a loopback port, with keys that can change while it runs.
 */
export class IdentityProvider {
  private keys: JWK[] = [];
  private handler: RequestListener = (_, reply) => reply.writeHead(503).end();
  private server: Server | undefined;
  private port = 0;
  /** How often its key set was asked for. */
  keySetReads = 0;
  /** Whom its tokens are for. */
  audience = AUDIENCE;

  private constructor(
    private readonly clients: Clients,
    private readonly pages: Pages,
    private readonly further: Further,
  ) {}

  static async start(clients: Clients, pages: Pages = {}, further: Further = {}): Promise<IdentityProvider> {
    const provider = new IdentityProvider(clients, pages, further);
    await provider.comeUp();
    await provider.rotate();
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get jwksUrl(): string {
    return `${this.issuer}/jwks`;
  }

  /** A new key signs from now on. @param keepsOld whether tokens of the keys before it are still good */
  async rotate({ alg = 'RS256', keepsOld = true }: { alg?: string; keepsOld?: boolean } = {}): Promise<void> {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    const key = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg, use: 'sig' };
    this.keys = [key, ...(keepsOld ? this.keys : [])];
    const provider = new Provider(this.issuer, this.configuration(key.kid, alg));
    this.handler = (request, reply) => void provider.callback()(request, reply);
  }

  /** An access token of the grant client_credentials. */
  async token(clientId: string, scope: string): Promise<string> {
    const answer = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${clientId}:${encodeURIComponent(CLIENT_SECRET)}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
    });
    const { access_token: token } = (await answer.json()) as { access_token?: string };
    if (!token) throw new Error(`the provider answered ${answer.status}`);
    return token;
  }

  /** Any claims under the key that signs now. */
  async sign(claims: JWTPayload, typ = 'at+jwt'): Promise<string> {
    const [key] = this.keys;
    return new SignJWT(claims).setProtectedHeader({ alg: key!.alg!, kid: key!.kid, typ }).sign(await importJWK(key!));
  }

  async comeUp(): Promise<void> {
    const server = createServer((request, reply) => {
      if (request.url === '/jwks') this.keySetReads += 1;
      this.handler(request, reply);
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  async goDown(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  }

  private configuration(kid: string, alg: string): Configuration {
    return {
      jwks: { keys: this.keys },
      ttl: { ClientCredentials: 600, AccessToken: 600, IdToken: 600, Grant: 600, Interaction: 600, Session: 600 },
      cookies: { keys: [randomUUID()] },
      clients: Object.keys(this.clients).map((clientId) => this.registrationOf(clientId)),
      clientBasedCORS: (_, origin, { clientId }) => this.pages[clientId]?.startsWith(`${origin}/`) ?? false,
      scopes: ['mcp', 'query:read', 'facts:write', 'facts:read', 'receipts:read', 'admin:write', 'admin:read'],
      extraTokenClaims: (_, token) => ({
        ...this.clients[token.clientId!],
        ...('accountId' in token ? this.further.claimsOf?.(token.accountId) : {}),
      }),
      features: {
        // Whoever gives a name and a password, whatever they are, is signed in by that name.
        devInteractions: { enabled: this.further.isOpen ?? Object.keys(this.pages).length > 0 },
        registration: { enabled: this.further.isOpen ?? false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => AUDIENCE,
          useGrantedResource: () => true,
          getResourceServerInfo: (_, resource) => ({
            scope: 'mcp query:read facts:write facts:read receipts:read admin:write admin:read',
            audience: this.further.isOpen ? resource : this.audience,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 600,
            jwt: { sign: { alg: alg as 'RS256', kid } },
          }),
        },
      },
    };
  }

  private registrationOf(clientId: string): ClientMetadata {
    const address = this.pages[clientId];
    if (address === undefined)
      return {
        client_id: clientId,
        ...{ client_secret: CLIENT_SECRET, grant_types: ['client_credentials'] },
        ...{ redirect_uris: [], response_types: [] },
      };
    return {
      client_id: clientId,
      ...{ token_endpoint_auth_method: 'none', grant_types: ['authorization_code'] },
      ...{ redirect_uris: [address], response_types: ['code'], post_logout_redirect_uris: [address] },
    };
  }
}
