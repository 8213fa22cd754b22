import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { lockToCopy } from '../../../common/tenancy/copied-texts.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { AnswersService } from '../../knowledge/citations/answers.service.js';
import { WorkOutlookService } from '../../coordination/work/work-outlook.service.js';
import { ProjectsService } from '../projects/projects.service.js';
import { autoDossier } from './auto-dossier.rules.js';
import { MAX_CLAIMS, MAX_QUESTIONS } from './dossier-limits.types.js';
import type { Dossier } from './dossiers.dto.js';
import { DossiersService } from './dossiers.service.js';
import { ProjectFactsService } from './project-facts.service.js';

/** Dossiers that the server makes of the facts and answers of a project, without a model (D67). */
@Injectable()
export class AutoDossiersService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly projects: ProjectsService,
    private readonly dossiers: DossiersService,
    private readonly facts: ProjectFactsService,
    private readonly answers: AnswersService,
    private readonly work: WorkOutlookService,
  ) {}

  /** Published under the acting passport, or the principal where there is none. @throws ProjectUnknown */
  make(caller: DaemonCaller, projectId: string): Promise<Dossier> {
    return this.tenants.write(caller, undefined, async () => {
      await lockToCopy(this.tenancy);
      await this.projects.find(projectId);
      const generatedAtUnixMs = await this.now();
      const answers = await this.answers.listOfProject(projectId, MAX_CLAIMS);
      const blocked = await this.work.listAsking(projectId, MAX_QUESTIONS);
      const facts = await this.facts.list(projectId);
      const { claims, based_on, ...said } = autoDossier({
        ...{ projectId, facts, answers },
        blocked: blocked.map(({ title, blockerReason }) => ({ title, reason: blockerReason ?? 'needs information' })),
      });
      const { row } = await this.dossiers.put(caller, {
        ...{ projectId, dossierId: `auto-${uuid()}`, agentPassport: caller.passport ?? caller.principal },
        ...{ generatedAtUnixMs, origin: 'auto', claims, basedOn: { ...based_on, as_of_unix_ms: generatedAtUnixMs } },
        ...{ uncertainties: said.uncertainties, contradictions: said.contradictions },
        openQuestions: said.open_questions,
      });
      return this.dossiers.show(caller, await this.dossiers.find(projectId, row.dossierId));
    });
  }

  private async now(): Promise<number> {
    const [row] = await this.tenancy.query<{ ms: string }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as ms',
    );
    return Number(row!.ms);
  }
}
