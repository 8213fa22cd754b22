import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyRequest } from 'fastify';
import { MalformedRequest, NotFound, RequestTimeout } from '../problem/common-problems.js';
import { problem, type Problem } from '../problem/problem.js';
import type { ProblemWriter } from '../problem/send-problem.js';
import { ANSWER_HEADERS } from './answer-headers.js';
import { isDuplicated } from './headers.js';
import { closeGracefully } from './graceful-close.js';
import { LONG_REQUESTS } from './long-requests.js';
import type { OpenRequest, RequestLog } from './request-log.js';
import { continueTrace } from './trace.js';

class HeadersTooLarge extends problem(431, 'HeadersTooLarge', 'The headers of the request are too large') {}
class ExpectationFailed extends problem(417, 'ExpectationFailed', 'What the request expects cannot be met') {}

/** What is wrong with an address that the router cannot read. */
export const addressProblem = ({ code }: FastifyError): Problem =>
  code === 'FST_ERR_MAX_PARAM_LENGTH'
    ? new NotFound({}, 'Nothing has a name as long as the one in this address')
    : new MalformedRequest({}, 'The path has a % that is not followed by UTF-8 in hexadecimal');

/**
 * What is wrong with the head of a request, though it can be read. Node.js answers the like by itself, but not with our
 * error body.
 */
export function headProblem({ raw, headers }: FastifyRequest): Problem | undefined {
  if (headers.host === undefined && raw.httpVersion === '1.1')
    return new MalformedRequest({}, 'HTTP/1.1 takes a Host header');
  if (isDuplicated(raw, 'host'))
    return new MalformedRequest({}, 'headers.host: send one Host header; of several it is not clear which is meant');
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    return new ExpectationFailed({}, 'headers.expect: 100-continue is all that can be expected of this server');
  return undefined;
}

/** Bytes that Node.js cannot read as a request: the one error body, written to the connection, which ends with it. */
export const refuseBytes =
  (writer: ProblemWriter, requests: RequestLog) =>
  ({ code }: Error & { code?: string }, socket: Socket): void => {
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && LONG_REQUESTS.has(socket)) return;
    const open = requests.openOn(socket);
    if (code === 'ECONNRESET' || !canBeAnswered(socket, open, requests)) return void socket.destroy();
    const found = problemOf(code);
    const { status } = found.kind;
    const broken = open.at(-1);
    const requestId = broken?.request.id ?? randomUUID();
    const traceparent = String(broken?.reply.getHeader('traceparent') ?? continueTrace(undefined));
    if (broken) broken.cutWith = status;
    else requests.logUnread({ requestId, traceparent, status });
    closeGracefully(socket, answerOf(found, writer, { requestId, traceparent }));
  };

/** No error can be written in the middle of an answer, after one, or to a client that has sent nothing. */
const canBeAnswered = (socket: Socket, open: readonly OpenRequest[], requests: RequestLog): boolean =>
  socket.writable &&
  socket.bytesRead > 0 &&
  !open.some(({ reply }) => reply.raw.headersSent) &&
  !(open.length === 0 && requests.isReadingRest(socket));

/** CONNECT, which Node.js drops without an answer. */
export const refuseTunnel =
  (writer: ProblemWriter, requests: RequestLog) =>
  (_request: unknown, socket: Socket): void => {
    const found = new MalformedRequest({}, 'This server is no proxy: it does not take CONNECT');
    const ids = { requestId: randomUUID(), traceparent: continueTrace(undefined) };
    requests.logUnread({ ...ids, status: found.kind.status });
    closeGracefully(socket, answerOf(found, writer, ids));
  };

function answerOf(
  found: Problem,
  { contentType, bodyOf }: ProblemWriter,
  { requestId, traceparent }: { requestId: string; traceparent: string },
): string {
  const body = JSON.stringify(bodyOf(found, requestId));
  const { status } = found.kind;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    `traceparent: ${traceparent}`,
    ...Object.entries(ANSWER_HEADERS).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function problemOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return new HeadersTooLarge({}, 'Send at most 16 KiB of headers');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTimeout({}, 'Send the request faster or in smaller parts');
  return new MalformedRequest({}, 'This is not HTTP/1.1');
}
