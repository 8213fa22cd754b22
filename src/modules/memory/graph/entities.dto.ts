import { AnyJson, DateTime, Flag, Integer, ListOf, Nested, Text } from '../../../common/fields/fields.js';
import { NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { MAX_ID, MAX_KIND, MAX_PAYLOAD_BYTES } from './graph.types.js';

export class EntityAddress {
  @Text({ about: 'The kind of the entity.', min: 1, max: MAX_KIND, example: 'person' })
  kind!: string;

  @Text({ about: 'Its id among those of its kind.', min: 1, max: MAX_ID, example: 'ada' })
  id!: string;
}

export class StoreEntity {
  @AnyJson({ about: 'What is known of the entity: any JSON value.', maxBytes: MAX_PAYLOAD_BYTES })
  payload!: unknown;
}

/** What PUT /v1/entities/{kind}/{id} takes. */
export class PutEntity extends StoreEntity {
  @Integer({
    about:
      'The version that the change is meant for, 0 where nothing was ever stored: 409 where it is not the present one.',
    optional: true,
    min: 0,
    max: 2 ** 31 - 1,
  })
  base_version?: number;
}

export class EntitiesQuery extends PageQuery {
  @Text({ about: 'Only entities of this kind.', optional: true, min: 1, max: MAX_KIND })
  kind?: string;

  @Flag({ about: 'Deleted ones as well.', default: false })
  include_deleted!: boolean;
}

export class EntityRecord {
  @Text({ about: 'Its kind.' })
  kind!: string;

  @Text({ about: 'Its id.' })
  id!: string;

  @Integer({ about: 'Its version: 1 at first, one more with every change and with the deletion.', min: 1 })
  version!: number;

  @AnyJson({ about: 'What is known of it; of a deleted one what was known last.' })
  payload!: unknown;

  @Flag({ about: 'Whether it is deleted.' })
  deleted!: boolean;

  @DateTime({ about: 'When its first version was stored.' })
  created_at!: string;

  @DateTime({ about: 'When this version was stored.' })
  updated_at!: string;

  @Text({ about: 'Who stored this version.' })
  updated_by!: string;
}

export class EntityReply {
  @Nested({ about: 'The entity.', type: () => EntityRecord })
  entity!: EntityRecord;
}

export class EntityList {
  @PageCount()
  count!: number;

  @ListOf({ about: 'The entities, by kind and id.', type: () => EntityRecord })
  entities!: EntityRecord[];

  @NextCursor()
  next_cursor!: string | null;
}

export class EntityVersionRecord {
  @Text({ about: 'The kind of the entity.' })
  kind!: string;

  @Text({ about: 'Its id.' })
  id!: string;

  @Integer({ about: 'The version.', min: 1 })
  version!: number;

  @AnyJson({ about: 'The payload; of a deletion the one that was deleted.' })
  payload!: unknown;

  @Flag({ about: 'Whether this version is a deletion.' })
  deleted!: boolean;

  @DateTime({ about: 'When it was stored.' })
  stored_at!: string;

  @Text({ about: 'Who stored it.' })
  stored_by!: string;
}

export class EntityHistory {
  @PageCount()
  count!: number;

  @ListOf({ about: 'The versions, newest first.', type: () => EntityVersionRecord })
  versions!: EntityVersionRecord[];

  @NextCursor()
  next_cursor!: string | null;
}
