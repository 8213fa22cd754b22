import type { Extension } from './extensions.dto.js';
import type { ExtensionRow } from './extension.entity.js';

export const extensionOf = (row: ExtensionRow): Extension => ({
  extension_id: row.extensionId,
  display_name: row.displayName,
  description: row.description,
  kind: row.kind,
  digest: row.digest,
  module_bytes: row.moduleBytes,
  tool: row.tool,
  arguments: row.arguments,
  enabled: row.enabledAt !== null,
  registered_by: row.registeredBy,
  registered_at: row.registeredAt.toISOString(),
  enabled_at: row.enabledAt?.toISOString() ?? null,
  changed_by: row.changedBy,
});
