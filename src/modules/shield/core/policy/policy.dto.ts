import { Flag, Integer, Nested, Text } from '../../../../common/fields/fields.js';
import { SPEND_WINDOW_SECONDS } from './policy.entity.js';
import type { PolicySettings } from '../shield.types.js';

const ABOUT = {
  requireServerId:
    'Whether every call that changes something must name its server in x-shield-server-id: 403 missing_server_id without. Calls of the tool service do.',
  requireToolDigest:
    'Whether every call that changes something must name its tool definition in x-shield-tool-digest: 403 missing_tool_digest without. Calls of the tool service do.',
  requireRegistered:
    'Whether a server or a tool definition that is named by a call that changes something must be registered with this tenant: an invented name is refused, 403 unregistered_server or unregistered_digest. The tools of the tool service count as registered.',
  requireUiIntegrity:
    'Whether an approval request can be resolved only with a UI-integrity session: 403 UiIntegrityRequired without.',
  spendWindow:
    'What a principal may spend before it needs approvals, whatever one call costs; null: only the threshold of one call holds.',
};

export class SpendWindow {
  @Integer({ about: 'Credits. A call that would make it more needs an approval.', min: 0, max: 1_000_000_000 })
  credits!: number;

  @Integer({ about: 'Spent within so many seconds before a call, and by it.', min: 1, max: SPEND_WINDOW_SECONDS })
  seconds!: number;
}

/** The members as they are set. */
export class Policy implements PolicySettings {
  @Flag({ about: ABOUT.requireServerId })
  requireServerId!: boolean;

  @Flag({ about: ABOUT.requireToolDigest })
  requireToolDigest!: boolean;

  @Flag({ about: ABOUT.requireRegistered })
  requireRegistered!: boolean;

  @Flag({ about: ABOUT.requireUiIntegrity })
  requireUiIntegrity!: boolean;

  @Nested({ about: ABOUT.spendWindow, type: () => SpendWindow, nullable: true })
  spendWindow!: SpendWindow | null;
}

export class ShieldPolicy extends Policy {
  @Integer({ about: 'Counts every change of policy, trust and kill switches.', min: 1 })
  policyVersion!: number;
}

export class PolicyRequest {
  @Flag({ about: ABOUT.requireServerId, optional: true, example: false })
  requireServerId?: boolean;

  @Flag({ about: ABOUT.requireToolDigest, optional: true })
  requireToolDigest?: boolean;

  @Flag({ about: ABOUT.requireRegistered, optional: true })
  requireRegistered?: boolean;

  @Flag({ about: ABOUT.requireUiIntegrity, optional: true })
  requireUiIntegrity?: boolean;

  @Nested({
    about: ABOUT.spendWindow,
    type: () => SpendWindow,
    optional: true,
    nullable: true,
    example: { credits: 500, seconds: 3600 },
  })
  spendWindow?: SpendWindow | null;

  @Text({ about: 'Why it is changed.', min: 1, max: 1000 })
  reason!: string;
}
