import type { DocumentedResponse, SchemaSource } from '../../common/contract/contract.js';
import { RETRY_AFTER } from '../../common/contract/problem-responses.js';
import { ProblemBody } from '../../common/problem/problem-body.js';
import { JsonRpcAnswer } from './http.dto.js';

/** One call is answered by one answer, a batch by an array. */
export const JSON_RPC_ANSWERS = { oneOf: [JsonRpcAnswer, { type: 'array', items: JsonRpcAnswer }] };

/** The responses of JSON-RPC over HTTP other than 200. */
export const rateLimited = (contentType: string, schema: SchemaSource): DocumentedResponse => ({
  description: 'The rate window let none of the calls pass.',
  headers: RETRY_AFTER,
  content: { [contentType]: { schema } },
});

export const NOTIFICATIONS_ALONE: DocumentedResponse = { description: 'There were notifications alone.' };

/**
 * The responses of the MCP endpoint itself: JSON-RPC errors, in addition to the problems of guards and limits before
 * it.
 */
export const MCP_RESPONSES: Record<400 | 405, DocumentedResponse> = {
  400: {
    description: 'Not a message of the protocol: an error of JSON-RPC. Refused before: a problem.',
    content: { 'application/json': { schema: { oneOf: [JSON_RPC_ANSWERS, ProblemBody] } } },
  },
  405: {
    description: 'Every request is a POST of its own.',
    headers: { allow: { description: 'POST', schema: { type: 'string' } } },
    content: { 'application/json': { schema: JsonRpcAnswer } },
  },
};
