import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { describeFault, SurveyFolder, type SurveyFault, type SurveyFolderContent } from './survey-folder.js';
import { faultOfEdit } from './surveys.rules.js';
import { completeSurveys, type KnownSurveys } from './surveys.store.js';

/** A change in the folder is seen after this long at the latest. */
const LOOK_MS = 1_000;

/** The surveys of SVC_SURVEYS_DIR, as the database completes them. What is wrong with a file is logged once. */
@Injectable()
export class SurveyCatalog implements OnModuleInit {
  private readonly folder: SurveyFolder;
  private content?: Promise<SurveyFolderContent>;
  private lookedAt = -Infinity;
  private readonly reported = new Set<string>();

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOG) private readonly log: Log,
    private readonly tenancy: Tenancy,
  ) {
    this.folder = new SurveyFolder(settings.feedback.surveysDir);
  }

  /** Faults are reported at the start, before anybody asks. */
  async onModuleInit(): Promise<void> {
    await this.look();
  }

  /** As the open unit of work sees them. */
  async list(): Promise<KnownSurveys & { faults: SurveyFault[] }> {
    const { surveys, faults } = await this.look();
    const known = await completeSurveys((sql, parameters) => this.tenancy.query(sql, parameters), surveys);
    const edits = known.surveys.filter(({ isEdited }) => isEdited).map(faultOfEdit);
    this.report(edits);
    return { ...known, faults: [...faults, ...edits] };
  }

  private async look(): Promise<SurveyFolderContent> {
    if (performance.now() - this.lookedAt >= LOOK_MS) {
      this.lookedAt = performance.now();
      const before = this.content;
      this.content = Promise.resolve(before).then(() => this.folder.read());
    }
    const content = await this.content!;
    this.report(content.faults);
    return content;
  }

  private report(faults: SurveyFault[]): void {
    for (const fault of faults) {
      const line = describeFault(fault);
      if (this.reported.has(line)) continue;
      this.reported.add(line);
      this.log.warn({ folder: this.folder.path, ...fault }, 'a survey is not as its file has it');
    }
  }
}
