import type { Log } from '../../common/observability/log.js';
import { PayloadTooLarge } from '../../common/problem/common-problems.js';
import { InternalError } from '../../common/problem/problem.filter.js';
import type { Problem } from '../../common/problem/problem.js';
import { readPayload } from '../json-rpc-reader.js';
import { NO_ID, RPC_CODES, type RpcCode } from '../json-rpc.js';
import { failureOfProblem } from '../tools/tool-errors.js';
import type { Line } from './lines.js';

/** Why a transport cannot hand a payload on, or its answer back. */
export interface Refusal {
  code: RpcCode;
  problem: Problem;
  requestId: string;
}

/** The answer to a call with this id, as JSON. */
export function refusalOf({ code, problem, requestId }: Refusal, id = NO_ID): string {
  const { message, data } = failureOfProblem(problem, requestId);
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`;
}

/** The answer to all calls of a payload; undefined when it holds notifications alone. */
export function refuseAll(payload: Uint8Array, refusal: Refusal): string | undefined {
  const { isBatch, members } = readPayload(payload);
  const answers = members.flatMap(({ id }) => (id === undefined ? [] : [refusalOf(refusal, id)]));
  if (answers.length === 0) return undefined;
  return isBatch ? `[${answers.join(',')}]` : answers[0];
}

/** The answer to a line that was passed over for its length. */
export function tooLong(limitBytes: number, requestId: string): string {
  const detail = `A line has at most ${limitBytes} bytes; this one was passed over`;
  const problem = new PayloadTooLarge({ limitBytes }, detail);
  return refusalOf({ code: RPC_CODES.invalidRequest, problem, requestId });
}

/** The answer to a line that a fault of this process left without one. The fault is recorded. */
export function answerToLost(
  line: Line,
  error: unknown,
  { log, requestId }: { log: Log; requestId: string },
): string | undefined {
  log.error({ request_id: requestId, error }, 'a payload was left without an answer');
  const refusal = { code: RPC_CODES.internalError, problem: new InternalError({}), requestId };
  return 'bytes' in line ? refuseAll(line.bytes, refusal) : refusalOf(refusal);
}
