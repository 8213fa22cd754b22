import { problem } from '../../../common/problem/problem.js';

/** The kinds of errors of RFC 7644, table 9, that are answered here. */
export type ScimErrorType = 'invalidFilter' | 'invalidPath' | 'invalidSyntax' | 'invalidValue' | 'mutability';

export class ScimInvalid extends problem<{ scimType: ScimErrorType }>(
  400,
  'ScimInvalid',
  'The request is not one that this server takes by SCIM',
) {}

export class ScimUserUnknown extends problem<{ userId: string }>(404, 'ScimUserUnknown', 'There is no such user') {}

export class ScimGroupUnknown extends problem<{ groupId: string }>(404, 'ScimGroupUnknown', 'There is no such group') {}

export class ScimGroupExists extends problem<{ scimType: 'uniqueness' }>(
  409,
  'ScimGroupExists',
  'There is a group of this name already',
) {}

export class ScimUserExists extends problem<{ scimType: 'uniqueness' }>(
  409,
  'ScimUserExists',
  'There is a user of this name already',
) {}
