import type { IntentRow } from './intent.entity.js';
import type { Intent, IntentOverlap } from './intents.dto.js';
import type { Meeting } from './intents.rules.js';

export const intentOf = (row: IntentRow): Intent => ({
  intent_id: row.intentId,
  session_id: row.sessionId,
  project_id: row.projectId,
  by_passport: row.byPassport,
  execplan_slug: row.execplanSlug,
  milestone: row.milestone,
  deploy_target: row.deployTarget,
  paths: row.paths,
  note: row.note,
  ttl_seconds: Math.round((row.expiresAt.getTime() - row.announcedAt.getTime()) / 1000),
  announced_at: row.announcedAt.toISOString(),
  expires_at: row.expiresAt.toISOString(),
});

export const overlapOf = (peer: IntentRow, meeting: Meeting): IntentOverlap => ({
  session_id: peer.sessionId,
  by_passport: peer.byPassport,
  ...meeting,
  since: peer.since.toISOString(),
  expires_at: peer.expiresAt.toISOString(),
});
