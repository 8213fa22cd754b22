import { Choice, Integer, ListOf, Text } from '../fields/fields.js';

/** A key of the evidence on the wire: what `PublicJwk` is in the code. */
export class SigningJwk {
  @Choice({ about: 'Signature algorithm (RFC 8037).', values: ['EdDSA'] })
  alg!: 'EdDSA';

  @Choice({ about: 'Curve.', values: ['Ed25519'] })
  crv!: 'Ed25519';

  @Integer({
    about: 'The key does not sign at or after this second since 1970; missing while it is in use.',
    optional: true,
  })
  exp?: number;

  @Text({ about: 'RFC 7638 thumbprint: base64url of SHA-256.' })
  kid!: string;

  @Choice({ about: 'Key type.', values: ['OKP'] })
  kty!: 'OKP';

  @Integer({ about: 'The key signs from this second since 1970 on.' })
  nbf!: number;

  @Choice({ about: 'Use.', values: ['sig'] })
  use!: 'sig';

  @Text({ about: 'The public key, base64url of 32 bytes.' })
  x!: string;
}

/** A JSON Web Key Set (RFC 7517). */
export class SigningKeySet {
  @ListOf({ about: 'Every public key that signed evidence in this database, oldest first.', type: () => SigningJwk })
  keys!: SigningJwk[];
}
