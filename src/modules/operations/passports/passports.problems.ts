import { problem } from '../../../common/problem/problem.js';
import type { MintStatus } from './passports.types.js';

export class PassportNotRegistered extends problem<{ passport_id: string }>(
  404,
  'PassportNotRegistered',
  'No such passport is registered',
) {}

export class PassportKnown extends problem<{ passport_id: string; revoked_at: string | null }>(
  409,
  'PassportKnown',
  'The passport is registered already',
) {}

export class MintRequestUnknown extends problem<{ mint_request_id: string }>(
  404,
  'MintRequestUnknown',
  'There is no such request for a passport',
) {}

export class MintRequestDecided extends problem<{
  mint_request_id: string;
  decision: MintStatus;
  decided_by: string | null;
}>(409, 'MintRequestDecided', 'The request was decided on already') {}

/** Passports are asked for here, and who asks does not decide. */
export class MintRequestNeeded extends problem(403, 'MintRequestNeeded', 'Forbidden') {}

export class MayNotMint extends problem<{ mint_request_id: string }>(
  403,
  'MayNotMint',
  'You may not decide on this request',
) {}
