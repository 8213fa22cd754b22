import { Inject, Injectable } from '@nestjs/common';
import { readBuild } from '../common/build-info.js';
import { ALL_SET } from '../common/contract/tool-sets.js';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import { describeCapabilities, type Capabilities, type ServedAs } from './tools/capabilities.js';
import { ToolCatalog } from './tools/tool-catalog.service.js';

/** What this service can be called for: the same for every caller, as long as the process lives. */
@Injectable()
export class ToolCapabilitiesService {
  private readonly served: ServedAs;

  constructor(
    private readonly catalog: ToolCatalog,
    @Inject(SETTINGS) { tools, outbox }: Settings,
  ) {
    this.served = {
      version: readBuild().version,
      callsPerMinute: tools.rateLimit,
      ...(outbox.natsUrl === undefined ? {} : { natsSubject: tools.natsSubject }),
    };
  }

  /** @throws ValidationFailed for a set that there is not */
  async read(set = ALL_SET): Promise<Capabilities> {
    return describeCapabilities(await this.catalog.toolsOf(set), this.served);
  }
}
