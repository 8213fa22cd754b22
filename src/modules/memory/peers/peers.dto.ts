import { Choice, DateTime, Integer, ListOf, Nested, Text, TextList, Url, Uuid } from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';
import { DIRECTIONS, type Direction } from './peers.types.js';

const MAX_PREFIXES = 100;
/** As many characters as an entity of a fact has at most, and the name of a document. */
const MAX_PREFIX = 640;

const PEER_ID = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const PUBLIC_KEY = /^[A-Za-z0-9_-]{43}$/;

const TenantId = (about: string, more: { optional?: true } = {}) =>
  TenantIdMember(about, { example: 'default', ...more });

const DIRECTION =
  '`pull`: this daemon takes from the peer; `push`: it gives to the peer; `both`. It holds whoever of the two asks: a peer that reads here needs push or both, one that writes here pull or both.';

export class AddPeer {
  @TenantId('The tenant whose memory is synchronised; that of the credential when absent.', { optional: true })
  tenant_id?: string;

  @Text({
    about: 'What the peer is called here: lower-case letters, digits, `.`, `_`, `-`.',
    pattern: PEER_ID,
    example: 'laptop',
  })
  peer_id!: string;

  @Url({ about: 'Where it is reached; absent where this daemon never asks it.', optional: true, max: 500 })
  url?: string;

  @Text({
    about: 'Its Ed25519 key, as "svc peer key" prints it there: 32 bytes in base64url, the `x` of its JWK.',
    pattern: PUBLIC_KEY,
    example: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
  })
  public_key!: string;

  @TextList({
    about: '`facts:read`, `facts:write`, or both: what it may do by itself.',
    minItems: 1,
    maxItems: 2,
    max: 20,
    default: ['facts:read', 'facts:write'],
  })
  scopes!: string[];

  @TextList({
    about:
      'How the entities that are open to it begin, compared character by character. `["*"]` opens all. There is no default: nothing is open that nobody named.',
    minItems: 1,
    maxItems: MAX_PREFIXES,
    max: MAX_PREFIX,
    example: ['project:atlas'],
  })
  entity_prefixes!: string[];

  @TextList({
    about: 'Of which collections (facts, entities, edges, relations, cases, holds, tombstones); all when absent.',
    optional: true,
    minItems: 1,
    maxItems: 7,
    max: 20,
  })
  collections?: string[];

  @Choice({ about: DIRECTION, values: DIRECTIONS })
  direction!: Direction;
}

export class PeerPath {
  @Text({ about: 'The peer.', min: 1, max: 63 })
  peer_id!: string;
}

export class RevokePeerQuery {
  @TenantId('The tenant whose peer it is; that of the credential when absent.', { optional: true })
  tenant_id?: string;
}

export class PeersQuery extends PageQuery {
  @TenantId('The tenant whose peers are meant; that of the credential when absent.', { optional: true })
  tenant_id?: string;

  @Choice({ about: 'Only those in this state.', values: ['active', 'revoked'], optional: true })
  status?: 'active' | 'revoked';
}

export class Peer {
  @Text({ about: 'What it is called here.' })
  peer_id!: string;

  @Text({ about: 'The tenant whose memory is synchronised with it.' })
  tenant_id!: string;

  @Text({ about: 'Where it is reached.', nullable: true })
  url!: string | null;

  @Text({ about: 'Its Ed25519 key, 32 bytes in base64url.' })
  public_key!: string;

  @Text({ about: 'The RFC 7638 thumbprint of that key: the `keyid` of what it signs.' })
  keyid!: string;

  @TextList({ about: 'What it may do.' })
  scopes!: string[];

  @TextList({ about: 'How the entities that are open to it begin; `["*"]`: all.' })
  entity_prefixes!: string[];

  @TextList({ about: 'Of which collections; null: of all.', nullable: true })
  collections!: string[] | null;

  @Choice({ about: DIRECTION, values: DIRECTIONS })
  direction!: Direction;

  @Choice({ about: 'Whether it is let in.', values: ['active', 'revoked'] })
  status!: 'active' | 'revoked';

  @Text({ about: 'The last checkpoint of its log that was found to extend the one before.', nullable: true })
  last_cosigned_head!: string | null;

  @DateTime({ about: 'When it was added.' })
  created_at!: string;

  @Text({ about: 'The principal that added it.' })
  created_by!: string;

  @Uuid({ about: 'The signed receipt (sync.peer_added).' })
  receipt_id!: string;

  @DateTime({ about: 'When it was revoked.', nullable: true })
  revoked_at!: string | null;

  @Text({ about: 'The principal that revoked it.', nullable: true })
  revoked_by!: string | null;

  @Uuid({ about: 'The signed receipt (sync.peer_revoked).', nullable: true })
  revoke_receipt_id!: string | null;
}

export class PeerReply {
  @Nested({ about: 'The peer as it is now.', type: () => Peer })
  peer!: Peer;

  @Text({ about: 'svc.peer/1' })
  schema!: 'svc.peer/1';
}

export class PeerList {
  @ListOf({ about: 'By peer_id.', type: () => Peer })
  peers!: Peer[];

  @Integer({ about: 'How many are in this page.' })
  count!: number;

  @Text({ about: 'For the next page; null after the last one.', nullable: true })
  next_cursor!: string | null;

  @Text({ about: 'svc.peer/1' })
  schema!: 'svc.peer/1';
}
