import { TOOL_SET_NAMES } from '../../../common/contract/tool-sets.js';
import type { TenantSettings } from './tenant-settings.dto.js';
import type { TenantSettingRow } from './tenant-setting.entity.js';

/** A set that there is no more counts as none. @param row undefined where the tenant never set anything */
export function toSettings(row: Pick<TenantSettingRow, 'toolSet'> | undefined): TenantSettings {
  const toolSet = row?.toolSet ?? null;
  return { toolSet: toolSet !== null && TOOL_SET_NAMES.includes(toolSet) ? toolSet : null };
}
