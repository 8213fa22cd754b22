import type { BundleRow } from './bundle.entity.js';
import type { Bundle } from './bundles.dto.js';

/** A bundle as the catalogue shows it to the caller's tenant. */
export const toBundle = (row: BundleRow): Bundle => ({
  bundleId: row.bundleId,
  publisher: row.tenantId,
  title: row.title,
  description: row.description,
  corpora: row.corpora,
  priceCredits: row.priceCredits,
  documents: row.documents,
  entitled: row.entitled,
  publishedAt: row.publishedAt.toISOString(),
  updatedAt: row.changedAt.toISOString(),
});
