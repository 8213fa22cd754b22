import { randomUUID } from 'node:crypto';
import type { Query } from '../tenancy/cross-tenant.js';
import { keep, mintApiKey, type NewApiKey } from './api-key.js';

export interface KeyMaking {
  tenantId: string;
  /** The principal that makes it; `operator` is the user of the svc command. */
  createdBy: string;
  label?: string | null;
  expiresAt?: Date | null;
  /** A key that somebody else chose, in place of a random one. */
  chosenKey?: string;
}

export interface MadeKey {
  keyId: string;
  key: NewApiKey;
}

/** Writes a new key's row: the one place that does, for the API and the command line. */
export async function insertKey(query: Query, making: KeyMaking): Promise<MadeKey> {
  const { tenantId, createdBy, label = null, expiresAt = null, chosenKey } = making;
  const key = chosenKey ? keep(chosenKey) : mintApiKey();
  const keyId = randomUUID();
  await query(
    `insert into api_key (tenant_id, key_id, prefix, key_hash, label, created_by, expires_at) values ($1, $2, $3, $4, $5, $6, $7)`,
    [tenantId, keyId, key.prefix, key.hash, label, createdBy, expiresAt],
  );
  return { keyId, key };
}

export interface KeyEnding {
  tenantId: string;
  keyId: string;
  revokedBy: string;
  reason?: string | null;
}

/** What a key is called and how long it lasts: what a key in its place takes over. */
export interface KeyTerms {
  label: string | null;
  expires_at: Date | null;
}

/** The state of a key, by the database's clock; for the API and the command line. */
export const statusOfKey = (key: string): string =>
  `case when ${key}.revoked_at is not null then 'revoked' when ${key}.expires_at <= now() then 'expired' else 'active' end`;

/**
 * Ends a key that still works, for one in its place.
 * @returns undefined when there is none
 */
export const markKeyRotated = (query: Query, ending: Omit<KeyEnding, 'reason'>): Promise<KeyTerms | undefined> =>
  markEnded(query, { ...ending, reason: 'rotated' }, `${statusOfKey('api_key')} = 'active'`);

/**
 * Ends a key; triggers end its sessions and notify every process.
 * @returns undefined when there is no such key that had not been revoked
 */
export const markKeyRevoked = (query: Query, ending: KeyEnding): Promise<KeyTerms | undefined> =>
  markEnded(query, ending, 'revoked_at is null');

async function markEnded(query: Query, ending: KeyEnding, condition: string): Promise<KeyTerms | undefined> {
  const { tenantId, keyId, revokedBy, reason = null } = ending;
  const [row] = await query<KeyTerms>(
    `update api_key set revoked_at = now(), revoked_by = $3, revoke_reason = $4
     where tenant_id = $1 and key_id::text = $2 and ${condition} returning label, expires_at`,
    [tenantId, keyId, revokedBy, reason],
  );
  return row;
}
