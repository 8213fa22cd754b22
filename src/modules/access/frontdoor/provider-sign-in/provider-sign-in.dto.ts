import { DateTime, Text } from '../../../../common/fields/fields.js';

export class ProviderSignInStartRequest {
  @Text({ about: 'The tenant to sign in to.', min: 1, max: 120, example: 'default' })
  tenantId!: string;
}

export class ProviderSignInStart {
  @Text({ about: "The provider's page, where the browser goes. It comes back to SVC_CONSOLE_URL." })
  authorizationUrl!: string;

  @Text({
    about:
      'What the way back is checked by, encrypted. The page keeps it for its tab; it is of no use without the code.',
  })
  transaction!: string;

  @DateTime({ about: 'Until when the sign-in can be finished: 10 minutes.' })
  expiresAt!: string;
}

export class ProviderSignInFinishRequest {
  @Text({ about: 'The one of the answer that began it.', min: 16, max: 4096 })
  transaction!: string;

  @Text({ about: '`code` of the address that the provider led back to.', min: 1, max: 4096 })
  code!: string;

  @Text({ about: '`state` of that address.', min: 1, max: 512 })
  state!: string;

  @Text({ about: '`iss` of that address, where the provider gives it (RFC 9207).', min: 1, max: 2048, optional: true })
  iss?: string;
}
