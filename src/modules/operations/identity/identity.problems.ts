import { problem } from '../../../common/problem/problem.js';
import type { LinkStatus } from './identity.types.js';

export class IdentityLinkUnknown extends problem<{ link_id: string }>(
  404,
  'IdentityLinkUnknown',
  'There is no such pair of identities',
) {}

export class IdentityLinkDecided extends problem<{ link_id: string; link_status: LinkStatus }>(
  409,
  'IdentityLinkDecided',
  'What was decided on this pair does not allow that',
) {}

export class IdentityEvidenceMissing extends problem<{ entities: string[] }>(
  409,
  'IdentityEvidenceMissing',
  'Nothing that stands says that these are one',
) {}
