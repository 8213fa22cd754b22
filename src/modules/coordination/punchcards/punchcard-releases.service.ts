import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { FenceStale } from '../../../common/problem/daemon-problems.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { FenceCheckService } from '../leases/fence-check.service.js';
import { holderOf, LeasesService } from '../leases/leases.service.js';
import type { LeaseRow } from '../leases/leases.types.js';
import { PathLeasesService } from '../leases/path-leases.service.js';
import type { PunchcardReply } from './punchcard-replies.dto.js';
import type { ForceReleasePunchcard, ReleasePunchcard, RenewPunchcard } from './punchcards.dto.js';
import { PunchcardNotFound } from './punchcards.problems.js';
import { isHolder, passportOf, resourceAt } from './punchcards.rules.js';
import { punchcardOf } from './punchcards.views.js';

/** Makes punchcards last longer, and ends them, under the lock of the tenant's paths. */
@Injectable()
export class PunchcardReleasesService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly leases: LeasesService,
    private readonly paths: PathLeasesService,
    private readonly fences: FenceCheckService,
  ) {}

  /** @throws PunchcardNotFound, FenceStale, LeaseEnded */
  renew(
    caller: DaemonCaller,
    id: string,
    how: RenewPunchcard & { fence?: number | undefined },
  ): Promise<PunchcardReply> {
    return this.change(caller, async () => {
      const card = await this.readById(id);
      await this.checkFence(how.fence, card);
      if (!isHolder(card, how.holder_passport, caller)) throw notYours(card);
      return this.leases.renew(caller, card, how.ttl_secs);
    });
  }

  /** @throws ValidationFailed, PunchcardNotFound, FenceStale */
  release(caller: DaemonCaller, request: ReleasePunchcard, fence: number | undefined): Promise<PunchcardReply> {
    const { id, resource, holder_passport: holder, release_commit_sha: releaseCommitSha } = request;
    const subject = resource === undefined ? undefined : resourceAt('body.resource', resource).text;
    if (id === undefined && subject === undefined) throw invalid('body.id', 'is needed, or resource: what to release');
    return this.change(caller, async () => {
      const own = (card: LeaseRow) => isHolder(card, holder, caller);
      const card = id === undefined ? await this.readBySubject(subject!, own) : await this.readById(id);
      if (subject !== undefined && card.subject !== subject)
        throw invalid(
          'body.resource',
          `is not that of this punchcard, which is ${card.subject}; leave one of the two out`,
        );
      await this.checkFence(fence, card);
      if (!own(card)) throw notYours(card);
      return this.leases.end(caller, await this.checkLive(card), 'released', { releaseCommitSha });
    });
  }

  /** @throws ValidationFailed, PunchcardNotFound */
  force(caller: DaemonCaller, id: string, request: ForceReleasePunchcard): Promise<PunchcardReply> {
    const { confirm, by_passport: byPassport = passportOf(caller) } = request;
    const reason = request.reason?.trim() ?? '';
    if (confirm !== true)
      throw invalid('body.confirm', 'must be true: the holder goes on working and does not know that it is ended');
    if (reason === '') throw invalid('body.reason', 'is needed: say why, for whoever reads the receipt');
    return this.change(caller, async () => {
      const card = await this.checkLive(await this.readById(id));
      return this.leases.end(caller, card, 'forced', { reason, byPassport });
    });
  }

  private change(caller: DaemonCaller, work: () => Promise<LeaseRow>): Promise<PunchcardReply> {
    return this.tenants.write(caller, undefined, async () => {
      await this.leases.lockPaths();
      const changed = await work();
      return { punchcard: punchcardOf(changed, await this.paths.readClock()) };
    });
  }

  private async readById(id: string): Promise<LeaseRow> {
    const card = await this.leases.readById(id);
    if (card?.kind === 'path') return card;
    throw new PunchcardNotFound({}, `No punchcard has the id ${id}; GET /v1/punchcards lists them`);
  }

  private async readBySubject(subject: string, isOwn: (card: LeaseRow) => boolean): Promise<LeaseRow> {
    const live = (await this.leases.listLive('path')).filter((card) => card.subject === subject);
    const card = live.find(isOwn) ?? live[0];
    if (card) return card;
    throw new PunchcardNotFound({}, `Nobody holds ${subject}; GET /v1/punchcards?status=held lists what is held`);
  }

  /** @throws FenceStale also where the fence is of another punchcard of the same resource */
  private async checkFence(fence: number | undefined, card: LeaseRow): Promise<void> {
    await this.fences.check(fence, { kind: 'path', subject: card.subject });
    if (fence === undefined || fence === card.fence) return;
    const newer = card.fence > fence ? holderOf(card) : null;
    throw new FenceStale({ fence, newer }, `This punchcard has the fence ${card.fence}; nothing was changed`);
  }

  private async checkLive(card: LeaseRow): Promise<LeaseRow> {
    const { status } = punchcardOf(card, await this.paths.readClock());
    if (status === 'held') return card;
    throw new PunchcardNotFound({}, `This punchcard has ended: it is ${status}. There is nothing to release`);
  }
}

const notYours = ({ holderPassport }: LeaseRow): PunchcardNotFound =>
  new PunchcardNotFound(
    {},
    `This punchcard is of ${holderPassport}. A credential without a passport may send that as holder_passport; others end it by force-release`,
  );
