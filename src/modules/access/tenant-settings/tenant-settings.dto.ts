import { TOOL_SET_NAMES } from '../../../common/contract/tool-sets.js';
import { Choice } from '../../../common/fields/fields.js';

const TOOL_SET =
  'The set of tools that MCP clients are shown which name none themselves; null: the default set. A tool that is not shown can still be called.';

export class TenantSettings {
  @Choice({ about: TOOL_SET, values: TOOL_SET_NAMES, nullable: true })
  toolSet!: string | null;
}

export class TenantSettingsRequest {
  @Choice({ about: TOOL_SET, values: TOOL_SET_NAMES, nullable: true, example: 'memory' })
  toolSet!: string | null;
}
