import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { eachInTurn } from '../../../common/scheduler/each-in-turn.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { IncidentOpenings } from '../../governance/incidents/incident-openings.service.js';
import { PeerLogPeerRow } from './peer-log-peer.entity.js';
import { peerLogEntry, WATCH } from './peer-logs.events.js';
import { PeerLogsStore } from './peer-logs.store.js';
import type { PeerLog } from './peer-logs.types.js';

const MAX_TITLE = 300;
/** Characters of a checkpoint in the notes. */
const MAX_SHOWN = 4_000;

/** Opens an incident in every tenant that has a peer whose log is out of order: once each time. */
@Injectable()
export class PeerAlarms {
  private readonly peers: TenantRepository<PeerLogPeerRow>;

  constructor(
    @Inject(LOG) private readonly log: Log,
    private readonly crossTenant: CrossTenant,
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
    private readonly incidents: IncidentOpenings,
  ) {
    this.peers = new TenantRepository(tenancy, PeerLogPeerRow);
  }

  /** Those that a process which was killed has left. */
  async raiseAll(): Promise<void> {
    const logs = await this.crossTenant.run('watch peer log', (query) => new PeerLogsStore(query).listUnalarmed());
    await eachInTurn(logs, (logId) => this.raise(logId));
  }

  async raise(logId: string): Promise<void> {
    const { log, peers } = await this.crossTenant.run('watch peer log', async (query) => {
      const store = new PeerLogsStore(query);
      return { log: await store.find(logId), peers: await store.listPeers(logId) };
    });
    if (!log || log.state === 'ok') return;
    await eachInTurn(peers, ({ tenantId, peerId }) => this.tenancy.run(tenantId, () => this.open(log, peerId)));
  }

  private async open(log: PeerLog, peerId: string): Promise<void> {
    const row = await this.peers.find({ peerId }, 'no key update');
    if (!row || row.alarmedSince?.getTime() === log.since!.getTime()) return;
    const origin = log.head?.origin ?? log.name;
    const { state, reason, since } = log;
    const { incidentId } = await this.incidents.open(WATCH, {
      title: `Log of peer ${peerId}: ${reason}`.slice(0, MAX_TITLE),
      severity: 'high',
      window: { from: since!, to: null },
      agentIds: [`peer:${peerId}`],
      notes: notesOf(log),
    });
    await this.peers.updateOne({ peerId }, { alarmedSince: since, incidentId });
    await this.audit.record(
      WATCH,
      peerLogEntry(state as 'split', peerId, { log: log.name, origin, reason, incidentId }),
    );
    this.log.error({ peer: peerId, origin, state, reason }, 'the log of a peer is out of order');
  }
}

/** With both heads: they are the evidence. */
const notesOf = ({ reason, checkpoint, contradiction }: PeerLog): string =>
  [
    `${reason}. Nothing is exchanged with the peer until an operator has looked at it (svc peer-log clear).`,
    ...(checkpoint === null ? [] : [`Seen before:\n${checkpoint.slice(0, MAX_SHOWN)}`]),
    ...(contradiction === null ? [] : [`Seen now:\n${contradiction.slice(0, MAX_SHOWN)}`]),
  ].join('\n\n');
