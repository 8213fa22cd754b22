import { Injectable } from '@nestjs/common';
import { KeyRing } from '../../../common/evidence-log/key-ring.js';
import { LogReader } from '../../../common/evidence-log/log-reader.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { PEERS } from '../../../evidence/purposes.js';
import { manifestBytes, named } from './sync-digests.rules.js';
import { SyncIndexService } from './sync-index.service.js';
import { SyncRootsService } from './sync-roots.service.js';
import { grantsOf, reachedCollections } from './sync-reach.rules.js';
import type { CollectionState, ManifestQuery, SyncManifest, SyncPeerSignature } from './sync-manifest.dto.js';
import type { SyncReach } from './sync.types.js';

/** Says what a tenant has, by one root a collection, signed. */
@Injectable()
export class SyncManifestService {
  private readonly log: LogReader;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly index: SyncIndexService,
    private readonly roots: SyncRootsService,
    private readonly keys: KeyRing,
  ) {
    this.log = new LogReader((sql, parameters) => tenancy.call(sql, parameters));
  }

  /** @param believed what the caller takes for so */
  async read(tenantId: string, reach: SyncReach, believed: ManifestQuery = {}): Promise<SyncManifest> {
    await this.index.open(tenantId);
    const head = await this.log.findHead();
    const state = await this.tenancy.run(tenantId, async () => {
      const tenant = await this.index.read();
      const collections: CollectionState[] = [];
      for (const name of reachedCollections(reach)) {
        const { count, position, root } = await this.roots.read(tenant, name, reach);
        collections.push({ name, count, position, root: named(root) });
      }
      return { tenant, collections };
    });
    const { tenant, collections } = state;
    const unsigned = {
      schema: 'svc.sync_manifest/1' as const,
      ...{ tenant_id: tenantId, tenant_category: tenant.category, owner_id: tenant.ownerId },
      ...{ membership_epoch: tenant.membershipEpoch, role_grants: grantsOf(reach), origin: tenant.origins[0] },
      ...{ position: tenant.position, collections, checkpoint: head?.checkpoint ?? null },
      issued_at: new Date().toISOString(),
    };
    return { ...unsigned, differs: differencesOf(unsigned, believed), signature: await this.sign(unsigned) };
  }

  private async sign(unsigned: object): Promise<SyncManifest['signature']> {
    const { forExports: key } = this.keys;
    const bytes = manifestBytes(unsigned);
    const [signature] = await key.signAll([bytes], 'exports');
    return {
      algorithm: 'Ed25519',
      kid: key.kid,
      public_key: Buffer.from(key.publicKey.bytes).toString('base64url'),
      value: textOf(signature!),
      peer: await this.signAsPeer(bytes),
    };
  }

  /** By the key that peers have in their rows: that of exports rotates, and they do not know it (0451). */
  private async signAsPeer(bytes: Uint8Array): Promise<SyncPeerSignature | null> {
    const signer = this.keys.peerIdentity?.signer;
    if (!signer) return null;
    const [signature] = await signer.signAll([bytes], PEERS);
    return { kid: signer.kid, value: textOf(signature!) };
  }
}

const textOf = (signature: Uint8Array): string => Buffer.from(signature).toString('base64url');

type Stated = Pick<SyncManifest, 'tenant_category' | 'owner_id' | 'membership_epoch' | 'role_grants'>;

/** Members that the caller believes to be otherwise. */
function differencesOf(stated: Stated, believed: ManifestQuery): string[] {
  const { tenant_category, owner_id, membership_epoch, role_grants } = believed;
  return [
    ...(tenant_category === undefined || tenant_category === stated.tenant_category ? [] : ['tenant_category']),
    ...(owner_id === undefined || owner_id === stated.owner_id ? [] : ['owner_id']),
    ...(membership_epoch === undefined || String(membership_epoch) === String(stated.membership_epoch)
      ? []
      : ['membership_epoch']),
    ...(role_grants === undefined || isSameSet(role_grants, stated.role_grants) ? [] : ['role_grants']),
  ];
}

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  new Set(a).size === new Set(b).size && a.every((one) => b.includes(one));
