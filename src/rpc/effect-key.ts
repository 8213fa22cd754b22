import { HEADER_TEXT } from '../common/http/headers.js';
import { IdempotencyKeyRequired } from '../common/problem/common-problems.js';
import type { ToolCallToAdmit } from '../modules/shield/core/tool-calls/tool-admissions.types.js';

/** Characters of a key. */
const [LEAST, MOST] = [8, 255];

/**
 * The key of an effect: the parameter, or the header of the request; both must agree, as for the API (D9).
 * @param own as it was sent, whatever it is
 * @throws IdempotencyKeyRequired
 */
export function effectKeyOf(
  own: unknown,
  ofHeader: string | undefined,
  { isRequired = false }: { isRequired?: boolean } = {},
): string | undefined {
  if (own !== undefined && ofHeader !== undefined && own !== ofHeader)
    throw new IdempotencyKeyRequired(
      {},
      'params.idempotency_key and the header x-idempotency-key differ; send one, or the same in both',
    );
  const key = own === undefined ? ofHeader : own;
  if (key === undefined && !isRequired) return undefined;
  if (typeof key === 'string' && key.length >= LEAST && key.length <= MOST && HEADER_TEXT.test(key)) return key;
  throw new IdempotencyKeyRequired(
    {},
    'Send params.idempotency_key with 8 to 255 characters of ASCII, a new one for each effect; where a request holds one call, the header x-idempotency-key serves too',
  );
}

/** Where the answer of a call is stored, for the decision on a repeat. The query of its request is no part of it. */
export const effectOf = (
  { method, path }: { method: string; path: string },
  idempotencyKey: () => Promise<string>,
): NonNullable<ToolCallToAdmit['effect']> => ({ method, path: path.split('?')[0]!, idempotencyKey });
