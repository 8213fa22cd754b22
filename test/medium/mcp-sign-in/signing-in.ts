import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
} from '@modelcontextprotocol/client';

/** Nothing listens there: where the provider sends the browser is all that is looked at. */
const CALLBACK = 'http://127.0.0.1:8976/callback';

/** What a program keeps that has its user sign in. */
class Kept implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  asked: URL | undefined;
  private registered: OAuthClientInformationMixed | undefined;
  private kept: OAuthTokens | undefined;
  private verifier = '';
  private found: OAuthDiscoveryState | undefined;

  constructor(private readonly scope: string | undefined) {}

  get clientMetadata() {
    return {
      client_name: 'a client of MCP',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      application_type: 'native' as const,
      ...(this.scope === undefined ? {} : { scope: this.scope }),
    };
  }

  clientInformation = () => this.registered;
  saveClientInformation = (registered: OAuthClientInformationMixed) => void (this.registered = registered);
  tokens = () => this.kept;
  saveTokens = (tokens: OAuthTokens) => void (this.kept = tokens);
  redirectToAuthorization = (url: URL) => void (this.asked = url);
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier);
  codeVerifier = () => this.verifier;
  saveDiscoveryState = (found: OAuthDiscoveryState) => void (this.found = found);
  discoveryState = () => this.found;
}

/** The official client, whose user signs in by a name; with the access token that it was given. */
export async function connectAs(mcpUrl: string, person: string, scope?: string): Promise<SignedIn> {
  const kept = new Kept(scope);
  const open = () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const transport = new StreamableHTTPClientTransport(new URL(mcpUrl), { authProvider: kept });
    return { client, transport };
  };
  const first = open();
  const refusal: unknown = await first.client.connect(first.transport).catch((error: unknown) => error);
  if (!(refusal instanceof UnauthorizedError) || !kept.asked)
    throw new Error('it was not asked to sign in', { cause: refusal });
  await first.transport.finishAuth((await signIn(kept.asked, person)).searchParams);
  const { client, transport } = open();
  await client.connect(transport);
  return { client, asked: kept.asked, token: kept.tokens()!.access_token };
}

interface SignedIn {
  client: Client;
  /** The request for authorization. */
  asked: URL;
  token: string;
}

/** What a browser does at the provider. @returns where the provider sends it in the end */
async function signIn(address: URL, person: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let [next, form]: [URL, URLSearchParams | undefined] = [address, undefined];
  for (let steps = 0; steps < 20; steps++) {
    const cookie = [...cookies].map((one) => one.join('=')).join('; ');
    const answer: Response = await fetch(next, {
      ...{ method: form ? 'POST' : 'GET', redirect: 'manual', headers: { cookie } },
      ...(form ? { body: form } : {}),
    });
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      cookies.set(name!, value!);
    }
    const location = answer.headers.get('location');
    const page = await answer.text();
    if (location !== null) {
      next = new URL(location, next);
      form = undefined;
      if (next.href.startsWith(CALLBACK)) return next;
      continue;
    }
    const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
    if (prompt === undefined) throw new Error(`the provider answered ${answer.status}: ${page.slice(0, 500)}`);
    form = new URLSearchParams({ prompt, login: person, password: 'any' });
  }
  throw new Error('the provider leads nowhere');
}
