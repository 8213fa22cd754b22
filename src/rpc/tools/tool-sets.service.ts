import { Injectable } from '@nestjs/common';
import { DEFAULT_SET } from '../../common/contract/tool-sets.js';
import { ToolCallers } from '../../common/keys/tool-callers.js';
import { ToolSetChoices } from '../../modules/access/tenant-settings/tool-set-choices.service.js';
import type { Peer } from '../peer.js';
import { BEARERS_TAKEN } from '../tool-caller.guard.js';

/** Which set of tools a client of the Model Context Protocol is shown: what it asks for, or what its tenant chose. */
@Injectable()
export class ToolSets {
  constructor(
    private readonly callers: ToolCallers,
    private readonly choices: ToolSetChoices,
  ) {}

  /** @throws Unauthorized where the tenant is not active */
  async of({ toolSet, credential, transport }: Peer): Promise<string> {
    if (toolSet !== undefined) return toolSet;
    const caller = await this.callers.find(credential, BEARERS_TAKEN[transport]);
    return caller ? this.choices.of(caller.tenantId) : DEFAULT_SET;
  }
}
