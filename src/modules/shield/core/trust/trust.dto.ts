import { Choice, DateTime, ListOf, Text, TextList, Url } from '../../../../common/fields/fields.js';
import { PageQuery } from '../../../../common/fields/page.dto.js';
import { SERVER_ID, TOOL_DIGEST } from '../../../../common/call-policy/call-names.js';
import { SHA256_DIGEST } from '../../../../evidence/digest-forms.js';
import { SERVER_STATUSES, TRUST_STATUSES, type ServerStatus, type TrustStatus } from '../shield.types.js';

const ID = { min: 1, max: 120 };
/** Base64 of 32 and of 64 bytes. */
const KEY = /^[A-Za-z0-9+/]{43}=$/;
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/;

class Changed {
  @Text({ about: 'Why it has this status.' })
  reason!: string;

  @DateTime({ about: 'When it was registered.' })
  createdAt!: string;

  @Text({ about: 'The principal that changed it last.' })
  updatedBy!: string;

  @DateTime({ about: 'When that was.' })
  updatedAt!: string;
}

export class PublisherRequest {
  @Text({
    about: "The publisher, by an id of the tenant's choosing. Kept in lower case: `Acme` is `acme`.",
    ...ID,
    example: 'acme-tools',
  })
  publisherId!: string;

  @Text({
    about: 'Its name. Left out, one that is known stays, and a new one is called by its id.',
    optional: true,
    min: 1,
    max: 200,
  })
  name?: string;

  @Text({
    about:
      'Its Ed25519 public key, 32 bytes in base64. With one, its tool definitions are pinned only with its signature. Left out, a key that is known stays.',
    optional: true,
    pattern: KEY,
  })
  publicKey?: string;

  @Choice({
    about: 'revoked: every call through its servers and tool definitions is refused from now on.',
    values: TRUST_STATUSES,
    default: 'trusted',
  })
  status!: TrustStatus;

  @Text({ about: 'Why.', min: 1, max: 1000 })
  reason!: string;
}

export class Publisher extends Changed {
  @Text({ about: 'The publisher.' })
  publisherId!: string;

  @Text({ about: 'Its name.' })
  name!: string;

  @Text({ about: 'Its Ed25519 public key in base64.', nullable: true })
  publicKey!: string | null;

  @Choice({ about: 'Whether it is trusted.', values: TRUST_STATUSES })
  status!: TrustStatus;
}

export class PublisherList {
  @ListOf({ about: 'Publishers by id.', type: () => Publisher })
  publishers!: Publisher[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class PublisherListQuery extends PageQuery {
  @Choice({ about: 'Only those of this status.', values: TRUST_STATUSES, optional: true })
  status?: TrustStatus;
}

export class DigestRequest {
  @Text({ about: 'SHA-256 of the tool definition.', pattern: TOOL_DIGEST, example: `sha256:${'0a'.repeat(32)}` })
  digest!: string;

  @Text({ about: 'The name of the tool.', optional: true, min: 1, max: 200 })
  tool?: string;

  @Text({ about: 'Who published it.', optional: true, ...ID })
  publisherId?: string;

  @Text({
    about: 'The server to trust with it. A server with definitions of its own is trusted with those alone.',
    optional: true,
    ...ID,
  })
  serverId?: string;

  @Text({
    about:
      "The publisher's Ed25519 signature of the digest as text in lower case, 64 bytes in base64. Needed where the publisher has a key.",
    optional: true,
    pattern: SIGNATURE,
  })
  signature?: string;

  @Text({ about: 'Why it is trusted.', min: 1, max: 1000 })
  reason!: string;
}

export class DigestRevocation {
  @Text({ about: 'SHA-256 of the tool definition; it need not be known.', pattern: TOOL_DIGEST })
  digest!: string;

  @Text({ about: 'Why. Shown to callers that are refused.', min: 1, max: 1000 })
  reason!: string;
}

export class ToolDigest extends Changed {
  @Text({ about: 'SHA-256 of the tool definition.', pattern: SHA256_DIGEST })
  digest!: string;

  @Text({ about: 'The name of the tool.', nullable: true })
  tool!: string | null;

  @Text({ about: 'Who published it.', nullable: true })
  publisherId!: string | null;

  @Choice({ about: 'Whether it is trusted.', values: TRUST_STATUSES })
  status!: TrustStatus;
}

export class DigestList {
  @ListOf({ about: 'Tool definitions by digest.', type: () => ToolDigest })
  digests!: ToolDigest[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class DigestListQuery extends PublisherListQuery {
  @Text({ about: 'Only those of this publisher.', optional: true, ...ID })
  publisherId?: string;
}

export class ServerRequest {
  @Text({
    about: 'The server, as calls name it in x-shield-server-id. Kept in lower case: `Files` is `files`.',
    ...ID,
    pattern: SERVER_ID,
    example: 'files-mcp',
  })
  serverId!: string;

  @Url({ about: 'Where it is.', optional: true, nullable: true })
  url?: string | null;

  @Text({ about: 'Who publishes it; register it first.', ...ID })
  publisherId!: string;

  @TextList({
    about: 'The tool definitions it is trusted with, in place of those before. Empty: any that is not revoked.',
    max: 71,
    maxItems: 500,
    default: [],
  })
  toolDigests!: string[];

  @Text({ about: 'Why it is registered or changed.', default: 'Registered', min: 1, max: 1000 })
  reason!: string;
}

export class Server extends Changed {
  @Text({ about: 'The server.' })
  serverId!: string;

  @Url({ about: 'Where it is.', nullable: true })
  url!: string | null;

  @Text({ about: 'Who publishes it.' })
  publisherId!: string;

  @TextList({ about: 'The tool definitions it is trusted with. Empty: any that is not revoked.' })
  toolDigests!: string[];

  @Choice({
    about: 'active; quarantined: every call through it needs an approval; blocked: every call is refused.',
    values: SERVER_STATUSES,
  })
  status!: ServerStatus;
}

export class ServerList {
  @ListOf({ about: 'Servers by id.', type: () => Server })
  servers!: Server[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class ServerListQuery extends PageQuery {
  @Choice({ about: 'Only those of this status.', values: SERVER_STATUSES, optional: true })
  status?: ServerStatus;

  @Text({ about: 'Only those of this publisher.', optional: true, ...ID })
  publisherId?: string;
}

export class ServerPath {
  @Text({ about: 'The server.', ...ID })
  serverId!: string;
}

export class ServerStatusChange {
  @Choice({
    about: 'quarantined: every call through it needs an approval; blocked: every call is refused.',
    values: SERVER_STATUSES,
  })
  status!: ServerStatus;

  @Text({ about: 'Why. Shown to callers that are refused.', min: 1, max: 1000 })
  reason!: string;
}
