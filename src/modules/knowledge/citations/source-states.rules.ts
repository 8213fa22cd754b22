import { blake3Digest } from '../../../evidence/digest.js';
import type { VisibleChunk } from './citations.types.js';
import type { DriftCategory, PassageNow, PassageThen, SourceState } from './source-states.types.js';

/** What the tenant sees of a passage's document now. */
export interface SeenDocument {
  version: number | null;
  standing: VisibleChunk | null;
  /** It is the tenant's own, and an incident has it set aside. */
  quarantined?: boolean;
}

/** Holds a passage against its document as the tenant sees it now. */
export function passageNow(then: PassageThen, seen: SeenDocument, tenantId: string): PassageNow {
  const { version, standing } = seen;
  const state = stateOf(version, standing);
  return { state, version, standing, drift: driftOf(then, state, { ...seen, tenantId }) };
}

function stateOf(version: number | null, standing: VisibleChunk | null): SourceState {
  if (version === null) return 'unavailable';
  if (!standing) return 'drifted';
  return blake3Digest(standing.content) === standing.contentHash ? 'holds' : 'unknown';
}

/** For another tenant's document the result does not say whether it was deleted or is no longer shared. */
function driftOf(
  then: PassageThen,
  state: SourceState,
  { standing, quarantined, tenantId }: SeenDocument & { tenantId: string },
): DriftCategory[] {
  if (state === 'drifted') return ['source_changed'];
  if (state === 'unavailable' && quarantined) return ['quarantined'];
  if (state === 'unavailable') return [then.ownerTenantId === tenantId ? 'source_deleted' : 'access_lost'];
  return isRenamed(then, standing!) ? ['metadata_changed'] : [];
}

const isRenamed = ({ title, url }: PassageThen, now: VisibleChunk): boolean =>
  (title !== undefined && title !== now.title) || (url !== undefined && url !== now.url);
