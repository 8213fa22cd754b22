import { Inject, Injectable } from '@nestjs/common';
import { hasScope, type DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { PeerRowsService } from '../../memory/peers/peer-rows.service.js';
import type { PassportRow } from './passport.entity.js';
import type {
  PassportList,
  PassportQuery,
  PassportReply,
  PresenceList,
  PresenceQuery,
  RegisterPassport,
  RevokedPassport,
  RevokePassport,
} from './passports.dto.js';
import { passportChange } from './passports.events.js';
import { MintRequestNeeded, PassportNotRegistered } from './passports.problems.js';
import { keyIn } from './passports.rules.js';
import { PassportRegistry } from './passport-registry.service.js';
import { PassportsStore } from './passports.store.js';
import type { PassportDraft } from './passports.types.js';
import { passportOf } from './passports.views.js';

/** The path segments below /v1/passports that no passport can be called. */
const TAKEN = ['presence'];

/** Passports of a tenant: who may be named, who was seen, and who is refused from now on. */
@Injectable()
export class PassportsService {
  private readonly areAskedFor: boolean;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly registry: PassportRegistry,
    private readonly store: PassportsStore,
    private readonly peers: PeerRowsService,
    private readonly audit: AuditTrail,
    @Inject(SETTINGS) { flags }: Settings,
  ) {
    this.areAskedFor = flags.mintRequests;
  }

  /** @throws ValidationFailed, PassportKnown, MintRequestNeeded */
  register(caller: DaemonCaller, request: RegisterPassport): Promise<PassportReply> {
    if (this.areAskedFor && !hasScope(caller, 'admin:write'))
      throw new MintRequestNeeded(
        {},
        'POST /v1/passport/mint-requests asks for one; with SVCD_FEATURE_PASSPORT_MINT_REQUESTS=1 registering takes admin:write',
      );
    return this.tenants.write(caller, request.tenant_id, async () => {
      const row = await this.registry.register(caller, this.draftOf(request));
      return { passport: passportOf(row) };
    });
  }

  list(caller: DaemonCaller, { tenant_id, kind, state, limit, cursor }: PassportQuery): Promise<PassportList> {
    const after = decodeCursor(cursor, ['text']);
    return this.tenants.run(caller, tenant_id, async () => {
      const rows = await this.store.list({ kind, state }, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, ({ passportId }) => [passportId]);
      return { passports: page.map(passportOf), count: page.length, has_more: next_cursor !== null, next_cursor };
    });
  }

  listSeen(caller: DaemonCaller, { within_seconds, limit, cursor }: PresenceQuery): Promise<PresenceList> {
    const after = decodeCursor(cursor, ['text']);
    return this.tenants.run(caller, undefined, async () => {
      const rows = await this.store.listSeen(within_seconds, after ?? [], limit + 1);
      const { page, next_cursor } = takePage(rows, limit, ({ passport_id }) => [passport_id]);
      const presence = page.map(({ first_seen_at, last_seen_at, ...row }) => ({
        ...row,
        first_seen_at: first_seen_at.toISOString(),
        last_seen_at: last_seen_at.toISOString(),
      }));
      return { presence, count: page.length, has_more: next_cursor !== null, next_cursor };
    });
  }

  /** @throws PassportNotRegistered */
  read(caller: DaemonCaller, passportId: string): Promise<PassportReply> {
    return this.tenants.run(caller, undefined, async () => ({
      passport: passportOf(found(passportId, await this.store.find(passportId))),
    }));
  }

  /**
   * From the commit on, what the passport held is over for every reader; every process refuses it within a second and
   * ends what it has open for it.
   * @throws PassportNotRegistered
   */
  revoke(caller: DaemonCaller, passportId: string, request: RevokePassport): Promise<RevokedPassport> {
    const { tenant_id, reason } = request;
    return this.tenants.write(caller, tenant_id, async () => {
      const row = found(passportId, await this.store.find(passportId, 'no key update'));
      if (row.revokedAt !== null) return { passport: passportOf(row), revoked: false, ended: NOTHING };
      const held = await this.store.countHeld(passportId);
      const ended = { ...held, peers: await this.peers.revokeAddedBy(caller, `passport:${passportId}`) };
      await this.store.revoke(passportId, caller.principal, reason);
      await this.audit.record(
        caller,
        passportChange('revoked', row, { ended, ...(reason !== undefined && { reason }) }),
      );
      return { passport: passportOf((await this.store.find(passportId))!), revoked: true, ended };
    });
  }

  /** In the open unit of work. @throws ValidationFailed naming the member */
  draftOf(request: RegisterPassport): PassportDraft {
    const { passport_id: passportId, display_name: displayName = passportId, kind } = request;
    if (TAKEN.includes(passportId))
      throw invalid('body.passport_id', `is an address below /v1/passports; choose another`);
    const key = keyIn(this.tenancy.tenant, passportId, request);
    if ('fault' in key) throw invalid(`body.${key.member}`, key.fault);
    return { passportId, displayName, kind, ...key };
  }
}

const NOTHING = { leases: 0, gates: 0, intents: 0, peers: 0 };

/** @throws PassportNotRegistered */
function found(passportId: string, row: PassportRow | undefined): PassportRow {
  if (row) return row;
  throw new PassportNotRegistered(
    { passport_id: passportId },
    'GET /v1/passports lists those that are; POST /v1/passports registers one',
  );
}
