import { randomBytes, timingSafeEqual } from 'node:crypto';
import { isStorableText } from '../../../../common/http/headers.js';
import { UUID_FORM } from '../../../../common/ids/uuid-form.js';
import { sha256 } from '../../../../evidence/sha256.js';

/** What an invitation's token names, and the digest that proves it. */
export interface InviteAddress {
  tenantId: string;
  seatId: string;
  hash: Buffer;
}

const TOKEN = new RegExp(`^svc_inv_([A-Za-z0-9_-]{1,640})\\.(${UUID_FORM})\\.[A-Za-z0-9_-]{43}$`);

/**
 * `svc_inv_<base64url tenant>.<seat>.<256 random bits>`: a reader finds the row by the parts that are not secret, and
 * compares the rest. Only the hash is stored.
 */
export function mintInvite(tenantId: string, seatId: string): { token: string; hash: Buffer } {
  const tenant = Buffer.from(tenantId).toString('base64url');
  const token = `svc_inv_${tenant}.${seatId}.${randomBytes(32).toString('base64url')}`;
  return { token, hash: sha256(token) };
}

/** @returns undefined when it is no token of ours by its form */
export function readInvite(token: string): InviteAddress | undefined {
  const [, tenant, seatId] = TOKEN.exec(token) ?? [];
  if (tenant === undefined || seatId === undefined) return undefined;
  const tenantId = Buffer.from(tenant, 'base64url').toString('utf8');
  return tenantId !== '' && isStorableText(tenantId) ? { tenantId, seatId, hash: sha256(token) } : undefined;
}

/** In constant time. */
export const isSameHash = (stored: Buffer | null, given: Buffer): boolean =>
  stored !== null && stored.length === given.length && timingSafeEqual(stored, given);
