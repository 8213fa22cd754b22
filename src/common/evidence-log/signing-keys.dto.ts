import { Choice, Integer, ListOf, Text, TextList } from '../fields/fields.js';
import { type Purpose, PURPOSES } from '../../evidence/purposes.js';

/** A key of the evidence on the wire: what `PublicJwk` and `Es256Jwk` are in the code. */
export class SigningJwk {
  @Choice({
    about: 'Signature algorithm (RFC 8037, RFC 7518); ES256 for COSE receipts alone.',
    values: ['EdDSA', 'ES256'],
  })
  alg!: 'EdDSA' | 'ES256';

  @Choice({ about: 'Curve.', values: ['Ed25519', 'P-256'] })
  crv!: 'Ed25519' | 'P-256';

  @Integer({
    about: 'The key does not sign at or after this second since 1970; missing while it is in use.',
    optional: true,
  })
  exp?: number;

  @Text({ about: 'RFC 7638 thumbprint: base64url of SHA-256.' })
  kid!: string;

  @Choice({ about: 'Key type.', values: ['OKP', 'EC'] })
  kty!: 'OKP' | 'EC';

  @Integer({ about: 'The key signs from this second since 1970 on.' })
  nbf!: number;

  @TextList({ about: `What it signs, of ${PURPOSES.join(', ')}; verifiers hold it to that.` })
  svc_purposes!: Purpose[];

  @Choice({ about: 'Use.', values: ['sig'] })
  use!: 'sig';

  @Text({ about: 'The public key, or its first coordinate: base64url of 32 bytes.' })
  x!: string;

  @Text({ about: 'Of a key on P-256: the second coordinate, base64url of 32 bytes.', optional: true })
  y?: string;
}

/** A JSON Web Key Set (RFC 7517). */
export class SigningKeySet {
  @ListOf({ about: 'Every public key that signed evidence in this database, oldest first.', type: () => SigningJwk })
  keys!: SigningJwk[];
}
