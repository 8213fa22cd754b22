import { Body, Controller, Param } from '@nestjs/common';
import { anyOf, created, ok } from '../../../common/contract/contract.js';
import { ListBody } from '../../../common/fields/list-body.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { Fence } from '../../../common/contract/fence.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { LegalHold } from '../../../common/legal-holds/held-rows.js';
import { FactDeleted, FactPath, StoredFactReply, StoredFactsReply, StoreFactRequest } from './facts.dto.js';
import { FactNotCurrent, FactNotFound, FactQuarantined, FactSuperseded } from './facts.problems.js';
import { FactsService } from './facts.service.js';

const tag = 'facts';
const access = anyOf('facts:write', 'admin:write');
const MAX_AT_ONCE = 1000;

const CHAINS =
  'The same entity and key again is a new version, which supersedes the one before. Private facts of each writer have versions of their own and never supersede public ones. Entities under a reserved prefix (`__`, `svc:`, `layer:`, `storybook:`, `dossier:`) are stored as private whatever is sent: read `private` of the record.';

@Controller()
export class FactWritesController {
  constructor(private readonly facts: FactsService) {}

  @Route('PUT /v1/facts', {
    tag,
    summary: 'Store a fact',
    description: CHAINS,
    access,
    fenced: true,
    reply: created(StoredFactReply),
    problems: [FactNotCurrent],
  })
  storeFact(
    @Caller() caller: DaemonCaller,
    @Body() body: StoreFactRequest,
    @Fence() fence?: number,
  ): Promise<StoredFactReply> {
    return this.facts.store(caller, body, fence);
  }

  @Route('PUT /v1/facts/bulk', {
    tag,
    summary: 'Store up to 1,000 facts, all or none',
    description: `The answer is in the order of the list. Facts of one entity and key become versions in that order. private: true is refused with 400. ${CHAINS}`,
    access,
    fenced: true,
    reply: created(StoredFactsReply),
    problems: [FactNotCurrent],
  })
  storeFacts(
    @Caller() caller: DaemonCaller,
    @ListBody(StoreFactRequest, { max: MAX_AT_ONCE }) body: StoreFactRequest[],
    @Fence() fence?: number,
  ): Promise<StoredFactsReply> {
    return this.facts.storeMany(caller, body, fence);
  }

  @Route('DELETE /v1/facts/:factId', {
    tag,
    summary: 'Delete a fact',
    description:
      'A tombstone supersedes the fact: all versions of its entity and key leave reads, lists and totals. An id of an older version is refused (409), which names the current one: whoever sends it has not seen that. as_of and as_of_unix_ms before the deletion still show them. Storing the entity and key again starts again with the next version number.',
    access,
    fenced: true,
    reply: ok(FactDeleted),
    problems: [FactNotFound, FactQuarantined, FactSuperseded, LegalHold],
  })
  retireFact(
    @Caller() caller: DaemonCaller,
    @Param() { factId }: FactPath,
    @Fence() fence?: number,
  ): Promise<FactDeleted> {
    return this.facts.retire(caller, factId, fence);
  }
}
