import { tool } from '../../../common/contract/tool-declaration.js';
import { PublishDossier } from './dossier.dto.js';
import { DossiersPath, DossierStored } from './dossiers.dto.js';

export const DOSSIER_TOOLS = [
  tool('publish_dossier', {
    title: 'Publish a dossier',
    description:
      'Says what you found out about a project, as claims of which each names what it rests on: facts, layers, passages, receipts, work items, with the place and blake3 digest of the words. Whoever reads it sees at once which claims no longer stand. Keep claim_id the same from dossier to dossier, so that they can be compared. An anchor that names nothing is refused; a claim without one is shown as unsupported. All members are needed; stats may be {}.',
    route: 'POST /v1/projects/:id/dossiers',
    path: DossiersPath,
    body: PublishDossier,
    answer: DossierStored,
    isRead: false,
    isIdempotent: true,
    names: { id: 'project_id' },
  }),
];
