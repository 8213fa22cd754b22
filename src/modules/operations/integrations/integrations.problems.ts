import { problem } from '../../../common/problem/problem.js';

export class IntegrationUnknown extends problem<{ integration_id: string }>(
  404,
  'IntegrationUnknown',
  'There is no such integration',
) {}

export class IntegrationsFull extends problem<{ limit: number }>(
  409,
  'IntegrationsFull',
  'The tenant has as many integrations as it may have',
) {}

/** GitHub does not take the token. */
export class TokenRefused extends problem(422, 'TokenRefused', 'GitHub does not accept the token') {}

/** Nothing was found out of the token. */
export class GithubUnavailable extends problem(503, 'GithubUnavailable', 'GitHub cannot be asked now') {}
