import { settleKeys } from '../../common/evidence-log/begin-key-chain.js';
import { replacePeerKey, signerOfPeers } from '../../common/evidence-log/peer-identity.js';
import { withKeys } from '../../common/evidence-log/rotate-signing-key.js';
import { withMigratedDatabase } from '../migrated.js';

/** By which peers know the daemons of this database. */
export interface OwnPeerKey {
  /** What "svc peer add --key" takes: 32 bytes in base64url. */
  public_key: string;
  keyid: string;
  /** Whether this machine has the private half. */
  signs_here: boolean;
  /** Of the key before, where another was named just now. */
  replaced: string | null;
}

/**
 * @param isNew whether another key is named first
 * @throws SettingsInvalid where there is no key yet, or the signer has no other one
 */
export const readPeerKey = (isNew: boolean): Promise<OwnPeerKey> =>
  withMigratedDatabase(({ settings, address }) =>
    withKeys(settings, address, async (query) => {
      const before = await settleKeys(settings, query);
      const { replaced } = isNew ? await replacePeerKey(settings, query, before.file) : { replaced: null };
      const { peer } = isNew ? await settleKeys(settings, query) : before;
      const { bytes, kid } = peer?.publicKey ?? signerOfPeers(settings, peer).publicKey;
      return {
        public_key: Buffer.from(bytes).toString('base64url'),
        ...{ keyid: kid, signs_here: peer?.signer !== undefined, replaced },
      };
    }),
  );
