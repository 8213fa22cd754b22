/** 2^255 - 19, the prime of the field. */
const P = 2n ** 255n - 19n;
const EIGHTH = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
/** The y of the eight points whose order divides the cofactor: under these keys one signature may fit many messages. */
const SMALL_ORDER_Y: readonly bigint[] = [0n, 1n, P - 1n, EIGHTH, P - EIGHTH];

/**
 * Refuses what RFC 8032 section 5.1.3 does not decode (a y of 2^255 - 19 or more) and the points of small order.
 * @throws Error
 */
export function expectStrongPoint(publicKey: Uint8Array): void {
  const y = BigInt(`0x${Buffer.from(publicKey).reverse().toString('hex')}`) % 2n ** 255n;
  if (y >= P) throw new Error('the public key is not in the canonical form of RFC 8032');
  if (SMALL_ORDER_Y.includes(y)) throw new Error('the public key is a point of small order');
}
