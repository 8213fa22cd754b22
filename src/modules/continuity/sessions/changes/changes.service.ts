import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { WatchesService, type NamedAlert } from '../../watches/watches.service.js';
import { ChangeTextsService } from './change-texts.service.js';
import type { AlertOfChange, ChangeList, ChangesQuery, HomeChange } from './changes.dto.js';
import type { FoundChange } from './changes.types.js';
import { ChangesViews } from './changes.views.js';

/** What has changed for an agent. */
@Injectable()
export class ChangesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly changes: ChangesViews,
    private readonly watches: WatchesService,
    private readonly texts: ChangeTextsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  list({ tenantId }: TenantCaller, agentId: string, { since, limit, cursor }: ChangesQuery): Promise<ChangeList> {
    const after = decodeCursor(cursor, ['integer', 'text', 'text']);
    const filter = { since, withAlerts: this.settings.features.watches };
    return this.tenancy.run(tenantId, async () => {
      const rows = await this.changes.find(agentId, filter, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, ({ at, type, id }) => [at, type, id]);
      const alerts = await this.readAlerts(page);
      // What an erasure has removed is not there any more.
      const kept = page.filter(({ watchId, id }) => watchId === null || alerts.has(id));
      return { changes: kept.map((row) => changeOf(row, alerts)), next_cursor };
    });
  }

  private async readAlerts(page: readonly FoundChange[]): Promise<Map<string, AlertOfChange>> {
    const named: NamedAlert[] = page.flatMap(({ watchId, id }) => (watchId === null ? [] : [{ watchId, alertId: id }]));
    const alerts = await this.watches.readAlerts(named);
    const texts = await this.texts.find(alerts);
    return new Map(alerts.map((alert) => [alert.alertId, { ...alert, texts: texts.get(alert.alertId) ?? [] }]));
  }
}

function changeOf(row: FoundChange, alerts: ReadonlyMap<string, AlertOfChange>): HomeChange {
  const { at, type, id, answer, proof } = row;
  return {
    type,
    at: new Date(Math.floor(at / 1000)).toISOString(),
    alert: alerts.get(id) ?? null,
    answer: answer && { ...answer, retiredVersion: answer.version - 1 },
    proof,
  };
}
