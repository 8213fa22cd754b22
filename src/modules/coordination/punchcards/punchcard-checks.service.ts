import { setImmediate as othersFirst } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { LeasesService } from '../leases/leases.service.js';
import { PathLeasesService } from '../leases/path-leases.service.js';
import { HeldPaths } from './held-paths.rules.js';
import type { HeldPath, PathsCheck, PunchcardCheck, PunchcardList, PunchcardReply } from './punchcard-replies.dto.js';
import type { CheckPaths, CheckPunchcard, PunchcardsQuery } from './punchcards.dto.js';
import { PunchcardNotFound } from './punchcards.problems.js';
import { conflictsOf, isRival, passportOf, readLive, resourceAt } from './punchcards.rules.js';
import { conflictsView, punchcardOf } from './punchcards.views.js';
import { literalPath } from './resources.rules.js';

/** How many paths are compared before other requests have their turn. */
const PATHS_IN_A_ROW = 50;

/** Says what is held, by whom and until when. */
@Injectable()
export class PunchcardChecksService {
  private readonly isEnforced: boolean;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly leases: LeasesService,
    private readonly paths: PathLeasesService,
    @Inject(SETTINGS) { flags }: Settings,
  ) {
    this.isEnforced = flags.punchcard === 'enforce';
  }

  list(caller: DaemonCaller, query: PunchcardsQuery): Promise<PunchcardList> {
    const { limit, cursor, resource, holder, holder_passport: holderPassport, status } = query;
    const [after] = decodeCursor(cursor, ['integer']) ?? [];
    const subject = resource === undefined ? undefined : resourceAt('query.resource', resource).text;
    return this.tenants.run(caller, query.tenant_id, async () => {
      const filter = { subject, holder, holderPassport, status };
      const rows = await this.paths.list(filter, { after, take: limit + 1 });
      const now = await this.paths.readClock();
      const { page, has_more, next_cursor } = takePage(rows, limit, ({ fence }) => [fence]);
      const punchcards = page.map((lease) => punchcardOf(lease, now));
      return { punchcards, count: punchcards.length, has_more, next_cursor };
    });
  }

  /** @throws PunchcardNotFound */
  read(caller: DaemonCaller, id: string): Promise<PunchcardReply> {
    return this.tenants.run(caller, undefined, async () => {
      const lease = await this.leases.readById(id);
      if (lease?.kind === 'path') return { punchcard: punchcardOf(lease, await this.paths.readClock()) };
      throw new PunchcardNotFound({}, `No punchcard has the id ${id}; GET /v1/punchcards lists them`);
    });
  }

  async check(caller: DaemonCaller, request: CheckPunchcard): Promise<PunchcardCheck> {
    const { mode, passport: holder = passportOf(caller) } = request;
    const resource = resourceAt('body.resource', request.resource);
    const conflicts = conflictsView(conflictsOf(await this.listLive(caller), { resource, mode, holder }));
    return {
      enforce: this.isEnforced,
      held_by_other: conflicts.length > 0,
      holder_passport: conflicts[0]?.holder_passport ?? null,
      mode,
      resource: resource.text,
      expires_at_unix_ms: conflicts[0]?.expires_at_unix_ms ?? null,
      conflicts,
    };
  }

  async checkPaths(caller: DaemonCaller, request: CheckPaths): Promise<PathsCheck> {
    const { mode, repo, paths, passport: holder = passportOf(caller) } = request;
    const rivals = new HeldPaths((await this.listLive(caller)).filter((card) => isRival(card, { holder, mode })));
    const held: HeldPath[] = [];
    for (const [index, path] of paths.entries()) {
      if (index % PATHS_IN_A_ROW === 0) await othersFirst();
      const [longest] = conflictsView(rivals.find(literalPath(repo, path)).map(({ lease }) => lease));
      if (longest) held.push({ path, ...longest });
    }
    return { enforce: this.isEnforced, checked: paths.length, mode, held };
  }

  private async listLive(caller: DaemonCaller) {
    return readLive(await this.tenants.run(caller, undefined, () => this.leases.listLive('path')));
  }
}
