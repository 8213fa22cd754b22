import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { AuditTrail, type Actor } from '../../../common/evidence-log/audit-trail.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { SurveyUnknown } from './feedback.problems.js';
import { SurveyCatalog } from './survey-catalog.service.js';
import { stateOf } from './surveys.rules.js';
import { lockWindows, setWindow } from './surveys.store.js';
import type { KnownSurvey, SurveyWindow } from './surveys.types.js';

/** Which survey is meant; every version of it where none is named. */
export interface SurveyChoice {
  surveyId: string;
  version?: number | undefined;
}

/**
 * Opens and closes surveys for the whole server, whatever their files say. Event and receipt are those of the tenant
 * that operates the server, as with requests for access.
 */
@Injectable()
export class SurveyWindowsService {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly tenancy: Tenancy,
    private readonly catalog: SurveyCatalog,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Opens the named version, or the newest. It becomes the current one of its tiers, also where it was open before.
   * @param until when it closes; null, when its file says so, where that is still to come
   * @throws SurveyUnknown
   */
  open(by: Actor, choice: SurveyChoice, until: Date | null): Promise<KnownSurvey> {
    return this.change(choice, async (chosen, now) => {
      const newest = chosen.toSorted((a, b) => b.version - a.version)[0]!;
      const { closesAt } = newest;
      const end = until ?? (closesAt && closesAt > now ? closesAt : null);
      return this.set(by, 'opened', newest, { opensAt: now, closesAt: end });
    });
  }

  /** Closes the named version, or every one. @returns those that were not closed already @throws SurveyUnknown */
  close(by: Actor, choice: SurveyChoice): Promise<KnownSurvey[]> {
    return this.change(choice, async (chosen, now) => {
      const open = chosen.filter((survey) => stateOf(survey, now) !== 'closed');
      const closed: KnownSurvey[] = [];
      for (const survey of open)
        closed.push(await this.set(by, 'closed', survey, { opensAt: survey.opensAt, closesAt: now }));
      return closed;
    });
  }

  private change<T>(
    { surveyId, version }: SurveyChoice,
    work: (chosen: KnownSurvey[], now: Date) => Promise<T>,
  ): Promise<T> {
    return this.tenancy.run(this.settings.bootstrap.tenantId, async () => {
      await lockWindows(this.query);
      const { surveys, now } = await this.catalog.list();
      const chosen = surveys.filter(
        (survey) => survey.surveyId === surveyId && (version ?? survey.version) === survey.version,
      );
      if (chosen.length === 0) throw new SurveyUnknown({ surveyId }, 'svc survey list shows those there are');
      return work(chosen, now);
    });
  }

  private async set(
    by: Actor,
    done: 'opened' | 'closed',
    survey: KnownSurvey,
    window: SurveyWindow,
  ): Promise<KnownSurvey> {
    await setWindow(this.query, survey, window, by.principal);
    const { surveyId, version } = survey;
    const facts = {
      surveyId,
      version,
      opensAt: window.opensAt?.toISOString() ?? null,
      closesAt: window.closesAt?.toISOString() ?? null,
    };
    await this.audit.record(by, { kind: `survey.${done}`, subject: surveyId, facts });
    return { ...survey, ...window };
  }

  private readonly query: Query = (sql, parameters) => this.tenancy.query(sql, parameters);
}
