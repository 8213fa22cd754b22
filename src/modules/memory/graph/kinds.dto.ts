import { DateTime, FreeObject, Integer, ListOf, Nested, Text, TextList } from '../../../common/fields/fields.js';
import { NextCursor, PageCount } from '../../../common/fields/page.dto.js';
import { MAX_KIND } from './graph.types.js';
import type { KindUse } from './graph.types.js';

export class KindAddress {
  @Text({ about: 'The kind.', min: 1, max: MAX_KIND, example: 'person' })
  kind!: string;
}

export class KindRegistration {
  @Text({ about: 'The kind.' })
  kind!: string;

  @TextList({
    about:
      'What it is used by: `entity` (entities of it were stored), `edge` (edges of it were stored), `endpoint` (edges name entities of it).',
  })
  used_by!: KindUse[];

  @DateTime({ about: 'When it was first used.' })
  first_seen_at!: string;

  @Integer({ about: 'How many entities of it there are, without the deleted ones.', min: 0 })
  entity_count!: number;

  @Integer({ about: 'How many edges of it there are, without the deleted ones.', min: 0 })
  edge_count!: number;

  @FreeObject({
    about:
      'The JSON Schema of the payloads of its entities, where the server asks for a form; null: any payload will do.',
    nullable: true,
  })
  payload_schema!: object | null;
}

export class KindReply {
  @Nested({ about: 'What is known of the kind.', type: () => KindRegistration })
  registration!: KindRegistration;
}

export class KindList {
  @PageCount()
  count!: number;

  @ListOf({ about: 'The kinds, by name.', type: () => KindRegistration })
  kinds!: KindRegistration[];

  @NextCursor()
  next_cursor!: string | null;
}
