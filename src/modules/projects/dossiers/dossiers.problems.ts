import { problem } from '../../../common/problem/problem.js';

export class DossierUnknown extends problem<{ dossier_id: string }>(
  404,
  'DossierUnknown',
  'The project has no such dossier',
) {}

/** What was published is not changed. */
export class DossierExists extends problem<{ dossier_id: string; content_hash: string }>(
  409,
  'DossierExists',
  'There is another dossier of this id',
) {}
