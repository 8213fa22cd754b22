import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Listener } from '../common/database/listener.js';
import { TtlCache } from '../common/database/ttl-cache.js';
import { LOG, type Log } from '../common/observability/log.js';
import { PassportRevoked } from '../common/problem/daemon-problems.js';
import { PRINCIPAL_ENDED, principalIn } from '../common/tenancy/principal-ended.js';
import { Tenancy } from '../common/tenancy/tenancy.js';

/** NOTIFY of a passport that was registered, with the payload of PRINCIPAL_ENDED. */
const PASSPORT_REGISTERED = 'svc_passport_registered';
const PASSPORT = 'passport:';

interface Standing {
  standing: 'unregistered' | 'registered' | 'revoked';
  /** Whoever registered it proved to have its key. */
  attested: boolean;
}

/** Something that is open for a passport in a tenant, and ends with it. */
interface Followed {
  readonly tenantId: string;
  readonly passport: string;
  readonly end: () => void;
}

/**
 * How the passports of requests stand in a tenant, in this process. One that is revoked by any process is refused here
 * within a second, and what is open for it ends (D71): whoever keeps something open for longer than a request follows
 * its passport. Where nobody registered a passport, it is accepted.
 */
@Injectable()
export class PassportStandings implements OnModuleDestroy {
  private readonly known: TtlCache<Standing>;
  private readonly followed = new Set<Followed>();
  private readonly stops: (() => void)[];

  constructor(
    listener: Listener,
    private readonly tenancy: Tenancy,
    @Inject(LOG) private readonly log: Log,
  ) {
    const isAbout = (payload: string, _: Standing, name: string): boolean => nameIn(payload) === name;
    this.known = new TtlCache(listener, PRINCIPAL_ENDED, isAbout, { [PASSPORT_REGISTERED]: isAbout });
    this.stops = [
      listener.on(PRINCIPAL_ENDED, (payload) => this.endOf(nameIn(payload))),
      listener.onGap(() => this.followed.forEach((one) => this.endIfRevoked(one))),
    ];
  }

  onModuleDestroy(): void {
    for (const stop of this.stops) stop();
  }

  /** @throws PassportRevoked */
  async check(tenantId: string, passport: string | undefined): Promise<void> {
    if (passport === undefined || !(await this.isRevoked(tenantId, passport))) return;
    throw new PassportRevoked(
      { passport_id: passport },
      `The passport ${passport} was revoked in ${tenantId} and stays so; register another one and use that`,
    );
  }

  /** Whether somebody registered the passport and nobody proved to have its key. */
  async isUnattested(tenantId: string, passport: string): Promise<boolean> {
    const { standing, attested } = await this.find(tenantId, passport);
    return standing === 'registered' && !attested;
  }

  /**
   * @param end called once the passport is revoked, by whichever process; at once where that was already
   * @returns how to stop, which whoever is ended calls as well
   */
  follow(tenantId: string, passport: string, end: () => void): () => void {
    const followed = { tenantId, passport, end };
    this.followed.add(followed);
    this.endIfRevoked(followed);
    return () => this.followed.delete(followed);
  }

  private async isRevoked(tenantId: string, passport: string): Promise<boolean> {
    return (await this.find(tenantId, passport)).standing === 'revoked';
  }

  private async find(tenantId: string, passport: string): Promise<Standing> {
    const name = nameOf(tenantId, passport);
    const known = this.known.get(name);
    if (known) return known;
    const ask = () => this.tenancy.call<Standing>('select * from svc_find_passport($1, $2)', [tenantId, passport]);
    return (await this.known.ask(name, async () => (await ask())[0]))!;
  }

  private endOf(name: string | undefined): void {
    for (const one of this.followed) if (nameOf(one.tenantId, one.passport) === name) one.end();
  }

  private endIfRevoked({ tenantId, passport, end }: Followed): void {
    this.isRevoked(tenantId, passport).then(
      (isRevoked) => isRevoked && end(),
      (error: unknown) => this.log.warn({ error, tenant: tenantId, passport }, 'a passport could not be looked at'),
    );
  }
}

/** No passport has a blank in it. */
const nameOf = (tenantId: string, passport: string): string => `${passport} ${tenantId}`;

function nameIn(payload: string): string | undefined {
  const { tenant, principal } = principalIn(payload);
  return principal.startsWith(PASSPORT) ? nameOf(tenant, principal.slice(PASSPORT.length)) : undefined;
}
