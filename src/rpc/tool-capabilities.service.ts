import { Inject, Injectable } from '@nestjs/common';
import { readBuild } from '../common/build-info.js';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import { describeCapabilities, type Capabilities, type ServedAs } from './tools/capabilities.js';
import { ToolCatalog } from './tools/tool-catalog.service.js';
import { ToolRegistry } from './tools/tool-registry.js';

/** What this service can be called for: the same for every caller, as long as the process lives. */
@Injectable()
export class ToolCapabilitiesService {
  /** The tools of the tenant API. */
  readonly all: Capabilities;
  private readonly served: ServedAs;

  constructor(
    registry: ToolRegistry,
    private readonly catalog: ToolCatalog,
    @Inject(SETTINGS) { tools, outbox }: Settings,
  ) {
    this.served = {
      version: readBuild().version,
      callsPerMinute: tools.rateLimit,
      ...(outbox.natsUrl === undefined ? {} : { natsSubject: tools.natsSubject }),
    };
    this.all = registry.capabilities(this.served);
  }

  /** @throws ValidationFailed for a set that there is not */
  async read(set: string | undefined): Promise<Capabilities> {
    return set === undefined ? this.all : describeCapabilities(await this.catalog.toolsOf(set), this.served);
  }
}
