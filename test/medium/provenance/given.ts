import type { SignerFiles } from '../../kit/signing-chain.js';
import { claims, hs256, HS256_ENV } from '../daemon-auth/given.js';

/** The gateway open, in a mode that asks for tokens. */
export const GATEWAY_ENV = { ...HS256_ENV, SVCD_FEATURE_PROVENANCE_API: '1' };

export const CONTENT = Buffer.from('what is signed\n');
export const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64');

export const bearerOf = (scope: string, changed: Record<string, unknown> = {}): Promise<string> =>
  hs256(claims({ scope, ...changed }));

export const signRequest = ({ key, chain }: SignerFiles, changed: Record<string, unknown> = {}) => ({
  content_b64: base64(CONTENT),
  signing_key_pem: key,
  cert_chain_pem: chain,
  manifest: { source: 'a.txt', lines: 1 },
  ...changed,
});
