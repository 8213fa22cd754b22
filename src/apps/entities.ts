import { SyncPeerRow } from '../modules/memory/peers/sync-peer.entity.js';
import { AgentRow } from '../modules/access/agents/agent.entity.js';
import { AccessRequestChangeRow } from '../modules/access/frontdoor/access-requests/access-request-change.entity.js';
import { AccessRequestRow } from '../modules/access/frontdoor/access-requests/access-request.entity.js';
import { ApiKeyRow } from '../modules/access/seats/api-keys/api-key.entity.js';
import { SeatEventRow } from '../modules/access/seats/seat-event.entity.js';
import { ScimGroupRow } from '../modules/access/scim/scim-group.entity.js';
import { ScimMemberRow } from '../modules/access/scim/scim-member.entity.js';
import { ScimUserRow } from '../modules/access/scim/scim-user.entity.js';
import { SeatRow } from '../modules/access/seats/seat.entity.js';
import { TenantSettingRow } from '../modules/access/tenant-settings/tenant-setting.entity.js';
import { FeedbackRequestChangeRow } from '../modules/continuity/feedback/feedback-request-change.entity.js';
import { FeedbackRequestRow } from '../modules/continuity/feedback/feedback-request.entity.js';
import { FeedbackVoteRow } from '../modules/continuity/feedback/feedback-vote.entity.js';
import { RevenueDeclarationChangeRow } from '../modules/continuity/feedback/revenue-declaration-change.entity.js';
import { RevenueDeclarationRow } from '../modules/continuity/feedback/revenue-declaration.entity.js';
import { SurveyResponseRow } from '../modules/continuity/feedback/survey-response.entity.js';
import { WatchAlertRow } from '../modules/continuity/watches/watch-alert.entity.js';
import { WatchSeenRow } from '../modules/continuity/watches/watch-seen.entity.js';
import { WatchSourceRow } from '../modules/continuity/watches/watch-source.entity.js';
import { WatchRow } from '../modules/continuity/watches/watch.entity.js';
import { IntentRow } from '../modules/coordination/intents/intent.entity.js';
import { LeaseRow } from '../modules/coordination/leases/lease.entity.js';
import { OrchestratorMemberRow } from '../modules/coordination/orchestrators/orchestrator-member.entity.js';
import { OrchestratorRow } from '../modules/coordination/orchestrators/orchestrator.entity.js';
import { GatePolicyRow } from '../modules/coordination/work/gates/gate-policy.entity.js';
import { WorkGateRow } from '../modules/coordination/work/gates/work-gate.entity.js';
import { ReplicatedSegmentRow } from '../modules/memory/replication/replicated-segment.entity.js';
import { CreditSpendingRow } from '../modules/operations/credits/credit-spending.entity.js';
import { IdentityLinkRow } from '../modules/operations/identity/identity-link.entity.js';
import { CommandRow } from '../modules/operations/workbench/command.entity.js';
import { WorkBlockerRow } from '../modules/coordination/work/work-blocker.entity.js';
import { WorkCommentRow } from '../modules/coordination/work/work-comment.entity.js';
import { WorkItemRow } from '../modules/coordination/work/work-item.entity.js';
import { WorkTransitionRow } from '../modules/coordination/work/work-transition.entity.js';
import { ObserveSessionRow } from '../modules/governance/observe/observe-session.entity.js';
import { ObserveStepRow } from '../modules/governance/observe/observe-step.entity.js';
import { PeerLogPeerRow } from '../modules/evidence/peer-logs/peer-log-peer.entity.js';
import { GithubDeliveryRow } from '../modules/operations/integrations/github-delivery.entity.js';
import { GithubIntegrationRow } from '../modules/operations/integrations/github-integration.entity.js';
import { GithubItemRow } from '../modules/operations/integrations/github-item.entity.js';
import { StudioInstallRow } from '../modules/operations/studio/studio-install.entity.js';
import { MintRequestRow } from '../modules/operations/passports/mint-request.entity.js';
import { PassportPresenceRow } from '../modules/operations/passports/passport-presence.entity.js';
import { ExtensionRow } from '../modules/operations/extensions/extension.entity.js';
import { PassportRow } from '../modules/operations/passports/passport.entity.js';
import { BundlePurchaseRow } from '../modules/economy/bundles/bundle-purchase.entity.js';
import { CapabilityAuditRow } from '../modules/memory/capabilities/capability-audit.entity.js';
import { BundleRow } from '../modules/economy/bundles/bundle.entity.js';
import { EntitlementRow } from '../modules/economy/bundles/entitlement.entity.js';
import { WebhookAttemptRow } from '../modules/events/outbox/webhooks/webhook-attempt.entity.js';
import { WebhookDeliveryRow } from '../modules/events/outbox/webhooks/webhook-delivery.entity.js';
import { WebhookEndpointRow } from '../modules/events/outbox/webhooks/webhook-endpoint.entity.js';
import { BlastRadiusRow } from '../modules/governance/incidents/blast-radius/blast-radius.entity.js';
import { RadiusEdgeRow } from '../modules/governance/incidents/blast-radius/radius-edge.entity.js';
import { RadiusNodeRow } from '../modules/governance/incidents/blast-radius/radius-node.entity.js';
import { MemoryCaseRow } from '../modules/memory/cases/memory-case.entity.js';
import { EngramLabelRow } from '../modules/memory/engrams/engram-label.entity.js';
import { IncidentRow } from '../modules/governance/incidents/incident.entity.js';
import { ErasureRequestRow } from '../modules/governance/erasure/erasure-request.entity.js';
import { ErasureRow } from '../modules/governance/erasure/erasure.entity.js';
import { LegalHoldRow } from '../modules/governance/legal-holds/legal-hold.entity.js';
import { CandidateRow } from '../modules/memory/candidates/candidate.entity.js';
import { ExtractionRow } from '../modules/memory/candidates/extraction.entity.js';
import { KillSwitchRow } from '../modules/shield/core/kill-switches/kill-switch.entity.js';
import { PolicyRow } from '../modules/shield/core/policy/policy.entity.js';
import { PublisherRow } from '../modules/shield/core/trust/publisher.entity.js';
import { ServerRow } from '../modules/shield/core/trust/server.entity.js';
import { ToolDigestRow } from '../modules/shield/core/trust/tool-digest.entity.js';
import { PlaneRow } from '../modules/projects/projects/plane.entity.js';
import { DossierAnchorRow } from '../modules/projects/dossiers/dossier-anchor.entity.js';
import { DossierRow } from '../modules/projects/dossiers/dossier.entity.js';
import { StorybookRow } from '../modules/projects/storybooks/storybook.entity.js';
import { ProjectPassportRow } from '../modules/projects/projects/project-passport.entity.js';
import { ProjectRepoRow } from '../modules/projects/projects/project-repo.entity.js';
import { WorkspaceScanRow } from '../modules/projects/workspace-scan/workspace-scan.entity.js';
import { ProjectRow } from '../modules/projects/projects/project.entity.js';
import { ProjectTenantRow } from '../modules/projects/projects/project-tenant.entity.js';

/** The rows that are read and written plainly by key, in every app. */
export const ENTITIES = [
  AccessRequestChangeRow,
  AccessRequestRow,
  AgentRow,
  ApiKeyRow,
  BlastRadiusRow,
  BundlePurchaseRow,
  BundleRow,
  CandidateRow,
  CapabilityAuditRow,
  EntitlementRow,
  ErasureRequestRow,
  ErasureRow,
  ExtensionRow,
  ExtractionRow,
  FeedbackRequestChangeRow,
  FeedbackRequestRow,
  FeedbackVoteRow,
  GatePolicyRow,
  EngramLabelRow,
  IncidentRow,
  MemoryCaseRow,
  IntentRow,
  KillSwitchRow,
  LeaseRow,
  LegalHoldRow,
  ObserveSessionRow,
  ObserveStepRow,
  OrchestratorMemberRow,
  OrchestratorRow,
  PeerLogPeerRow,
  GithubDeliveryRow,
  GithubIntegrationRow,
  GithubItemRow,
  MintRequestRow,
  StudioInstallRow,
  PassportPresenceRow,
  PassportRow,
  PlaneRow,
  PolicyRow,
  DossierAnchorRow,
  DossierRow,
  StorybookRow,
  ProjectPassportRow,
  ProjectRepoRow,
  ProjectRow,
  ProjectTenantRow,
  PublisherRow,
  RadiusEdgeRow,
  RadiusNodeRow,
  RevenueDeclarationChangeRow,
  RevenueDeclarationRow,
  SeatEventRow,
  ScimGroupRow,
  ScimMemberRow,
  ScimUserRow,
  SeatRow,
  ServerRow,
  SurveyResponseRow,
  SyncPeerRow,
  TenantSettingRow,
  ToolDigestRow,
  WatchAlertRow,
  WatchRow,
  WatchSeenRow,
  WatchSourceRow,
  WebhookAttemptRow,
  WebhookDeliveryRow,
  WebhookEndpointRow,
  CommandRow,
  ReplicatedSegmentRow,
  IdentityLinkRow,
  CreditSpendingRow,
  WorkBlockerRow,
  WorkCommentRow,
  WorkGateRow,
  WorkItemRow,
  WorkTransitionRow,
  WorkspaceScanRow,
];
