import { Module } from '@nestjs/common';
import { WitnessKeys } from '../../../common/evidence-log/witness-keys.js';
import { IncidentOpeningsModule } from '../../governance/incidents/incident-openings.module.js';
import { OwnHeads } from './own-heads.service.js';
import { PeerAlarms } from './peer-alarms.service.js';
import { PeerExchange } from './peer-exchange.service.js';
import { PeerHeads } from './peer-heads.service.js';
import { PeerLogActs } from './peer-log-acts.service.js';
import { PeerLogs } from './peer-logs.service.js';

/** What watches the logs of peers; for the daemon and for `svc peer-log`. */
@Module({
  imports: [IncidentOpeningsModule],
  providers: [WitnessKeys, PeerHeads, PeerAlarms, PeerLogs, OwnHeads, PeerExchange, PeerLogActs],
  exports: [PeerHeads, PeerAlarms, PeerLogs, OwnHeads, PeerExchange, PeerLogActs],
})
export class PeerLogServicesModule {}
