import { Choice, Flag, Text, TextList } from '../../../common/fields/fields.js';
import { DIRECTIONS, type Direction } from './peers.types.js';

export class HandshakePath {
  @Text({ about: 'The tenant.', min: 1, max: 120 })
  tenantId!: string;
}

export class TryHandshake {
  @Choice({
    about: 'What is going to be asked: it is refused here as it would be there.',
    values: ['reads', 'writes'],
    optional: true,
  })
  right?: 'reads' | 'writes';

  @Text({ about: 'Is answered as it came.', max: 1000, optional: true })
  message?: string;
}

export class HandshakeReply {
  @Text({ about: 'svc.peer_handshake/1' })
  schema!: 'svc.peer_handshake/1';

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Text({ about: 'Who calls, as receipts will say it.' })
  principal!: string;

  @Text({ about: 'How that was found out: `peer` by a signature, else the mode of SVCD_AUTH_MODE.' })
  auth_type!: string;

  @Text({ about: 'The peer; null for a caller that came by its scopes.', nullable: true })
  peer_id!: string | null;

  @Choice({ about: 'Of the peer, as this daemon sees it.', values: DIRECTIONS, nullable: true })
  direction!: Direction | null;

  @Flag({ about: 'Whether it may read here.' })
  may_read!: boolean;

  @Flag({ about: 'Whether it may write here.' })
  may_write!: boolean;

  @TextList({ about: 'How the entities that are open to it begin; `["*"]`: all.' })
  entity_prefixes!: string[];

  @TextList({ about: 'The collections that are open to it.' })
  collections!: string[];

  @Text({ about: 'The thumbprint of this daemon: the `aud` of delegations. Null while it has no key.', nullable: true })
  recipient!: string | null;

  @Text({ about: 'The message of the request.', nullable: true })
  message!: string | null;
}
