import { Choice, Email, Text } from '../../../../common/fields/fields.js';

export class FrontdoorSignInLinkRequest {
  @Text({ about: 'The tenant to sign in to.', min: 1, max: 120, example: 'default' })
  tenantId!: string;

  @Email({ about: 'Whose seat it is, in upper or lower case.', example: 'ada@example.org' })
  email!: string;
}

export class FrontdoorSignInLinkResponse {
  @Choice({ about: 'Always accepted, whether there is such a seat or not.', values: ['accepted'] })
  status!: 'accepted';
}
