import { Body, Controller } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { allOf, anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { MANY_JSON_MEMBERS, NESTED_JSON_DEPTH } from '../../../common/http/json-body.js';
import { Deadline } from '../../../common/ingress/deadline.js';
import { ExportPackReply, ExportPackRequest, ImportPackReply, ImportPackRequest } from './packs.dto.js';
import { PackNotVerified, PackTooLarge, PrincipalNotYours } from './packs.problems.js';
import { PacksService } from './packs.service.js';

const tag = 'memory packs';

@Controller()
export class PacksController {
  constructor(private readonly packs: PacksService) {}

  @Route('POST /v1/memory/import', {
    tag,
    flag: 'memoryImport',
    summary: 'Import a memory pack',
    description:
      'All or nothing, in one transaction with the receipt (memory.imported). A fact that the tenant has with the same value is skipped, another value supersedes; the same pack again changes nothing. A signature that does not hold is 403, none is allowed and said so. docs/memory-packs.md.',
    access: anyOf('facts:write', 'admin:write'),
    tenantBound: true,
    reply: ok(ImportPackReply),
    problems: [PackNotVerified, PrincipalNotYours],
    bodyLimit: 64 * 1024 * 1024,
    memberLimit: MANY_JSON_MEMBERS,
    depthLimit: NESTED_JSON_DEPTH,
    tried: {
      body: {
        pack: {
          schema: 'svc.pack/1',
          facts: ['person:grace', 'user:grace', 'contact:grace'].map((entity) => ({
            entity,
            key: 'email',
            value: 'grace@example.org',
          })),
        },
      },
    },
  })
  importPack(
    @Caller() caller: DaemonCaller,
    @Body() body: ImportPackRequest,
    @Deadline() deadline: AbortSignal,
  ): Promise<ImportPackReply> {
    return this.packs.import(caller, body, deadline);
  }

  @Route('POST /v1/memory/export', {
    extension: true,
    tag,
    summary: 'Export the memory of a tenant',
    description:
      'Facts with their history, private ones too, observed sessions, entities, edges, relations, cases, candidates and engrams, as of one moment, in one signed pack. What is set aside, deleted or under a reserved prefix is left out. The export leaves a receipt (memory.exported).',
    access: allOf('admin:read', 'exports:read'),
    tenantBound: true,
    reply: ok(ExportPackReply),
    problems: [PackTooLarge],
  })
  exportPack(@Caller() caller: DaemonCaller, @Body() body: ExportPackRequest): Promise<ExportPackReply> {
    return this.packs.export(caller, body);
  }
}
