import { Inject, Injectable } from '@nestjs/common';
import { hasScope, type DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import type { QuotaSurface } from '../../../common/config/daemon/quota-surfaces.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { MissingScope } from '../../../common/problem/daemon-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { Quota, SurfaceQuota } from './quota.dto.js';

interface Bucket {
  surface: string;
  used: number;
  resets_at: Date;
}

/** What is left of the quotas of a passport. Looking takes nothing. */
@Injectable()
export class QuotaService {
  private readonly surfaces: readonly QuotaSurface[];

  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    @Inject(SETTINGS) { daemon }: Settings,
  ) {
    this.surfaces = daemon.quotaSurfaces;
  }

  /** @throws MissingScope for another passport without admin:read */
  read(caller: DaemonCaller, passport: string | undefined): Promise<Quota> {
    const principal = passport === undefined ? caller.principal : `passport:${passport}`;
    if (principal !== caller.principal && !hasScope(caller, 'admin:read'))
      throw new MissingScope({ missingAnyScope: ['admin:read'] }, 'The quota of another passport takes admin:read');
    return this.tenants.run(caller, undefined, async () => {
      const buckets = await this.tenancy.query<Bucket>(BUCKETS, [
        ...[this.tenancy.tenant, principal, JSON.stringify(this.surfaces)],
      ]);
      const byName = new Map(buckets.map((bucket) => [bucket.surface, bucket]));
      const surfaces = this.surfaces.map((one) => quotaOf(one, byName.get(one.surface)!));
      return { schema: 'svc.quota/1', principal, tenant_id: this.tenancy.tenant, surfaces };
    });
  }
}

const quotaOf = ({ surface, limit, windowSeconds }: QuotaSurface, { used, resets_at }: Bucket): SurfaceQuota => ({
  ...{ surface, limit, window_seconds: windowSeconds, used, remaining: Math.max(0, limit - used) },
  resets_at: resets_at.toISOString(),
});

const BUCKETS = `
  with now as (select clock_timestamp() as at), listed as (
    select s.surface, s."windowSeconds" as seconds,
      to_timestamp(floor(extract(epoch from now.at) / s."windowSeconds") * s."windowSeconds") as starts
    from now, json_to_recordset($3::json) s (surface text, "windowSeconds" int)
  )
  select l.surface, coalesce(w.used, 0) as used, l.starts + make_interval(secs => l.seconds) as resets_at
  from listed l left join quota_window w on w.tenant_id = $1 and w.principal = $2 and w.surface = l.surface
    and w.window_seconds = l.seconds and w.window_start = l.starts`;
