import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { MalformedRequest, NotFound, RequestTimeout } from '../problem/house-problems.js';
import { bodyOf } from '../problem/problem.filter.js';
import { problem, type Problem } from '../problem/problem.js';
import { LONG_REQUESTS } from './long-requests.js';
import { traceparentOf } from './trace.js';

class HeadersTooLarge extends problem(431, 'HeadersTooLarge', 'The headers of the request are too large') {}

const CONTENT_TYPE = 'application/json; charset=utf-8';

/** An address that the router cannot read: refused with the one error body, before there are hooks. */
export function refuseAddress({ code }: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const found =
    code === 'FST_ERR_MAX_PARAM_LENGTH'
      ? new NotFound({}, 'Nothing has a name as long as the one in this address')
      : new MalformedRequest({}, 'The path has a % that is not followed by UTF-8 in hexadecimal');
  void reply
    .headers({ 'x-request-id': request.id, traceparent: traceparentOf(request) })
    .status(found.kind.status)
    .type(CONTENT_TYPE)
    .send(bodyOf(found, request.id));
}

/** Bytes that Node cannot read as a request: the same, written to the connection, which ends with it. */
export function refuseBytes({ code }: Error & { code?: string }, socket: Socket): void {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && LONG_REQUESTS.has(socket)) return;
  if (code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const found = problemOf(code);
  const requestId = randomUUID();
  const body = JSON.stringify(bodyOf(found, requestId));
  const { status } = found.kind;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `content-type: ${CONTENT_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function problemOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return new HeadersTooLarge({}, 'Send at most 16 KiB of headers');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTimeout({}, 'Send the request faster or in smaller parts');
  return new MalformedRequest({}, 'This is not HTTP/1.1');
}
