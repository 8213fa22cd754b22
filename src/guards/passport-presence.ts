import { Inject, Injectable } from '@nestjs/common';
import { boundedCache } from '../common/caches/bounded-cache.js';
import { LOG, type Log } from '../common/observability/log.js';
import { Tenancy } from '../common/tenancy/tenancy.js';

/** A passport is written down at most once in this time, whatever processes its requests reach. */
const PRESENCE_SECONDS = 30;
const MAX_PASSPORTS = 10_000;

/** Notes who was seen, after the request went on: nobody waits for it, and a note that fails is left out. */
@Injectable()
export class PassportPresence {
  private readonly noted = boundedCache<true>(MAX_PASSPORTS, PRESENCE_SECONDS * 1000);

  constructor(
    private readonly tenancy: Tenancy,
    @Inject(LOG) private readonly log: Log,
  ) {}

  note(tenantId: string, passport: string): void {
    const name = `${passport} ${tenantId}`;
    if (this.noted.has(name)) return;
    this.noted.set(name, true);
    this.write(tenantId, passport).then(
      (isNoted) => isNoted || this.noted.delete(name),
      (error: unknown) => {
        this.noted.delete(name);
        this.log.warn({ error, tenant: tenantId }, 'that a passport was seen could not be noted');
      },
    );
  }

  /** @returns whether there is a tenant: one that a first write is about to register has nobody in it yet */
  private write(tenantId: string, passport: string): Promise<boolean> {
    return this.tenancy.run(tenantId, async () => {
      const home = await this.tenancy.query(NOTE, [tenantId, passport, PRESENCE_SECONDS]);
      return home.length > 0;
    });
  }
}

const NOTE = `
  with home as (select tenant_id from tenant where tenant_id = $1 and state = 'active'), noted as (
    insert into passport_presence as seen (tenant_id, passport_id) select tenant_id, $2 from home
    on conflict (tenant_id, passport_id) do update set last_seen_at = now()
    where seen.last_seen_at < now() - make_interval(secs => $3)
  )
  select tenant_id from home`;
