import { Controller, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { okStream, toolCaller } from '../../common/contract/contract.js';
import { Route } from '../../common/contract/route.decorator.js';
import { KeepsRawBody } from '../../common/http/raw-body.js';
import { JsonRpcRequest } from './http.dto.js';
import { LINES_TYPE, STREAM_ADDRESS, StreamMouth } from './stream.mouth.js';

/** JSON-RPC line by line over one HTTP request. */
@Controller()
export class StreamController {
  constructor(private readonly streams: StreamMouth) {}

  @ApiConsumes(LINES_TYPE, 'application/json')
  @ApiBody({ type: JsonRpcRequest, description: `As ${LINES_TYPE} a payload a line, as application/json one payload.` })
  @ApiHeader({
    name: 'x-idempotency-key',
    required: false,
    description: 'Serves in place of params.idempotency_key of the first line alone.',
  })
  @ApiHeader({
    name: 'x-shield-approval-token',
    required: false,
    description: 'Serves in place of params.shield_approval_token of the first line alone.',
  })
  @KeepsRawBody(STREAM_ADDRESS)
  @Route(STREAM_ADDRESS, {
    tag: 'tools',
    summary: 'Call tools by JSON-RPC 2.0, line by line',
    description:
      'Each line of the body is a payload: a request, a notification, or a batch. Each is answered by one line as soon as it is done, in whatever order that is (a batch by the array of its answers, a ' +
      'notification by nothing), while further lines may still be sent. At most 16 lines are under way at once; more are not read before, nor while the answers are not read. A line longer than SVC_TOOLS_MAX_BODY_BYTES ' +
      'is passed over and answered with -32600. When the first line meets a used-up rate window the status is 429, with retry-after, and nothing else is taken; later it is an error of the line. ' +
      'A stream ends when its credential does, and after 5 minutes without anything under way or a byte in either direction.',
    access: toolCaller(),
    reply: okStream(LINES_TYPE),
  })
  stream(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.streams.serve(request, reply);
  }
}
