import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { SourceStatesService } from '../../knowledge/citations/source-states.service.js';
import type { PassageNow } from '../../knowledge/citations/source-states.types.js';
import type { StalePin } from './continuity.types.js';
import { HomesStore } from './journal/homes.store.js';
import type { StalePinList, StalePinRecord } from './stale-pins.dto.js';
import { changeOf, isStale, revisionOf } from './stale-pins.rules.js';
import { StalePinsStore, type PinPosition, type RestingPin } from './stale-pins.store.js';

/** Pins that are looked at together. */
const BATCH = 100;

/** A pin and what has become of each of its passages. */
interface LookedAt {
  pin: RestingPin;
  passages: PassageNow[];
}

/** Pins whose source does not hold any more; looked up each time, nothing of it is stored. */
@Injectable()
export class StalePinsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly homes: HomesStore,
    private readonly store: StalePinsStore,
    private readonly states: SourceStatesService,
  ) {}

  list(caller: TenantCaller, agentId: string, { limit, cursor }: PageQuery): Promise<StalePinList> {
    const after = decodeCursor(cursor, ['text', 'text', 'integer']);
    return this.tenancy.run(caller.tenantId, async () => {
      const homeId = await this.homes.find(agentId);
      const rows = homeId === undefined ? [] : await this.find(homeId, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.kind, row.name, row.ordinal]);
      return { stale_pins: page.map(recordOf), next_cursor };
    });
  }

  /** The first stale pins after a position, by kind, name and ordinal. Needs an open unit of work. */
  async find(homeId: string, after: PinPosition | undefined, limit: number): Promise<StalePin[]> {
    const found: LookedAt[] = [];
    for await (const stale of this.lookAtBatches(homeId, after)) {
      found.push(...stale);
      if (found.length >= limit) break;
    }
    return this.describe(homeId, found.slice(0, limit));
  }

  /** How many pins are stale. Needs an open unit of work. */
  async count(homeId: string): Promise<number> {
    let pins = 0;
    for await (const stale of this.lookAtBatches(homeId, undefined)) pins += stale.length;
    return pins;
  }

  private async *lookAtBatches(homeId: string, from: PinPosition | undefined): AsyncGenerator<LookedAt[]> {
    let after = from;
    for (;;) {
      const pins = await this.store.findPins(homeId, after, BATCH);
      const passages = await this.states.look(pins.flatMap((pin) => pin.passages));
      let next = 0;
      const looked = pins.map((pin) => ({ pin, passages: passages.slice(next, (next += pin.passages.length)) }));
      yield looked.filter((one) => one.pin.revision !== null || one.passages.some(isStale));
      const last = pins.at(-1);
      if (!last || pins.length < BATCH) return;
      after = [last.kind, last.name, last.ordinal];
    }
  }

  private async describe(homeId: string, found: readonly LookedAt[]): Promise<StalePin[]> {
    const stale = found.flatMap(({ pin, passages }) =>
      passages.flatMap((now, index) =>
        isStale(now)
          ? [
              {
                pin,
                now,
                kind: pin.kind,
                name: pin.name,
                ordinal: pin.ordinal,
                position: pin.passages[index]!.position,
              },
            ]
          : [],
      ),
    );
    const details = await this.store.describe(homeId, stale);
    const changes = Map.groupBy(
      stale.map(({ pin, now }, index) => ({ pin, change: changeOf(now, details[index]!) })),
      ({ pin }) => pin,
    );
    return found.map(({ pin }) => {
      const { passages: _passages, revision: _revision, ...rest } = pin;
      return { ...rest, changes: [...revisionOf(pin), ...(changes.get(pin) ?? []).map(({ change }) => change)] };
    });
  }
}

export const recordOf = ({ ordinal: _, pinnedAt, ...pin }: StalePin): StalePinRecord => ({
  ...pin,
  pinnedAt: pinnedAt.toISOString(),
});
