import { Integer, Text } from '../../../common/fields/fields.js';

const MAX = 1_000_000_000;

export class ScimListQuery {
  @Text({
    about: '`userName`, `externalId` or `id`, `eq` and a text in quotes.',
    optional: true,
    max: 500,
    example: 'userName eq "ada@example.org"',
  })
  filter?: string;

  @Integer({ about: 'Number of the first user, from 1.', optional: true, min: -MAX, max: MAX, default: 1 })
  startIndex?: number;

  @Integer({ about: 'Most users; 200 at most.', optional: true, min: -MAX, max: MAX, default: 200 })
  count?: number;

  @Text({ about: 'Is taken and changes nothing: all attributes are answered.', optional: true, max: 2000 })
  attributes?: string;

  @Text({ about: 'Likewise.', optional: true, max: 2000 })
  excludedAttributes?: string;
}

export class ScimGroupListQuery {
  @Text({
    about: '`displayName`, `externalId` or `id`, `eq` and a text in quotes.',
    optional: true,
    max: 500,
    example: 'displayName eq "Staff"',
  })
  filter?: string;

  @Integer({ about: 'Number of the first group, from 1.', optional: true, min: -MAX, max: MAX, default: 1 })
  startIndex?: number;

  @Integer({ about: 'Most groups; 200 at most.', optional: true, min: -MAX, max: MAX, default: 200 })
  count?: number;

  @Text({ about: 'Is taken and changes nothing.', optional: true, max: 2000 })
  attributes?: string;

  @Text({ about: '`members` leaves them out; all else changes nothing.', optional: true, max: 2000 })
  excludedAttributes?: string;
}

export class ScimGroupPath {
  @Text({ about: 'The id of the group.', min: 1, max: 200 })
  groupId!: string;
}

export class ScimUserPath {
  @Text({ about: 'The id of the user.', min: 1, max: 200 })
  userId!: string;
}
