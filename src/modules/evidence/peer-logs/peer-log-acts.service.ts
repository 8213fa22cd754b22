import { Injectable } from '@nestjs/common';
import { logName } from '../../../evidence/checkpoint.js';
import { type Actor, AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { PeerHeads } from './peer-heads.service.js';
import { peerLogEntry } from './peer-logs.events.js';
import { PeerLogUnknown } from './peer-logs.problems.js';
import { PeerLogsStore } from './peer-logs.store.js';
import type { PeerLog, PeerName } from './peer-logs.types.js';

/** A log with the peers that have it. */
export interface WatchedLog extends PeerLog {
  readonly peers: readonly PeerName[];
  /** Why it is not cosigned; null where it is. */
  readonly notCosigned: string | null;
}

export interface ClearRequest {
  /** The origin or the name of the log, or its id where several have that name. */
  readonly log: string;
  readonly reason: string;
  /** The next head is taken whatever was seen before; nothing is cosigned under this origin any more. */
  readonly isForgotten: boolean;
}

/** What an operator sees of the logs of peers, and does when one is out of order. */
@Injectable()
export class PeerLogActs {
  constructor(
    private readonly crossTenant: CrossTenant,
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
    private readonly heads: PeerHeads,
  ) {}

  list(): Promise<WatchedLog[]> {
    return this.crossTenant.run('list peer logs', async (query) => {
      const store = new PeerLogsStore(query);
      const watched: WatchedLog[] = [];
      for (const log of await store.list()) {
        const witness = await this.heads.findWitness(query, log, log.head?.origin ?? log.name);
        const notCosigned = typeof witness === 'string' ? witness : null;
        watched.push({ ...log, peers: await store.listPeers(log.logId), notCosigned });
      }
      return watched;
    });
  }

  /**
   * Says that an operator has looked at a log that was out of order: exchange with its peers goes on. The receipts come
   * first, so that there is no clearing without them.
   * @returns the logs as they were
   * @throws PeerLogUnknown where no such log is out of order
   */
  async clear(by: Actor, { log: wanted, reason, isForgotten }: ClearRequest): Promise<PeerLog[]> {
    const stopped = (await this.list()).filter((log) => log.state !== 'ok' && isMeant(log, wanted));
    if (stopped.length === 0)
      throw new PeerLogUnknown({ origin: wanted }, 'No log of this name is out of order; svc peer-log list shows them');
    for (const log of stopped) {
      const origin = log.head?.origin ?? log.name;
      const facts = { log: log.name, origin, formerState: log.state, formerReason: log.reason, reason };
      for (const { tenantId, peerId } of log.peers)
        await this.tenancy.run(tenantId, () =>
          this.audit.record(by, peerLogEntry('cleared', peerId, { ...facts, forgotten: isForgotten })),
        );
      await this.crossTenant.run('clear peer log', (query) =>
        new PeerLogsStore(query).clear(log.logId, by.principal, isForgotten ? origin : null),
      );
    }
    return stopped;
  }
}

const isMeant = ({ logId, name, head }: PeerLog, wanted: string): boolean =>
  [logId, name, head?.origin].includes(wanted) || logName(wanted) === name;
