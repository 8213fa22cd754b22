import type { Settings } from '../config/settings.js';
import type { DatabaseAddress } from '../database/connection.js';
import { settleKeys } from './begin-key-chain.js';
import { replacePeerKey, signerOfPeers } from './peer-identity.js';
import { withKeys } from './rotate-signing-key.js';

/** By which peers know the daemons of a database. */
export interface OwnPeerKey {
  /** What "svc peer add --key" takes: 32 bytes in base64url. */
  readonly public_key: string;
  /** RFC 7638 thumbprint. */
  readonly keyid: string;
  /** Whether this machine has the private half. */
  readonly signs_here: boolean;
  /** Of the key before, where another was named just now. */
  readonly replaced: string | null;
}

/**
 * @param isNew whether another key is named first
 * @throws SettingsInvalid where there is no key yet, or the signer has no other one
 */
export const readPeerKey = (settings: Settings, address: DatabaseAddress, isNew: boolean): Promise<OwnPeerKey> =>
  withKeys(settings, address, async (query) => {
    const before = await settleKeys(settings, query);
    const { replaced } = isNew ? await replacePeerKey(settings, query, before.file) : { replaced: null };
    const { peer } = isNew ? await settleKeys(settings, query) : before;
    const { bytes, kid } = peer?.publicKey ?? signerOfPeers(settings, peer).publicKey;
    return {
      public_key: Buffer.from(bytes).toString('base64url'),
      ...{ keyid: kid, signs_here: peer?.signer !== undefined, replaced },
    };
  });
