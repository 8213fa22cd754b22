import { randomUUID } from 'node:crypto';
import { digestOfMeaning } from '../../common/idempotency/idempotent-request.js';

/** An id for something new: of a call with a key the same each time. */
export const newIdOf = (call: { tool: string; args: Record<string, unknown>; key: string | undefined }): string =>
  call.key === undefined ? randomUUID() : digestOfMeaning(call).toString('hex').slice(0, 32);
