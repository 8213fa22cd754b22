import { Injectable } from '@nestjs/common';
import { AuditTrail, type Actor } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { PeerRowsService } from '../../memory/peers/peer-rows.service.js';
import type { PassportRow } from './passport.entity.js';
import type { PassportList, PassportQuery, PassportReply, RegisterPassport, RevokedPassport } from './passports.dto.js';
import { passportChange } from './passports.events.js';
import { PassportNotRegistered } from './passports.problems.js';
import { keyIn } from './passports.rules.js';
import { PassportRegistry } from './passport-registry.service.js';
import { PassportsStore } from './passports.store.js';
import type { PassportDraft } from './passports.types.js';
import { passportOf } from './passports.views.js';

/** The path segments below /v1/passports that no passport can be called. */
const TAKEN = ['presence'];

/** Passports of the open unit of work's tenant, for callers of the daemon and for the command line. */
@Injectable()
export class PassportRowsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly registry: PassportRegistry,
    private readonly store: PassportsStore,
    private readonly peers: PeerRowsService,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws ValidationFailed, PassportKnown */
  async register(by: Actor, request: Omit<RegisterPassport, 'tenant_id'>): Promise<PassportReply> {
    return { passport: passportOf(await this.registry.register(by, this.draftOf(request))) };
  }

  async list({ kind, state, limit, cursor }: Omit<PassportQuery, 'tenant_id'>): Promise<PassportList> {
    const rows = await this.store.list({ kind, state }, decodeCursor(cursor, ['text']), limit + 1);
    const { page, has_more, next_cursor } = takePage(rows, limit, ({ passportId }) => [passportId]);
    return { passports: page.map(passportOf), count: page.length, has_more, next_cursor };
  }

  /** @throws PassportNotRegistered */
  async read(passportId: string): Promise<PassportReply> {
    return { passport: passportOf(found(passportId, await this.store.find(passportId))) };
  }

  /**
   * From the commit on, what the passport held is over for every reader; every process refuses it within a second and
   * ends what it has open for it.
   * @throws PassportNotRegistered
   */
  async revoke(by: Actor, passportId: string, reason: string | undefined): Promise<RevokedPassport> {
    const row = found(passportId, await this.store.find(passportId, 'no key update'));
    if (row.revokedAt !== null) return { passport: passportOf(row), revoked: false, ended: NOTHING };
    const held = await this.store.countHeld(passportId);
    const ended = { ...held, peers: await this.peers.revokeAddedBy(by, `passport:${passportId}`) };
    await this.store.revoke(passportId, by.principal, reason);
    await this.audit.record(by, passportChange('revoked', row, { ended, ...(reason !== undefined && { reason }) }));
    return { passport: passportOf((await this.store.find(passportId))!), revoked: true, ended };
  }

  /** @throws ValidationFailed naming the member */
  draftOf(request: Omit<RegisterPassport, 'tenant_id'>): PassportDraft {
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
    `Nobody registered ${passportId}; GET /v1/passports lists those that are, POST /v1/passports registers one`,
  );
}
