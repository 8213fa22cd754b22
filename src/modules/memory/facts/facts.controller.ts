import { Controller, Param, Query } from '@nestjs/common';
import { anyOf, ok } from '../../../common/contract/contract.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { FactActors, FactActorsQuery } from './fact-actors.dto.js';
import { FactActorsService } from './fact-actors.service.js';
import { FactListsService } from './fact-lists.service.js';
import { FactReadsService } from './fact-reads.service.js';
import { ExportQuery, FactList, FactListQuery, FactsExport } from './fact-lists.dto.js';
import { FactsQuery, FoundFactsReply } from './fact-queries.dto.js';
import { EntityPath, FactPath, FactReply, FactsReply } from './facts.dto.js';
import { FactNotFound } from './facts.problems.js';
import { FactsService } from './facts.service.js';

const tag = 'facts';
const access = anyOf('query:read', 'admin:read');

const LATEST =
  'Of each entity and key the latest fact: of the public one and the caller’s own private one the newer. An admin scope also sees the private facts of others, each for itself.';
const RESERVED = 'Facts of entities under reserved prefixes are there only where entity or entity_prefix names one.';
const CUT =
  'Values are whole up to 8 MiB in one answer; facts beyond that show the first 1,024 characters and value_truncated.';

@Controller()
export class FactsController {
  constructor(
    private readonly facts: FactsService,
    private readonly reads: FactReadsService,
    private readonly lists: FactListsService,
    private readonly actors: FactActorsService,
  ) {}

  @Route('GET /v1/facts', {
    tag,
    summary: 'Search facts',
    description: `Ranked by the query, or newest first without one. ${LATEST} ${RESERVED} ${CUT}`,
    access,
    reply: ok(FoundFactsReply),
  })
  findFacts(@Caller() caller: DaemonCaller, @Query() query: FactsQuery): Promise<FoundFactsReply> {
    return this.reads.find(caller, query);
  }

  @Route('GET /v1/facts/entity/:entity', {
    tag,
    summary: 'List the facts of an entity',
    description: `${LATEST} Newest first, the newest 1,000 keys. ${CUT}`,
    access,
    reply: ok(FactsReply),
  })
  listEntityFacts(@Caller() caller: DaemonCaller, @Param() { entity }: EntityPath): Promise<FactsReply> {
    return this.reads.readEntity(caller, entity);
  }

  @Route('GET /v1/facts/export', {
    tag,
    summary: 'Export facts, oldest first',
    description:
      'Every record that the caller may see and that is not deleted, retired ones and reserved ones too, with whole values. Pages are stable while others write: what is stored meanwhile comes on later pages, and exported_at of the last page is the since of the next export. A page ends early before its values exceed 8 MiB.',
    access,
    reply: ok(FactsExport),
  })
  exportFacts(@Caller() caller: DaemonCaller, @Query() query: ExportQuery): Promise<FactsExport> {
    return this.lists.export(caller, query);
  }

  @Route('GET /v1/facts/list', {
    tag,
    summary: 'List stored facts with exact totals',
    description:
      'The authoritative list of facts, newest first. Two probes with limit=1 make a census: total_nondeleted is what is stored; total_visible with include_reserved=1 less that without is what of it is reserved; total_nondeleted less total_visible with include_reserved=1 is what is private to others. Values show their first 1,024 characters.',
    access,
    reply: ok(FactList),
  })
  listFacts(@Caller() caller: DaemonCaller, @Query() query: FactListQuery): Promise<FactList> {
    return this.lists.list(caller, query);
  }

  @Route('GET /v1/facts/actors', {
    tag,
    extension: true,
    summary: 'List who stored facts',
    description: 'Who stored public facts, who did so last first.',
    access,
    reply: ok(FactActors),
  })
  listActors(@Caller() caller: DaemonCaller, @Query() query: FactActorsQuery): Promise<FactActors> {
    return this.actors.list(caller, query);
  }

  @Route('GET /v1/facts/:factId', {
    tag,
    summary: 'Read a fact with its whole value',
    description: 'superseded_by names the record that retired it, where one did. A deleted fact is not found.',
    access,
    reply: ok(FactReply),
    problems: [FactNotFound],
  })
  readFact(@Caller() caller: DaemonCaller, @Param() { factId }: FactPath): Promise<FactReply> {
    return this.facts.read(caller, factId);
  }
}
