import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { okStream, toolCaller } from '../../common/contract/contract.js';
import { Route } from '../../common/contract/route.decorator.js';
import { JsonRpcRequest } from './http.dto.js';
import { rateLimited } from './json-rpc-responses.js';
import { LINES_TYPE, STREAM_ADDRESS, StreamTransport } from './stream.transport.js';

const HEADERS = [
  {
    name: 'x-idempotency-key',
    description: 'Serves in place of params.idempotency_key of the first line alone.',
  },
  {
    name: 'x-shield-approval-token',
    description: 'Serves in place of params.shield_approval_token of the first line alone.',
  },
];

/** JSON-RPC line by line over one HTTP request. */
@Controller()
export class StreamController {
  constructor(private readonly streams: StreamTransport) {}

  @Route(STREAM_ADDRESS, {
    tag: 'tools',
    summary: 'Call tools by JSON-RPC 2.0, line by line',
    description:
      'Each line of the body is a payload: a request, a notification, or a batch. Each is answered by one line as soon as it is done, in whatever order that is (a batch by the array of its answers, a ' +
      'notification by nothing), while further lines may still be sent. At most 16 lines are in flight; further lines are not read until one of them is done, nor while the answers are not read. A line longer than 1 MiB, or than SVC_TOOLS_MAX_BODY_BYTES, ' +
      'is passed over and answered with -32600: send it as the body of POST /rpc. When the first line meets a used-up rate window the status is 429, with retry-after, and nothing else is taken; later it is an error of the line. ' +
      'A stream ends when its credential does, and after 5 minutes without anything in flight or a byte in either direction.',
    access: toolCaller(),
    body: 'bytes',
    parameters: HEADERS,
    requestBody: {
      description: `As ${LINES_TYPE} a payload a line, as application/json one payload.`,
      content: { [LINES_TYPE]: { schema: JsonRpcRequest }, 'application/json': { schema: JsonRpcRequest } },
    },
    reply: okStream(LINES_TYPE),
    responses: { 429: rateLimited(LINES_TYPE, { type: 'string' }) },
  })
  exchangeLines(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.streams.serve(request, reply);
  }
}
