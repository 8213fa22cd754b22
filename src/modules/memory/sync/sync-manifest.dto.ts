import { SHA256_DIGEST } from '../../../evidence/digest-forms.js';
import { Choice, DateTime, Integer, ListOf, Nested, Text, TextList, Uint64 } from '../../../common/fields/fields.js';
import { type Collection, COLLECTIONS } from './sync.types.js';

/** What the caller believes of the tenant: the answer says what differs. */
export class ManifestQuery {
  @Text({ about: 'The category that the caller knows.', optional: true, max: 64 })
  tenant_category?: string;

  @Text({ about: 'The owner that the caller knows.', optional: true, max: 256 })
  owner_id?: string;

  @Uint64({ about: 'The membership epoch that the caller knows.', optional: true })
  membership_epoch?: number | string;

  @TextList({ about: 'What the caller believes it may do: read, write.', optional: true, max: 64, maxItems: 16 })
  role_grants?: string[];
}

export class CollectionState {
  @Choice({ about: 'The collection.', values: COLLECTIONS })
  name!: Collection;

  @Integer({ about: 'Versions in it, as far as the caller reaches.', min: 0 })
  count!: number;

  @Integer({ about: 'The position of its last change.', min: 0 })
  position!: number;

  @Text({ about: 'The Merkle root over the digests of its versions.', pattern: SHA256_DIGEST })
  root!: string;
}

export class SyncPeerSignature {
  @Text({ about: 'The key by which peers know this server, by its RFC 7638 thumbprint.' })
  kid!: string;

  @Text({ about: 'The signature of that key over the same bytes: 64 bytes, base64url.' })
  value!: string;
}

export class SyncSignature {
  @Choice({ about: 'How it was made.', values: ['Ed25519'] })
  algorithm!: 'Ed25519';

  @Text({ about: 'The key of exports, by its RFC 7638 thumbprint.' })
  kid!: string;

  @Text({ about: 'The public key: 32 bytes, base64url.' })
  public_key!: string;

  @Text({ about: 'The signature: 64 bytes, base64url.' })
  value!: string;

  @Nested({
    about:
      'By the key that a peer has in its row of this server: without it a peer takes nothing. Null where this machine does not have that key.',
    type: () => SyncPeerSignature,
    nullable: true,
  })
  peer!: SyncPeerSignature | null;
}

export class SyncManifest {
  @Text({ about: 'svc.sync_manifest/1' })
  schema!: 'svc.sync_manifest/1';

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Choice({ about: 'What kind of tenant it is.', values: ['personal', 'team', 'org'] })
  tenant_category!: 'personal' | 'team' | 'org';

  @Text({ about: 'Whose it is.' })
  owner_id!: string;

  @Uint64({ about: 'Rises when the tenant leaves its peers.' })
  membership_epoch!: number | string;

  @TextList({ about: 'What the caller may do here: read, write.' })
  role_grants!: string[];

  @Text({ about: 'What this server writes under in vectors.' })
  origin!: string;

  @Integer({ about: 'The position of the last change.', min: 0 })
  position!: number;

  @ListOf({ about: 'The collections that the caller reaches, in the order of travel.', type: () => CollectionState })
  collections!: CollectionState[];

  @Text({ about: 'The newest checkpoint of the evidence log (C2SP); null before the first.', nullable: true })
  checkpoint!: string | null;

  @DateTime({ about: 'When it was made.' })
  issued_at!: string;

  @TextList({ about: 'Members of the query that are otherwise here. Not signed.' })
  differs!: string[];

  @Nested({ about: 'Over all but differs and signature.', type: () => SyncSignature })
  signature!: SyncSignature;
}
