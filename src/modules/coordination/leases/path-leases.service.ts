import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { LeasesStore } from './leases.store.js';
import type { LeaseStatus } from './lease-states.types.js';
import type { LeaseRow } from './leases.types.js';

/** Which path leases a list shows; what is undefined does not filter. */
export interface PathLeaseFilter {
  /** As it is stored. */
  subject: string | undefined;
  holderPassport: string | undefined;
  /** Whoever holds it, or asked for it. */
  holder: string | undefined;
  status: LeaseStatus | undefined;
}

/** What only leases of paths need, within the open unit of work. */
@Injectable()
export class PathLeasesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: LeasesStore,
  ) {}

  /** The newest first, live or not. @param after the fence of the last one of the page before */
  list(filter: PathLeaseFilter, page: { after: number | undefined; take: number }): Promise<LeaseRow[]> {
    const { subject, holderPassport, holder, status } = filter;
    const query = this.store.rows.select(
      'lease',
      {
        kind: 'path',
        ...(subject === undefined ? {} : { subject }),
        ...(holderPassport === undefined ? {} : { holderPassport }),
      },
      { order: { fence: 'desc' }, take: page.take, after: page.after === undefined ? undefined : [page.after] },
    );
    if (holder !== undefined)
      query.andWhere('(lease.holder_passport = :holder or lease.held_by = :holder)', { holder });
    if (status !== undefined) query.andWhere(STATUS[status], { status });
    return query.getMany();
  }

  /** Makes a lease that reads one that writes. The caller has made sure that nothing stands in its way. */
  strengthen({ fence }: LeaseRow): Promise<LeaseRow> {
    return this.store.rows.updateOne({ fence, status: 'held' }, { mode: 'write' });
  }

  /** The database's clock, by which a lease is live or not. */
  async readClock(): Promise<Date> {
    const [row] = await this.tenancy.query<{ now: Date }>('select clock_timestamp() as now');
    return row!.now;
  }
}

/** Of what is shown: what is past its time has expired, whether or not its row says so yet. */
const STATUS: Record<LeaseStatus, string> = {
  held: `lease.status = 'held' and lease.expires_at > clock_timestamp()`,
  expired: `(lease.status = 'expired' or (lease.status = 'held' and lease.expires_at <= clock_timestamp()))`,
  released: 'lease.status = :status',
  forced: 'lease.status = :status',
};
