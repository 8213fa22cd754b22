import { okBytes, toolCaller, type DocumentedResponse, type Reply } from '../../../common/contract/contract.js';
import { errorBody, SCIM_JSON } from './scim-schemas.js';

/** An API key, as Authorization: Bearer, since clients of SCIM can send nothing else. */
export const access = toolCaller({ bearerKeys: true });
export const tag = 'scim';
export const resource = okBytes(SCIM_JSON, { type: 'object' });
export const made: Reply<string | Uint8Array> = { ...resource, status: 201 };
export const requestBody = (about: string, example: object) => {
  const media = { schema: { type: 'object', examples: [example] } };
  return { description: about, required: true as const, content: { [SCIM_JSON]: media, 'application/json': media } };
};
/** Errors of the handlers are those of SCIM; of what comes before them, as a wrong key, those of the tenant API. */
export const errors = (...statuses: number[]): Record<number, DocumentedResponse> =>
  Object.fromEntries(
    [400, 500, 503, ...statuses].map((status) => [
      status,
      { description: 'As RFC 7644, 3.12 has it', content: { [SCIM_JSON]: { schema: errorBody(status) } } },
    ]),
  );
