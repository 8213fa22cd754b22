import type { StudioInstallRow } from './studio-install.entity.js';
import type { InstalledPackage, LibraryPackage } from './studio.dto.js';
import type { StudioItemType, StudioPackage } from './studio.types.js';

export function packageOf(found: StudioPackage, rows: readonly StudioInstallRow[]): LibraryPackage {
  const { id, version, title, description, source, digest, items } = found;
  const named = (type: StudioItemType): string[] => items.filter((item) => item.type === type).map(({ name }) => name);
  return {
    ...{ id, version, title, description, source, digest },
    ...{ engrams: named('engram'), kinds: named('kind'), layers: named('layer') },
    installed: rows.map(installedOf),
    update_available: rows.some((row) => row.digest !== digest),
  };
}

const installedOf = (row: StudioInstallRow): InstalledPackage => ({
  project_id: row.projectId === '' ? null : row.projectId,
  version: row.version,
  digest: row.digest,
  installed_by: row.installedBy,
  installed_at: row.installedAt.toISOString(),
  receipt_id: row.receiptId,
});
