import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import type { InstallItem } from './studio.dto.js';
import type { StudioPackage } from './studio.types.js';

/** Event and receipt of an install. All installs of a tenant are one chain. */
export const installedEntry = (
  { id, version, digest, source }: StudioPackage,
  projectId: string | null,
  items: readonly InstallItem[],
): AuditEntry => ({
  kind: 'studio.installed',
  subject: id,
  facts: { packageId: id, version, digest, source, projectId, items: items.map((item) => ({ ...item })) },
  stream: 'studio',
});
