import { Body, Controller, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { allOf, anyOf, created, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { ExtensionCallsService } from './extension-calls.service.js';
import {
  ChangedExtension,
  DeletedExtension,
  DispatchExtension,
  EnableExtension,
  ExtensionList,
  ExtensionPath,
  ExtensionQuery,
  ExtensionReply,
  ExtensionResult,
  RegisterExtension,
} from './extensions.dto.js';
import {
  ExtensionDigestMismatch,
  ExtensionDisabled,
  ExtensionFailed,
  ExtensionKnown,
  ExtensionRateLimited,
  ExtensionUnknown,
  TooManyExtensions,
  WasmExtensionsOff,
} from './extensions.problems.js';
import { ExtensionsService } from './extensions.service.js';

const COMMON = { tag: 'extensions', extension: true } as const;
const reads = anyOf('admin:read', 'facts:read', 'query:read', 'sessions:read');
const changes = allOf('admin:read', 'facts:write');

@Controller()
export class ExtensionsController {
  constructor(
    private readonly extensions: ExtensionsService,
    private readonly calls: ExtensionCallsService,
  ) {}

  @Route('GET /v1/extensions', {
    ...COMMON,
    summary: 'List extensions',
    access: reads,
    reply: ok(ExtensionList),
  })
  listExtensions(@Caller() caller: DaemonCaller, @Query() query: ExtensionQuery): Promise<ExtensionList> {
    return this.extensions.list(caller, query);
  }

  @Route('POST /v1/extensions', {
    ...COMMON,
    summary: 'Register an extension',
    description:
      'It is disabled until somebody enables its digest, and stays what it is: another module is another id.',
    access: changes,
    reply: created(ChangedExtension),
    problems: [ExtensionKnown, TooManyExtensions],
    bodyLimit: 2 * 1024 * 1024,
    tried: { body: { kind: 'tool', tool: 'search_facts', digest: undefined } },
  })
  registerExtension(@Caller() caller: DaemonCaller, @Body() body: RegisterExtension): Promise<ChangedExtension> {
    return this.extensions.register(caller, body);
  }

  @Route('GET /v1/extensions/:id', {
    ...COMMON,
    summary: 'Read an extension',
    access: reads,
    reply: ok(ExtensionReply),
    problems: [ExtensionUnknown],
  })
  readExtension(@Caller() caller: DaemonCaller, @Param() { id }: ExtensionPath): Promise<ExtensionReply> {
    return this.extensions.read(caller, id);
  }

  @Route('POST /v1/extensions/:id/enable', {
    ...COMMON,
    summary: 'Enable an extension',
    access: changes,
    reply: ok(ChangedExtension),
    problems: [ExtensionUnknown, ExtensionDigestMismatch],
    tried: { from: { 'body/digest': 'registerExtension#/extension/digest' } },
  })
  enableExtension(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ExtensionPath,
    @Body() body: EnableExtension,
  ): Promise<ChangedExtension> {
    return this.extensions.enable(caller, id, body);
  }

  @Route('POST /v1/extensions/:id/disable', {
    ...COMMON,
    summary: 'Disable an extension',
    description: 'No call begins after that; what runs already ends within its limits.',
    access: changes,
    reply: ok(ChangedExtension),
    problems: [ExtensionUnknown],
    tried: { after: ['dispatchExtension'] },
  })
  disableExtension(@Caller() caller: DaemonCaller, @Param() { id }: ExtensionPath): Promise<ChangedExtension> {
    return this.extensions.disable(caller, id);
  }

  @Route('DELETE /v1/extensions/:id', {
    ...COMMON,
    summary: 'Delete an extension',
    access: changes,
    reply: ok(DeletedExtension),
    problems: [ExtensionUnknown],
  })
  deleteExtension(@Caller() caller: DaemonCaller, @Param() { id }: ExtensionPath): Promise<DeletedExtension> {
    return this.extensions.delete(caller, id);
  }

  @Route('POST /v1/extensions/:id/dispatch', {
    ...COMMON,
    summary: 'Call an extension',
    description:
      'A module runs in a thread with limits of time and memory, and gets the input and nothing else; it needs SVC_BUILD_FEATURES=wasm-extensions, without which the answer is 501. A tool is called with the credential of this request. A call that does not end well is 422 EXTENSION_FAILED, and has a receipt as well.',
    access: changes,
    reply: ok(ExtensionResult),
    problems: [
      ...[ExtensionUnknown, ExtensionDigestMismatch, ExtensionDisabled, WasmExtensionsOff],
      ...[ExtensionRateLimited, ExtensionFailed],
    ],
    bodyLimit: 512 * 1024,
    tried: { from: { 'body/digest': 'registerExtension#/extension/digest' }, after: ['enableExtension'] },
  })
  dispatchExtension(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ExtensionPath,
    @Body() body: DispatchExtension,
    @Req() request: FastifyRequest,
  ): Promise<ExtensionResult> {
    return this.calls.call(caller, id, body, request);
  }
}
