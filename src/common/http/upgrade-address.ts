import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { PublicAddress } from './public-address.js';

/**
 * Where an agent or a tenant without credits is sent: SVC_UPGRADE_URL, else the page where this server is asked for
 * access.
 */
@Injectable()
export class UpgradeAddress {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly publicAddress: PublicAddress,
  ) {}

  get url(): string {
    return this.settings.agents.upgradeUrl ?? this.publicAddress.urlOf('/frontdoor/request-access');
  }
}
