import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { SecretScreen } from '../../../common/screening/secret-screen.js';
import { engramOf } from './engram-payload.rules.js';
import { maskedTexts } from './engram-screening.js';
import type { Engram } from './engrams.types.js';
import { readSkill } from './skill-file.rules.js';
import { SkillFolder, type SkillFault } from './skill-folder.js';

/** Who wrote what stands in files. */
const FILES = 'files';

/** The engrams below SVCD_ENGRAMS_DIR: the same for all tenants, to be read and never to be changed here. */
@Injectable()
export class EngramFilesService {
  private readonly folder: SkillFolder | undefined;
  private warned = new Map<string, string>();

  constructor(
    @Inject(SETTINGS) { memory }: Settings,
    @Inject(LOG) private readonly log: Log,
    private readonly screen: SecretScreen,
  ) {
    if (memory.engramsDir !== undefined)
      this.folder = new SkillFolder(memory.engramsDir, (name, text, at) => this.make(name, text, at));
  }

  /** By name. What is wrong with a file is logged once; the others are read. */
  async list(): Promise<Engram[]> {
    if (!this.folder) return [];
    const { engrams, faults } = await this.folder.read();
    this.warn(faults);
    return engrams;
  }

  private async make(name: string, text: string, changedAt: Date): Promise<Engram> {
    const { version, payload } = readSkill(name, text);
    const { texts } = await maskedTexts(this.screen, payload);
    const origin = { name, version, source: 'file', createdAt: changedAt, createdBy: FILES } as const;
    const engram = engramOf(origin, { ...payload, ...texts });
    if (!engram) throw new Error('is too long once its secrets are masked');
    return engram;
  }

  private warn(faults: readonly SkillFault[]): void {
    for (const { path, problem } of faults)
      if (this.warned.get(path) !== problem) this.log.warn({ path, problem }, 'a file of SVCD_ENGRAMS_DIR is left out');
    this.warned = new Map(faults.map(({ path, problem }) => [path, problem]));
  }
}
