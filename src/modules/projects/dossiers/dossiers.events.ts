import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import type { DossierRow } from './dossier.entity.js';

type Published = Pick<
  DossierRow,
  'projectId' | 'dossierId' | 'agentPassport' | 'generatedAtUnixMs' | 'origin' | 'contentHash' | 'claims'
>;

/** Event and receipt of it: the digest of what it says, never the words. One stream for the dossiers of a project. */
export const dossierPublished = ({ claims, ...row }: Published): AuditEntry => ({
  kind: 'dossier.published',
  subject: row.dossierId,
  facts: {
    ...{ projectId: row.projectId, dossierId: row.dossierId, agentPassport: row.agentPassport, origin: row.origin },
    ...{ generatedAtUnixMs: row.generatedAtUnixMs, claimCount: claims.length, contentHash: row.contentHash },
  },
  stream: `dossiers/${row.projectId}`,
});
