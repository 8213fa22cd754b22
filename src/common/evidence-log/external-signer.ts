import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { z } from 'zod';
import type { Settings } from '../config/settings.js';
import { readAtMost } from '../http/bounded-answer.js';
import { ServiceUnavailable } from '../problem/common-problems.js';
import { UserError } from '../user-error.js';
import { Es256VerifyingKey } from '../../evidence/forms/signature-keys.js';
import { PEERS, PURPOSES, type SigningUse } from '../../evidence/purposes.js';
import type { SignatureVerifier, Signer } from '../../evidence/signer.js';
import { VerifyingKey } from '../../evidence/signing-key.js';
import type { HeldKey, KeyFile } from './key-files.js';

/** Far more than any answer needs. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Messages of one request. */
const MAX_MESSAGES = 256;
const CONNECTIONS = 16;

const WHOLE = z.object({
  alg: z.string().optional(),
  kid: z.string().optional(),
  svc_purposes: z.array(z.enum([...PURPOSES, PEERS])).optional(),
});
const KEY = z.union([
  z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string() }).extend(WHOLE.shape),
  z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: z.string(), y: z.string() }).extend(WHOLE.shape),
]);
const KEYS = z.object({ keys: z.array(KEY).max(64), first: KEY.optional() });
const SIGNATURES = z.object({ signatures: z.array(z.string()) });
type SignerKey = z.infer<typeof KEY>;

/**
 * The keys that the signer has, in its order. docs/formats/signer.md.
 * @throws UserError that says what is wrong with it
 */
export async function listSignerKeys(settings: Settings): Promise<KeyFile> {
  try {
    const client = clientOf(settings);
    const { keys, first } = KEYS.parse(await client.ask('GET', 'keys'));
    const held = keys.map((jwk) => ({ jwk, key: publicKeyOf(jwk) }));
    const ed25519 = held.flatMap(({ jwk, key }) =>
      key instanceof VerifyingKey ? [{ use: useOf(jwk), key: new ExternalKey(client, key) }] : [],
    );
    const evidence = ed25519.flatMap(({ use, key }): HeldKey[] => (use === PEERS ? [] : [{ purpose: use, key }]));
    if (evidence.length === 0) throw new Error('it has no Ed25519 key');
    const es256 = held.flatMap(({ key }) => (key instanceof Es256VerifyingKey ? [new ExternalKey(client, key)] : []));
    const firstKey = first === undefined ? null : publicKeyOf(first);
    if (firstKey instanceof Es256VerifyingKey) throw new Error('its first key is not Ed25519');
    const peers = ed25519.filter(({ use }) => use === PEERS).map(({ key }) => key);
    return { first: firstKey, keys: evidence, es256, peers };
  } catch (error) {
    const { signerUrl } = settings.evidence;
    throw new UserError(
      `SVC_SIGNER_URL: cannot use the signer ${signerUrl}: ${reasonOf(error)}. Start it and see that it lists its keys (docs/formats/signer.md)`,
    );
  }
}

/** A key whose private half is with the signer. */
class ExternalKey<K extends SignatureVerifier> implements Signer<K> {
  readonly algorithm: K['algorithm'];
  readonly kid: string;

  constructor(
    private readonly client: SignerClient,
    readonly publicKey: K,
  ) {
    this.algorithm = publicKey.algorithm;
    this.kid = publicKey.kid;
  }

  /** Each signature is verified before anything rests on it. @throws ServiceUnavailable */
  async signAll(messages: readonly Uint8Array[], purpose: SigningUse): Promise<Uint8Array[]> {
    const signatures: Uint8Array[] = [];
    try {
      for (let start = 0; start < messages.length; start += MAX_MESSAGES)
        signatures.push(...(await this.signBatch(messages.slice(start, start + MAX_MESSAGES), purpose)));
      return signatures;
    } catch (error) {
      throw new ServiceUnavailable({ retryAfterSec: 1 }, `The signer does not sign: ${reasonOf(error)}`);
    }
  }

  private async signBatch(messages: readonly Uint8Array[], purpose: SigningUse): Promise<Uint8Array[]> {
    const { kid } = this;
    const asked = { kid, purpose, messages: messages.map((message) => Buffer.from(message).toString('base64')) };
    const { signatures } = SIGNATURES.parse(await this.client.ask('POST', 'sign', asked));
    if (signatures.length !== messages.length) throw new Error('it answered another number of signatures');
    return signatures.map((text, n) => {
      const signature = Uint8Array.from(Buffer.from(text, 'base64'));
      if (!this.publicKey.verify(messages[n]!, signature))
        throw new Error(`its signature does not hold under the key ${kid}`);
      return signature;
    });
  }
}

/** Asks the signer over HTTP. */
class SignerClient {
  private readonly pool: Pool;
  private readonly path: string;

  constructor(private readonly settings: Settings['evidence']) {
    const address = settings.signerUrl!;
    const socketPath = address.startsWith('unix:') ? address.slice('unix:'.length) : undefined;
    const { origin, pathname } = new URL(socketPath === undefined ? address : 'http://localhost');
    this.pool = new Pool(origin, { connections: CONNECTIONS, ...(socketPath === undefined ? {} : { socketPath }) });
    this.path = pathname.replace(/\/$/, '');
  }

  /** Nothing is lost by asking twice, so a connection that was closed meanwhile is opened again once. */
  async ask(method: 'GET' | 'POST', name: string, body?: object): Promise<unknown> {
    const signal = AbortSignal.timeout(this.settings.signerTimeoutMs);
    try {
      return await this.askOnce(method, name, body, signal);
    } catch (error) {
      if (signal.aborted) throw new Error(`it took longer than ${this.settings.signerTimeoutMs} ms`, { cause: error });
      if ((error as { code?: string }).code !== 'UND_ERR_SOCKET') throw error;
      return this.askOnce(method, name, body, signal);
    }
  }

  private async askOnce(method: 'GET' | 'POST', name: string, body: object | undefined, signal: AbortSignal) {
    const answer = await this.pool.request({
      method,
      path: `${this.path}/${name}`,
      headers: { ...this.credential(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
    const text = (await readAtMost(answer, MAX_ANSWER_BYTES)).toString('utf8');
    if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode} ${oneLine(text)}`.trim());
    return parse(text);
  }

  private credential(): { authorization?: string } {
    const { signerTokenFile: file } = this.settings;
    return file === undefined ? {} : { authorization: `Bearer ${readFileSync(file, 'utf8').trim()}` };
  }
}

/** One pool of connections for each settings, whoever asks; idle connections keep no process alive. */
const CLIENTS = new WeakMap<Settings, SignerClient>();

function clientOf(settings: Settings): SignerClient {
  const client = CLIENTS.get(settings) ?? new SignerClient(settings.evidence);
  CLIENTS.set(settings, client);
  return client;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('its answer is not JSON');
  }
}

/** @throws Error where its kid is not its thumbprint */
function publicKeyOf(jwk: SignerKey): VerifyingKey | Es256VerifyingKey {
  const key =
    jwk.kty === 'EC' ? Es256VerifyingKey.fromJwk(jwk.x, jwk.y) : new VerifyingKey(Buffer.from(jwk.x, 'base64url'));
  if (jwk.kid !== undefined && jwk.kid !== key.kid) throw new Error(`kid ${jwk.kid} is not the thumbprint of its key`);
  return key;
}

/** A key that says one purpose is for that alone. */
const useOf = ({ svc_purposes: uses }: SignerKey): SigningUse | null => (uses?.length === 1 ? uses[0]! : null);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 200);

function reasonOf(error: unknown): string {
  if (error instanceof z.ZodError) return `its answer has another form: ${oneLine(z.prettifyError(error))}`;
  const { message, code } = error as Error & { code?: string };
  return message === '' ? (code ?? 'it does not answer') : message;
}
