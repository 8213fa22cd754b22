import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

/** Seconds of the window, which slides (memory-daemon.md 8). */
export const WINDOW_SECONDS = 60;

interface Taken {
  admitted: boolean;
  /** Seconds until the oldest call of a full window leaves it. */
  wait: number;
}

/** Calls of the last minute by extension and caller, for all processes together. */
@Injectable()
export class ExtensionWindowsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * Takes one call, in the open unit of work, unless the window has as many already.
   * @returns seconds to wait; 0 where it may go on
   */
  async take(extensionId: string, principal: string, limit: number): Promise<number> {
    const { tenant } = this.tenancy;
    const takenBy = (await this.fingerprintOf(principal)) ?? principal;
    // Its own statement: the next one sees what whoever held it has written.
    await this.tenancy.lock('extension call', extensionId, takenBy);
    const [taken] = await this.tenancy.query<Taken>(TAKE, [
      ...[tenant, extensionId, takenBy, limit, WINDOW_SECONDS, randomUUID()],
    ]);
    return taken!.admitted ? 0 : Math.max(1, taken!.wait);
  }

  /** Of the key of the passport, so that two passports with one key are one caller. */
  private async fingerprintOf(principal: string): Promise<string | null> {
    const [, passport] = /^passport:(.+)$/.exec(principal) ?? [];
    if (passport === undefined) return null;
    const [row] = await this.tenancy.query<{ fingerprint: string | null }>(
      'select fingerprint from passport where tenant_id = $1 and passport_id = $2 and attested',
      [this.tenancy.tenant, passport],
    );
    return row?.fingerprint ?? null;
  }
}

const TAKE = `
  with seen as (
    select called_at, row_number() over (order by called_at desc) as place from extension_call
    where tenant_id = $1 and extension_id = $2 and taken_by = $3
      and called_at > clock_timestamp() - make_interval(secs => $5)
  ), taken as (
    insert into extension_call (tenant_id, extension_id, taken_by, call_id)
      select $1, $2, $3, $6::uuid where (select count(*) from seen) < $4::int returning 1
  )
  select exists(select from taken) as admitted, coalesce((select
    ceil(extract(epoch from called_at + make_interval(secs => $5) - clock_timestamp()))::int from seen where place = $4::int), 1) as wait`;
