import { Inject, Injectable } from '@nestjs/common';
import { hasScope, type DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
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
import { MintRequestNeeded } from './passports.problems.js';
import { PassportRowsService } from './passport-rows.service.js';
import { PassportsStore } from './passports.store.js';

/** Passports of a tenant: who may be named, who was seen, and who is refused from now on. */
@Injectable()
export class PassportsService {
  private readonly areAskedFor: boolean;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly rows: PassportRowsService,
    private readonly store: PassportsStore,
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
    return this.tenants.write(caller, request.tenant_id, () => this.rows.register(caller, request));
  }

  list(caller: DaemonCaller, { tenant_id, ...query }: PassportQuery): Promise<PassportList> {
    return this.tenants.run(caller, tenant_id, () => this.rows.list(query));
  }

  listSeen(caller: DaemonCaller, { within_seconds, limit, cursor }: PresenceQuery): Promise<PresenceList> {
    const after = decodeCursor(cursor, ['text']);
    return this.tenants.run(caller, undefined, async () => {
      const rows = await this.store.listSeen(within_seconds, after ?? [], limit + 1);
      const { page, has_more, next_cursor } = takePage(rows, limit, ({ passport_id }) => [passport_id]);
      const presence = page.map(({ first_seen_at, last_seen_at, ...row }) => ({
        ...row,
        first_seen_at: first_seen_at.toISOString(),
        last_seen_at: last_seen_at.toISOString(),
      }));
      return { presence, count: page.length, has_more, next_cursor };
    });
  }

  /** @throws PassportNotRegistered */
  read(caller: DaemonCaller, passportId: string): Promise<PassportReply> {
    return this.tenants.run(caller, undefined, () => this.rows.read(passportId));
  }

  /** @throws PassportNotRegistered */
  revoke(caller: DaemonCaller, passportId: string, request: RevokePassport): Promise<RevokedPassport> {
    const { tenant_id, reason } = request;
    return this.tenants.write(caller, tenant_id, () => this.rows.revoke(caller, passportId, reason));
  }
}
