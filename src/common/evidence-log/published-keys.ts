import { PURPOSES } from '../../evidence/purposes.js';
import type { WholeKeyView } from './known-keys.js';
import type { SigningJwk } from './signing-keys.dto.js';

/**
 * All public keys of the chain as a JSON Web Key Set has them: each says what it signs. Those on P-256 are the last.
 */
export const publishedKeys = ({ known, es256 }: WholeKeyView): SigningJwk[] => [
  ...known.map(({ jwk, terms }) => ({ ...jwk, svc_purposes: PURPOSES.filter((purpose) => terms.has(purpose)) })),
  ...es256.map(({ jwk }) => ({ ...jwk, svc_purposes: ['log' as const] })),
];
