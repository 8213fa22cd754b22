import { Inject, Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { checkNamedWitness } from '../../../common/evidence-log/witness-key-file.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { HandedCosignatures } from './handed-cosignatures.service.js';
import { PeerAlarms } from './peer-alarms.service.js';
import { PeerLogServicesModule } from './peer-log-services.module.js';
import { PeerLogsController } from './peer-logs.controller.js';
import { PeerWatch } from './peer-watch.service.js';
import { PeerWitness } from './peer-witness.service.js';

const ALARMS_MS = 10_000;

/**
 * This server as a witness of its peers' logs (D51): verifies that each head extends the last one, cosigns it (C2SP
 * tlog-witness), and stops what is exchanged with a peer whose log was forked or rolled back.
 */
@Module({
  imports: [PeerLogServicesModule],
  controllers: [PeerLogsController],
  providers: [PeerWitness, HandedCosignatures, PeerWatch],
})
export class PeerLogsModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly scheduler: Scheduler,
    private readonly alarms: PeerAlarms,
  ) {}

  /** @throws SettingsInvalid so that a daemon that could cosign nothing does not start */
  onModuleInit(): void {
    checkNamedWitness(this.settings);
  }

  onApplicationBootstrap(): void {
    this.scheduler.every('peer_log_alarms', ALARMS_MS, () => this.alarms.raiseAll());
  }
}
