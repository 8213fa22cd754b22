import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { fromAnotherAddress, send, type Answer } from './app.js';

/** A program that signs requests as docs/formats/peer-requests.md says; it shares no code with the product. */
export interface TestPeer {
  /** 32 bytes in base64url. */
  readonly publicKey: string;
  readonly keyid: string;
  readonly key: KeyObject;
}

export function makePeer(key: KeyObject = generateKeyPairSync('ed25519').privateKey): TestPeer {
  const { x } = key.export({ format: 'jwk' });
  const canonical = `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`;
  return { publicKey: x!, keyid: createHash('sha256').update(canonical).digest('base64url'), key };
}

export const digestOf = (body: string): string => `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** What is signed, and what is sent: a test changes either. */
export interface SignedParts {
  method: string;
  targetUri: string;
  digest: string;
  nonce: string;
  created: number;
  expires?: number;
  keyid: string;
  delegation?: string;
}

function baseOf(parts: SignedParts): { base: string; parameters: string } {
  const { method, targetUri, digest, nonce, created, expires, keyid, delegation } = parts;
  const lines = [
    `"@method": ${method}`,
    `"@target-uri": ${targetUri}`,
    `"content-digest": ${digest}`,
    `"x-svc-sync-nonce": ${nonce}`,
    ...(delegation === undefined ? [] : [`"x-svc-delegation": ${delegation}`]),
  ];
  const names = lines.map((line) => line.slice(0, line.indexOf(': ')));
  const until = expires === undefined ? '' : `;expires=${expires}`;
  const parameters = `(${names.join(' ')});created=${created}${until};keyid="${keyid}";alg="ed25519"`;
  return { base: [...lines, `"@signature-params": ${parameters}`].join('\n'), parameters };
}

/** The fields of a signed request. */
export function signedFields(peer: TestPeer, parts: SignedParts): Record<string, string> {
  const { base, parameters } = baseOf(parts);
  return {
    'content-digest': parts.digest,
    'x-svc-sync-nonce': parts.nonce,
    ...(parts.delegation === undefined ? {} : { 'x-svc-delegation': parts.delegation }),
    'signature-input': `peer=${parameters}`,
    signature: `peer=:${sign(null, Buffer.from(base), peer.key).toString('base64')}:`,
  };
}

export async function nonceOf(url: string): Promise<string> {
  return ((await send(url, 'POST', '/v1/sync/handshake/nonce')).body as { nonce: string }).nonce;
}

export interface AskOptions {
  method?: string;
  body?: string;
  delegation?: string;
  /** In place of a fresh one. */
  nonce?: string;
  /** Of what is signed. */
  signed?: Partial<SignedParts>;
  /** Of what is sent. */
  sent?: Record<string, string>;
}

/** A request of a peer, from an address of its own: failures of others are not counted for it. */
export async function ask(url: string, peer: TestPeer, path: string, options: AskOptions = {}): Promise<Answer> {
  const { method = 'POST', body, delegation, nonce = await nonceOf(url), signed, sent } = options;
  const fields = signedFields(peer, {
    ...{ method, targetUri: url + path, digest: digestOf(body ?? ''), nonce, created: nowSeconds(), keyid: peer.keyid },
    ...(delegation === undefined ? {} : { delegation }),
    ...signed,
  });
  return send(url, method, path, body, { ...fromAnotherAddress(), ...fields, ...sent });
}

export interface DelegationClaims {
  [member: string]: unknown;
}

/** A delegation to another key, as compact JWS. */
export function delegate(from: TestPeer, to: TestPeer, claims: DelegationClaims, header: object = {}): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = part({ alg: 'EdDSA', typ: 'svc-delegation+jwt', ...header });
  const payload = part({
    ...{ v: '1.1', iss: from.keyid, sub: to.keyid, jti: crypto.randomUUID(), exp: nowSeconds() + 300 },
    cnf: { jwk: { kty: 'OKP', crv: 'Ed25519', x: to.publicKey } },
    ...claims,
  });
  const signature = sign(null, Buffer.from(`${head}.${payload}`), from.key).toString('base64url');
  return `${head}.${payload}.${signature}`;
}
