import { Inject, Injectable } from '@nestjs/common';
import { readBuild } from '../common/build-info.js';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import type { Capabilities } from './tools/capabilities.js';
import { ToolRegistry } from './tools/tool-registry.js';

/** What this service can be called for: the same for every caller, as long as the process lives. */
@Injectable()
export class CapabilitiesService {
  readonly all: Capabilities;

  constructor(registry: ToolRegistry, @Inject(SETTINGS) { tools, outbox }: Settings) {
    this.all = registry.capabilities({
      version: readBuild().version,
      callsPerMinute: tools.rateLimit,
      ...(outbox.natsUrl === undefined ? {} : { natsSubject: tools.natsSubject }),
    });
  }
}
