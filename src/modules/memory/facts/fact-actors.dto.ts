import { DateTime, Flag, Integer, ListOf, Text } from '../../../common/fields/fields.js';
import { NextCursor, PageQuery } from '../../../common/fields/page.dto.js';

export class FactActorsQuery extends PageQuery {}

export class FactActor {
  @Text({ about: 'Who says so, as in the facts.' })
  actor!: string;

  @Flag({ about: 'It is what writers said, and their credentials say another. Absent otherwise.', optional: true })
  actor_claimed?: true;

  @DateTime({ about: 'When it stored a fact last.' })
  last_stored_at!: string;

  @Integer({
    about: 'Public facts that it stored, each version one, those that were deleted since among them.',
    min: 1,
  })
  count!: number;
}

export class FactActors {
  @ListOf({ about: 'The actors, who stored last first.', type: () => FactActor })
  actors!: FactActor[];

  @NextCursor()
  next_cursor!: string | null;
}
