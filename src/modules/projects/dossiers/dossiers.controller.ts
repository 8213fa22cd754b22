import { Body, Controller, Param, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { allOf, anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { ProjectUnknown } from '../projects/projects.problems.js';
import { AutoDossiersService } from './auto-dossiers.service.js';
import { PublishDossier } from './dossier.dto.js';
import {
  Dossier,
  DossierDiff,
  DossierDiffQuery,
  DossierList,
  DossierPath,
  DossierQuery,
  DossiersPath,
  DossierStored,
  Reconciliation,
} from './dossiers.dto.js';
import { DossierExists, DossierUnknown } from './dossiers.problems.js';
import { DossiersService } from './dossiers.service.js';

const COMMON = { tag: 'dossiers', access: anyOf('admin:read') } as const;
const publishes = allOf('admin:read', 'facts:write');

@Controller()
export class DossiersController {
  constructor(
    private readonly dossiers: DossiersService,
    private readonly autoDossiers: AutoDossiersService,
  ) {}

  @Route('GET /v1/projects/:id/dossiers', {
    ...COMMON,
    summary: 'List the dossiers of a project',
    reply: ok(DossierList),
    problems: [ProjectUnknown],
  })
  listDossiers(
    @Caller() caller: DaemonCaller,
    @Param() { id }: DossiersPath,
    @Query() query: DossierQuery,
  ): Promise<DossierList> {
    return this.dossiers.list(caller, id, query);
  }

  @Route('POST /v1/projects/:id/dossiers', {
    ...COMMON,
    summary: 'Publish a dossier',
    description:
      'What an agent says about a project: claims, each with what it rests on. An anchor that names nothing of the tenant is refused; from then on each reading says whether what it names still stands. A dossier is not changed: the same again changes nothing, another one under its id is 409.',
    access: publishes,
    reply: ok(DossierStored),
    problems: [ProjectUnknown, DossierExists],
    tried: {
      body: {
        project_id: 'lighthouse',
        contradictions: [],
        claims: [
          {
            claim_id: 'port',
            text: 'The shop listens on port 8080.',
            anchors: [{ kind: 'receipt', id: '5f0c9a4e-1d2b-4c3a-8e7f-6a5b4c3d2e1f' }],
          },
        ],
      },
      from: { 'body/claims/0/anchors/0/id': 'ingestDocuments#/receipt_id' },
    },
  })
  publishDossier(
    @Caller() caller: DaemonCaller,
    @Param() { id }: DossiersPath,
    @Body() body: PublishDossier,
  ): Promise<DossierStored> {
    return this.dossiers.publish(caller, id, body);
  }

  @Route('POST /v1/projects/:id/dossiers/auto', {
    ...COMMON,
    summary: 'Make a dossier of what is known',
    description:
      'Without a model: a claim for each current fact of the project that everybody sees, and for each answer that was recorded with the project_id in its metadata. It is published like any other.',
    access: publishes,
    reply: ok(Dossier),
    problems: [ProjectUnknown],
  })
  makeDossier(@Caller() caller: DaemonCaller, @Param() { id }: DossiersPath): Promise<Dossier> {
    return this.autoDossiers.make(caller, id);
  }

  @Route('GET /v1/projects/:id/dossiers/diff', {
    ...COMMON,
    summary: 'Compare two dossiers',
    description: 'Claim by claim, by their ids; what differs word by word.',
    reply: ok(DossierDiff),
    problems: [ProjectUnknown, DossierUnknown],
    tried: { from: { 'query.a': 'publishDossier#/dossier_id', 'query.b': 'makeDossier#/dossier_id' } },
  })
  diffDossiers(
    @Caller() caller: DaemonCaller,
    @Param() { id }: DossiersPath,
    @Query() query: DossierDiffQuery,
  ): Promise<DossierDiff> {
    return this.dossiers.diff(caller, id, query);
  }

  @Route('GET /v1/projects/:id/dossiers/reconcile', {
    ...COMMON,
    summary: 'Hold the dossiers of agents against each other',
    description:
      'The newest dossier of each agent, subject by subject: where they agree, where they contradict each other, and of what one alone speaks.',
    reply: ok(Reconciliation),
    problems: [ProjectUnknown],
  })
  reconcileDossiers(
    @Caller() caller: DaemonCaller,
    @Param() { id }: DossiersPath,
    @Query() query: PageQuery,
  ): Promise<Reconciliation> {
    return this.dossiers.reconcile(caller, id, query);
  }

  @Route('GET /v1/projects/:id/dossiers/:dossierId', {
    ...COMMON,
    summary: 'Read a dossier with the states of its claims',
    description: 'The state of each claim is found out at this reading: a fact that changed shows as stale at once.',
    reply: ok(Dossier),
    problems: [ProjectUnknown, DossierUnknown],
    tried: { from: { dossierId: 'publishDossier#/dossier_id' } },
  })
  readDossier(@Caller() caller: DaemonCaller, @Param() { id, dossierId }: DossierPath): Promise<Dossier> {
    return this.dossiers.read(caller, id, dossierId);
  }
}
