import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { EngramKindService } from '../../memory/engrams/engram-kind.service.js';
import { readPackagesBelow } from './studio-folder.js';
import type { PackageFault, StudioPackage } from './studio.types.js';

/** The packages that come with svc. */
const SHIPPED = join(import.meta.dirname, 'packages');

/** The packages there are: those of svc, and those of SVCD_STUDIO_DIR. The same for all tenants. */
@Injectable()
export class StudioLibrary {
  private readonly folder: string | undefined;

  constructor(
    private readonly engrams: EngramKindService,
    @Inject(SETTINGS) { daemon }: Settings,
  ) {
    this.folder = daemon.studioDir;
  }

  /** As the files are now, by id. An id of svc is not taken by a folder. */
  async read(): Promise<{ packages: StudioPackage[]; faults: PackageFault[] }> {
    const readEngram = (name: string, text: string): unknown => this.engrams.readFile(name, text);
    const shipped = await readPackagesBelow(SHIPPED, 'svc', readEngram);
    if (this.folder === undefined) return shipped;
    const own = await readPackagesBelow(this.folder, 'folder', readEngram);
    const taken = new Set(shipped.packages.map(({ id }) => id));
    const doubles = own.packages.filter(({ id }) => taken.has(id));
    return {
      packages: [...shipped.packages, ...own.packages.filter(({ id }) => !taken.has(id))].sort((a, b) =>
        a.id < b.id ? -1 : 1,
      ),
      faults: [
        ...[...shipped.faults, ...own.faults],
        ...doubles.map(({ id }) => ({ path: id, problem: 'has the id of a package that comes with svc' })),
      ],
    };
  }
}
