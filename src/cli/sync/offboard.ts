import { OPERATOR } from '../../common/evidence-log/audit-trail.js';
import type { Offboarded } from '../../modules/memory/sync/sync-answers.dto.js';
import { SyncOffboardService } from '../../modules/memory/sync/sync-offboard.service.js';
import { checkTenant } from '../memory/tenant-there.js';
import { asOperator } from '../operator.js';
import { report } from '../output.js';

/** In as many units of work as it takes. @throws UserError */
export const leavePeers = (tenantId: string, isDryRun: boolean): Promise<Offboarded> =>
  asOperator(async (services) => {
    await checkTenant(services, tenantId);
    const service = services.get(SyncOffboardService);
    const first = await service.offboard(OPERATOR, tenantId, { dry_run: isDryRun });
    if (isDryRun) return { ...first, removed_count: first.removed_count + first.remaining_count, remaining_count: 0 };
    let all = first;
    while (all.remaining_count > 0) {
      report(`${all.removed_count} records are removed, ${all.remaining_count} are left`);
      const next = await service.offboard(OPERATOR, tenantId, { dry_run: false });
      const ended_peers = [...all.ended_peers, ...next.ended_peers];
      all = { ...next, ended_peers, removed_count: all.removed_count + next.removed_count };
    }
    return all;
  });
