import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { LegalHold } from '../../../common/legal-holds/held-rows.js';
import { ErasureListUnwritable, ErasureNotFound } from './erasure.problems.js';
import { EraseSubject, ErasurePath, ErasureQuery, ErasureReply } from './erasure.dto.js';
import { ErasureService } from './erasure.service.js';

@Controller()
export class ErasureController {
  constructor(private readonly erasures: ErasureService) {}

  @Route('POST /v1/facts/erase', {
    tag: 'erasure',
    summary: 'Erase a subject',
    description:
      'Removes content, versions, index entries, events, stored answers and records of the log that name the subject, in one transaction with a receipt that has numbers alone; the files of the database are rewritten after. One that takes longer than 15 seconds is answered with `state` `running`, and goes on. With `dry_run` it reports what would go, by the same selection. It cannot be undone, also not by an older backup.',
    access: anyOf('admin:write'),
    extension: true,
    reply: ok(ErasureReply),
    problems: [ErasureListUnwritable, LegalHold],
  })
  eraseSubject(@Caller() caller: DaemonCaller, @Body() body: EraseSubject): Promise<ErasureReply> {
    return this.erasures.erase(caller, body);
  }

  @Route('GET /v1/facts/erase/:id', {
    tag: 'erasure',
    summary: 'Read an erasure',
    access: anyOf('admin:read'),
    extension: true,
    reply: ok(ErasureReply),
    problems: [ErasureNotFound],
    tried: { from: { id: 'eraseSubject#/erasure/erasure_id' } },
  })
  readErasure(
    @Caller() caller: DaemonCaller,
    @Param() { id }: ErasurePath,
    @Query() { tenant_id: tenantId }: ErasureQuery,
  ): Promise<ErasureReply> {
    return this.erasures.read(caller, id, tenantId);
  }
}
