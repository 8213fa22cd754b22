import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok, okBytes, type RouteDeclaration } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { RawBody } from '../../../common/http/raw-body.js';
import { Deadline } from '../../../common/ingress/deadline.js';
import { AccessContract, GpuFallback } from './hosted-surfaces.dto.js';
import { GpuFailed } from './hosted-surfaces.problems.js';
import { HOSTED, HostedSurfacesService } from './hosted-surfaces.service.js';

const JSON_TYPE = 'application/json; charset=utf-8';

const gpu = (summary: string) =>
  ({
    tag: HOSTED,
    summary,
    flag: 'gpu',
    extension: true,
    description:
      'Passed on to SVCD_GPU1_BASE_URL, whose answer comes back as it is; no header of the request goes on, nor its credential. Without an endpoint the answer is 200 with `"endpoint_configured": false`.',
    access: anyOf('query:read', 'admin:read'),
    reply: okBytes(JSON_TYPE, { oneOf: [{ type: 'object' }, GpuFallback] }),
    problems: [GpuFailed],
  }) satisfies RouteDeclaration<string | Uint8Array>;
const computing = (summary: string) =>
  ({
    ...gpu(summary),
    body: 'bytes',
    bodyLimit: 1024 * 1024,
    requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
  }) satisfies RouteDeclaration<string | Uint8Array>;

@Controller()
export class HostedSurfacesController {
  constructor(private readonly hosted: HostedSurfacesService) {}

  @Route('GET /v1/cloud/access-contract', {
    tag: HOSTED,
    summary: 'See what the hosted surfaces are, and what opens them',
    access: anyOf('admin:read', 'facts:read', 'query:read', 'sessions:read'),
    reply: ok(AccessContract),
  })
  readAccessContract(): Promise<AccessContract> {
    return this.hosted.readContract();
  }

  @Route('GET /v1/gpu1/status', gpu('See how the endpoint is'))
  readGpuStatus(@Caller() caller: DaemonCaller, @Req() request: FastifyRequest, @Deadline() deadline: AbortSignal) {
    return this.pass(caller, 'status', { request, deadline });
  }

  @Route('GET /v1/gpu1/models', gpu('List the models of the endpoint'))
  listGpuModels(@Caller() caller: DaemonCaller, @Req() request: FastifyRequest, @Deadline() deadline: AbortSignal) {
    return this.pass(caller, 'models', { request, deadline });
  }

  @Route('POST /v1/gpu1/embed', computing('Embed texts at the endpoint'))
  embedByGpu(
    @Caller() caller: DaemonCaller,
    @RawBody() body: Buffer,
    @Req() request: FastifyRequest,
    @Deadline() deadline: AbortSignal,
  ) {
    return this.pass(caller, 'embed', { request, deadline, body });
  }

  @Route('POST /v1/gpu1/rerank', computing('Rank passages at the endpoint'))
  rerankByGpu(
    @Caller() caller: DaemonCaller,
    @RawBody() body: Buffer,
    @Req() request: FastifyRequest,
    @Deadline() deadline: AbortSignal,
  ) {
    return this.pass(caller, 'rerank', { request, deadline, body });
  }

  @Route('POST /v1/gpu1/generate', computing('Generate text at the endpoint'))
  generateByGpu(
    @Caller() caller: DaemonCaller,
    @RawBody() body: Buffer,
    @Req() request: FastifyRequest,
    @Deadline() deadline: AbortSignal,
  ) {
    return this.pass(caller, 'generate', { request, deadline, body });
  }

  @Route('POST /v1/gpu1/summarize', computing('Summarize text at the endpoint'))
  summarizeByGpu(
    @Caller() caller: DaemonCaller,
    @RawBody() body: Buffer,
    @Req() request: FastifyRequest,
    @Deadline() deadline: AbortSignal,
  ) {
    return this.pass(caller, 'summarize', { request, deadline, body });
  }

  @Route('POST /v1/gpu1/classify', computing('Classify text at the endpoint'))
  classifyByGpu(
    @Caller() caller: DaemonCaller,
    @RawBody() body: Buffer,
    @Req() request: FastifyRequest,
    @Deadline() deadline: AbortSignal,
  ) {
    return this.pass(caller, 'classify', { request, deadline, body });
  }

  private pass(
    caller: DaemonCaller,
    surface: string,
    { request, deadline, body }: { request: FastifyRequest; deadline: AbortSignal; body?: Buffer },
  ): Promise<string> {
    return this.hosted.pass(caller, { surface, deadline, requestId: request.id, ...(body ? { body } : {}) });
  }
}
