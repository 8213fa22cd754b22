import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { LegalHold } from '../../../common/legal-holds/held-rows.js';
import {
  CaseDeleted,
  CaseList,
  CasePath,
  CaseQuery,
  CaseReply,
  FoundCases,
  RecordCase,
  RetrieveCases,
} from './cases.dto.js';
import { CaseQuarantined, CaseUnknown } from './cases.problems.js';
import { CasesService } from './cases.service.js';

const TAG = { tag: 'cases' } as const;
const reads = anyOf('query:read', 'admin:read');
const writes = anyOf('facts:write', 'admin:write');

@Controller()
export class CasesController {
  constructor(private readonly cases: CasesService) {}

  @Route('POST /v1/cases', {
    ...TAG,
    summary: 'Record a case',
    description:
      'What was to be done, what was done, and how it went, failures too. Secrets in it are masked before it is stored.',
    access: writes,
    reply: ok(CaseReply),
  })
  recordCase(@Caller() caller: DaemonCaller, @Body() body: RecordCase): Promise<CaseReply> {
    return this.cases.record(caller, body);
  }

  @Route('POST /v1/cases/retrieve', {
    ...TAG,
    summary: 'Find cases for a task',
    description:
      'Cases whose task, context and action have the words of this one, weighed by reward and age; score_parts shows how.',
    access: reads,
    reply: ok(FoundCases),
  })
  retrieveCases(@Caller() caller: DaemonCaller, @Body() body: RetrieveCases): Promise<FoundCases> {
    return this.cases.retrieve(caller, body);
  }

  @Route('GET /v1/cases', { ...TAG, extension: true, summary: 'List cases', access: reads, reply: ok(CaseList) })
  listCases(@Caller() caller: DaemonCaller, @Query() query: CaseQuery): Promise<CaseList> {
    return this.cases.list(caller, query);
  }

  @Route('GET /v1/cases/:id', {
    ...TAG,
    extension: true,
    summary: 'Read a case',
    access: reads,
    reply: ok(CaseReply),
    problems: [CaseUnknown],
  })
  readCase(@Caller() caller: DaemonCaller, @Param() { id }: CasePath): Promise<CaseReply> {
    return this.cases.read(caller, id);
  }

  @Route('DELETE /v1/cases/:id', {
    ...TAG,
    extension: true,
    summary: 'Delete a case',
    access: writes,
    reply: ok(CaseDeleted),
    problems: [CaseUnknown, CaseQuarantined, LegalHold],
  })
  deleteCase(@Caller() caller: DaemonCaller, @Param() { id }: CasePath): Promise<CaseDeleted> {
    return this.cases.delete(caller, id);
  }
}
