import { Body, Controller, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { EngramLabelsService } from './engram-labels.service.js';
import { EngramResolveService } from './engram-resolve.service.js';
import {
  EngramLabelPath,
  EngramLabelReply,
  EngramList,
  EngramPath,
  EngramReply,
  EngramsQuery,
  EngramVersions,
  MoveLabel,
} from './engrams.dto.js';
import {
  EngramLabelMoved,
  EngramLabelUnknown,
  EngramsUnknown,
  EngramUnknown,
  SpellingsDiffer,
} from './engrams.problems.js';
import { EngramsService } from './engrams.service.js';
import { tagged } from './engrams.views.js';
import { ResolvedEngrams, ResolveEngrams } from './resolve.dto.js';

const reading = { tag: 'engrams', access: anyOf('query:read', 'admin:read') };
const own = { ...reading, extension: true } as const;
const moving = { ...own, access: anyOf('facts:write', 'admin:write') };

@Controller()
export class EngramsController {
  constructor(
    private readonly engrams: EngramsService,
    private readonly labels: EngramLabelsService,
    private readonly resolving: EngramResolveService,
  ) {}

  @Route('GET /v1/engrams', {
    ...reading,
    summary: 'List engrams',
    description:
      'By name, without their contents: entities of the kind engram, and files of the server whose names none of them has.',
    reply: ok(EngramList),
  })
  listEngrams(@Caller() caller: DaemonCaller, @Query() query: EngramsQuery): Promise<EngramList> {
    return this.engrams.list(caller, query);
  }

  @Route('GET /v1/engrams/:name', {
    ...own,
    summary: 'Read an engram',
    reply: ok(EngramReply),
    problems: [EngramUnknown],
  })
  readEngram(@Caller() caller: DaemonCaller, @Param() { name }: EngramPath): Promise<EngramReply> {
    return this.engrams.read(caller, name);
  }

  @Route('GET /v1/engrams/:name/versions', {
    ...own,
    summary: 'List the versions of an engram',
    description: 'Newest first, with their contents.',
    reply: ok(EngramVersions),
    problems: [EngramUnknown],
  })
  listEngramVersions(
    @Caller() caller: DaemonCaller,
    @Param() { name }: EngramPath,
    @Query() query: PageQuery,
  ): Promise<EngramVersions> {
    return this.engrams.listVersions(caller, name, query);
  }

  @Route('PUT /v1/engrams/:name/labels/:label', {
    ...moving,
    summary: 'Set or move a label',
    description:
      'The label points at that version from then on. Nothing changes, and no receipt is left, where it does already.',
    reply: ok(EngramLabelReply),
    problems: [EngramUnknown, EngramLabelMoved],
  })
  moveLabel(
    @Caller() caller: DaemonCaller,
    @Param() path: EngramLabelPath,
    @Body() body: MoveLabel,
  ): Promise<EngramLabelReply> {
    return this.labels.move(caller, path, body);
  }

  @Route('DELETE /v1/engrams/:name/labels/:label', {
    ...moving,
    summary: 'Remove a label',
    reply: ok(EngramLabelReply),
    problems: [EngramLabelUnknown],
  })
  removeLabel(@Caller() caller: DaemonCaller, @Param() path: EngramLabelPath): Promise<EngramLabelReply> {
    return this.labels.remove(caller, path);
  }

  @Route('POST /v1/memory/engrams/resolve', {
    ...reading,
    summary: 'Resolve engrams for an agent',
    description:
      'Whole contents of the engrams that were named, else of all that are switched on, as far as they fit the class of the model. Names that are not there are 422. The answer leaves a signed receipt; its ETag is the engram_set_hash.',
    reply: ok(ResolvedEngrams),
    problems: [EngramsUnknown, SpellingsDiffer],
  })
  async resolveEngrams(
    @Caller() caller: DaemonCaller,
    @Body() body: ResolveEngrams,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResolvedEngrams> {
    return tagged(reply, await this.resolving.resolve(caller, body));
  }
}
