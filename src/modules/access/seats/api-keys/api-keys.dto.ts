import { Choice, DateTime, ListOf, Text, Uuid } from '../../../../common/fields/fields.js';
import { PageQuery } from '../../../../common/fields/page.dto.js';

const API_KEY_STATUSES = ['active', 'expired', 'revoked'] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

const PRINCIPAL = '`key:<id>`, `seat:<id>`, or `operator` for the command line of the server';

/** An API key as it can be shown: everything but the key itself. */
export class ApiKey {
  @Uuid({ about: 'The key.' })
  id!: string;

  @Text({ about: 'What it is for, as stated at its creation; null when nothing was stated.', nullable: true })
  label!: string | null;

  @Text({ about: 'The part of the key that is no secret, by which to recognise it.', example: '3f9c2a61b07d' })
  prefix!: string;

  @Choice({ about: 'Whether it opens anything.', values: API_KEY_STATUSES })
  status!: ApiKeyStatus;

  @DateTime({ about: 'When it was made.' })
  createdAt!: string;

  @Text({
    about: `The principal that made it: ${PRINCIPAL}; null for keys of a time when it was not kept.`,
    nullable: true,
  })
  createdBy!: string | null;

  @DateTime({ about: 'When it stops working, with its sessions; null when it does not.', nullable: true })
  expiresAt!: string | null;

  @DateTime({ about: 'When it was revoked; null while it was not.', nullable: true })
  revokedAt!: string | null;

  @Text({ about: `The principal that revoked it: ${PRINCIPAL}.`, nullable: true })
  revokedBy!: string | null;

  @Text({ about: 'Why it was revoked.', nullable: true })
  revokeReason!: string | null;
}

export class ApiKeyCreated extends ApiKey {
  @Text({ about: 'The key, for x-api-key. Shown here alone: only its hash is stored.', min: 8 })
  apiKey!: string;
}

export class ApiKeyList {
  @ListOf({ about: 'Keys in the order they were made, those that ended included.', type: () => ApiKey })
  apiKeys!: ApiKey[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class ApiKeyListQuery extends PageQuery {
  @Choice({ about: 'Only keys in this state.', values: API_KEY_STATUSES, optional: true })
  status?: ApiKeyStatus;

  @Text({ about: `Only keys that this principal made: ${PRINCIPAL}.`, optional: true, min: 1, max: 120 })
  createdBy?: string;
}

export class ApiKeyPath {
  @Uuid({ about: 'The key.' })
  id!: string;
}

export class ApiKeyCreateRequest {
  @Text({ about: 'What the key is for; not blank.', min: 1, max: 120, pattern: /\S/, example: 'ingest pipeline' })
  label!: string;

  @DateTime({ about: 'When it shall stop working; absent: never.', optional: true })
  expiresAt?: string;
}

export class ApiKeyRotateRequest {
  @DateTime({ about: 'When the new key shall stop working; absent: when the old one would have.', optional: true })
  expiresAt?: string;
}
