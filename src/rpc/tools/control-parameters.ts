import type { JsonSchema } from '../../common/fields/fields.js';
import { HEADER_TEXT } from '../../common/http/headers.js';

/**
 * The parameters that are about the call and not about what it does; they are no part of what an approval is bound to.
 */
export const CONTROL_PARAMETERS = ['session_token', 'idempotency_key', 'shield_approval_token'] as const;

/** The tenant, wherever the API takes it with the credential: an example would tempt clients to send another tenant. */
export const TENANT_SCHEMA: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 120,
  description:
    'Leave it out: the credential says which tenant it is. Sent, it must be that one; another is refused (-32001).',
};

const pattern = HEADER_TEXT.source;
const KEY = {
  type: 'string',
  minLength: 8,
  maxLength: 255,
  pattern,
  examples: ['5f0c9a4e-1d2b-4c3a-8e7f-6a5b4c3d2e1f'],
};

/** Their schemas; of the key of an effect, the one where it is required and the one where it is made when absent. */
export const CONTROL_SCHEMAS = {
  session_token: {
    type: 'string',
    minLength: 16,
    pattern,
    description: 'The whole sessionToken that register_agent answered: svc_self_...',
  },
  required: {
    ...KEY,
    description:
      'A key of your choosing for this one effect, such as a new UUID. Repeat the call with the same key when you do not know whether it worked: it has one effect, and answers the same again for 24 hours. ' +
      'Needed, unless the request bears it in the header x-idempotency-key.',
  },
  derived: {
    ...KEY,
    description:
      'A key of your choosing for this one effect. Without one, the same call within 24 hours has one effect and answers what the first one did, as long as what it rests on is the same (see the description of the tool); send a new key to have it done again all the same.',
  },
  shield_approval_token: {
    type: 'string',
    minLength: 8,
    pattern,
    description:
      'Leave it out: once the approvalRequestId of the error ShieldApprovalRequired (-32002) is approved, exactly the same call goes through without it, once. A token that an owner handed over is taken as well.',
  },
} satisfies Record<string, JsonSchema>;
