import { Inject, Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { LeasesService } from '../leases/leases.service.js';
import { PathLeasesService } from '../leases/path-leases.service.js';
import type { LeaseRow } from '../leases/leases.types.js';
import type { AcquiredPunchcard } from './punchcard-replies.dto.js';
import type { AcquirePunchcard } from './punchcards.dto.js';
import { PunchcardHeld, PunchcardLimit } from './punchcards.problems.js';
import { conflictsOf, limitReached, mayActFor, passportOf, readLive, resourceAt } from './punchcards.rules.js';
import type { Asked, LiveCard } from './punchcards.types.js';
import { conflictsView, describeConflicts, punchcardOf } from './punchcards.views.js';

/**
 * Acquires punchcards. Whoever acquires holds the lock of the tenant's paths, so that of two that conflict the second
 * sees the first.
 */
@Injectable()
export class PunchcardsService {
  private readonly isEnforced: boolean;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly leases: LeasesService,
    private readonly paths: PathLeasesService,
    @Inject(SETTINGS) { flags }: Settings,
  ) {
    this.isEnforced = flags.punchcard === 'enforce';
  }

  /** @throws ValidationFailed, PunchcardHeld, PunchcardLimit */
  acquire(caller: DaemonCaller, request: AcquirePunchcard): Promise<AcquiredPunchcard> {
    const holder = request.holder_passport ?? passportOf(caller);
    const asked = { resource: resourceAt('body.resource', request.resource), mode: request.mode, holder };
    return this.tenants.write(caller, request.tenant_id, async () => {
      await this.leases.lockPaths();
      await this.leases.endDue(caller, { kind: 'path' });
      const live = readLive(await this.leases.listLive('path'));
      const conflicts = conflictsOf(live, asked);
      if (this.isEnforced && conflicts.length > 0) throw heldBy(asked, conflicts);
      const own = live.find(({ lease }) => lease.subject === asked.resource.text && lease.holderPassport === holder);
      // By the name of its holder alone nobody gets another's fence.
      if (this.isEnforced && own && !mayActFor(own.lease, caller)) throw heldBy(asked, [own.lease]);
      const lease = own
        ? await this.extend(caller, own.lease, request)
        : await this.grant(caller, asked, live, request);
      return {
        ...punchcardOf(lease, await this.paths.readClock(), own !== undefined),
        error: conflicts.length === 0 ? null : describeConflicts(conflicts),
        conflicts: conflictsView(conflicts),
      };
    });
  }

  private async extend(caller: DaemonCaller, lease: LeaseRow, request: AcquirePunchcard): Promise<LeaseRow> {
    const isStronger = request.mode === 'write' && lease.mode === 'read';
    return this.leases.renew(caller, isStronger ? await this.paths.strengthen(lease) : lease, request.ttl_secs);
  }

  /** @throws PunchcardLimit */
  private grant(caller: DaemonCaller, asked: Asked, live: LiveCard[], request: AcquirePunchcard): Promise<LeaseRow> {
    const { resource, mode, holder } = asked;
    const reached = limitReached(live, holder);
    if (reached)
      throw new PunchcardLimit(
        reached,
        `This ${reached.of} holds ${reached.limit} punchcards, and no more are granted. Release some, or hold a folder in place of its files`,
      );
    return this.leases.grant(caller, {
      kind: 'path',
      subject: resource.text,
      ...{ mode, holder },
      heldBy: passportOf(caller),
      ttlSeconds: request.ttl_secs,
      reason: request.reason ?? null,
    });
  }
}

const heldBy = ({ resource, mode }: Asked, conflicts: LeaseRow[]): PunchcardHeld =>
  new PunchcardHeld(
    { resource: resource.text, mode, conflicts: conflictsView(conflicts) },
    `${describeConflicts(conflicts)}. Wait until then, agree with the holder, or acquire something else`,
  );
