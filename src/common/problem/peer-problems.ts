import { problem, type ProblemClass } from './problem.js';

/** SVCD_SYNC_MUTUAL_AUTH=1, and the request bears no signature. */
export class HandshakeRequired extends problem<{ hint: string }>(401, 'HandshakeRequired', 'Peers sign this request') {}
export class SignatureMalformed extends problem(401, 'SignatureMalformed', 'The signature cannot be read') {}
export class SignatureInvalid extends problem(401, 'SignatureInvalid', 'The signature does not hold') {}
export class SignatureExpired extends problem(401, 'SignatureExpired', 'The signature has expired') {}
export class SignatureNotYetValid extends problem(401, 'SignatureNotYetValid', 'The signature is of a later time') {}
export class NonceUnknown extends problem(401, 'NonceUnknown', 'The nonce is none of this server') {}
export class NonceExpired extends problem(401, 'NonceExpired', 'The nonce has expired') {}
export class NonceReplayed extends problem(401, 'NonceReplayed', 'The nonce was used before') {}
export class PeerUnknown extends problem<{ keyid: string }>(401, 'PeerUnknown', 'No peer has this key') {}
/** The signature holds, and what came is not the body that it is over: altered, or cut. */
export class ContentDigestMismatch extends problem(401, 'ContentDigestMismatch', 'The body is not the signed one') {}

export class PeerRevoked extends problem<{ peer_id: string }>(403, 'PeerRevoked', 'The peer was revoked') {}
export class PeerWithoutPrefixes extends problem<{ peer_id: string }>(
  403,
  'PeerWithoutPrefixes',
  'No entities are open to the peer',
) {}
export class PeerDirection extends problem<{ peer_id: string; direction: string }>(
  403,
  'PeerDirection',
  'The direction of the peer does not allow this',
) {}

export class DelegationNotEnforced extends problem(403, 'DelegationNotEnforced', 'Delegations are not taken') {}
export class DelegationMalformed extends problem(403, 'DelegationMalformed', 'The delegation cannot be read') {}
export class DelegationInvalid extends problem(403, 'DelegationInvalid', 'A delegation was not signed by its issuer') {}
/** Its issuer is not the subject of the one before, or the last subject is not who signed the request. */
export class DelegationBroken extends problem(403, 'DelegationBroken', 'The delegations are no chain') {}
export class DelegationAudience extends problem(403, 'DelegationAudience', 'The delegation is for another recipient') {}
export class DelegationTenant extends problem(403, 'DelegationTenant', 'The delegation is for another tenant') {}
export class DelegationExpired extends problem(403, 'DelegationExpired', 'The delegation has expired') {}
export class DelegationNotYetValid extends problem(403, 'DelegationNotYetValid', 'The delegation is of a later time') {}
export class DelegationWidened extends problem(
  403,
  'DelegationWidened',
  'A delegation gives more than its issuer has',
) {}

/** What a route that peers may call answers in addition. */
export const PEER_PROBLEMS: ProblemClass[] = [
  HandshakeRequired,
  SignatureMalformed,
  SignatureInvalid,
  SignatureExpired,
  SignatureNotYetValid,
  NonceUnknown,
  NonceExpired,
  NonceReplayed,
  PeerUnknown,
  ContentDigestMismatch,
  PeerRevoked,
  PeerWithoutPrefixes,
  PeerDirection,
  DelegationNotEnforced,
  DelegationMalformed,
  DelegationInvalid,
  DelegationBroken,
  DelegationAudience,
  DelegationTenant,
  DelegationExpired,
  DelegationNotYetValid,
  DelegationWidened,
];
