import { CreateFoundation1795200000000 } from './1795200000000-create-foundation.js';
import { CreateEvidence1795200050000 } from './1795200050000-create-evidence.js';
import { CreateRetrievalIndex1795200100000 } from './1795200100000-create-retrieval-index.js';
import { CreateVectors1795200100100 } from './1795200100100-create-vectors.js';
import { CreateIngest1795200200000 } from './1795200200000-create-ingest.js';
import { CreateAnswers1795200200400 } from './1795200200400-create-answers.js';
import { CreateProofUpstreamClaims1795200200410 } from './1795200200410-create-proof-upstream-claims.js';
import { CreateProofs1795200200420 } from './1795200200420-create-proofs.js';
import { EndSharingWithRetirement1795200200500 } from './1795200200500-end-sharing-with-retirement.js';
import { CreateSessions1795260000000 } from './1795260000000-create-sessions.js';
import { CreateMail1795261000000 } from './1795261000000-create-mail.js';
import { CreateThrottle1795261100000 } from './1795261100000-create-throttle.js';
import { CreateAccessRequests1795261200000 } from './1795261200000-create-access-requests.js';
import { CreateSeatHistory1795262000000 } from './1795262000000-create-seat-history.js';
import { CreateAgents1795263000000 } from './1795263000000-create-agents.js';
import { CreateLedger1795264000000 } from './1795264000000-create-ledger.js';
import { CreateConversions1795264100000 } from './1795264100000-create-conversions.js';
import { CreateBundles1795264200000 } from './1795264200000-create-bundles.js';
import { CreateShield1795265000000 } from './1795265000000-create-shield.js';
import { CreateEventDelivery1795266000000 } from './1795266000000-create-event-delivery.js';
import { CreateWatches1795266100000 } from './1795266100000-create-watches.js';
import { CreateHomes1795267000000 } from './1795267000000-create-homes.js';
import { CreateFeedback1795267100000 } from './1795267100000-create-feedback.js';
import { NameApprovalStatus1795268000000 } from './1795268000000-name-approval-status.js';
import { EndInvitations1795268100000 } from './1795268100000-end-invitations.js';
import { FindKeysByPrefix1795268200000 } from './1795268200000-find-keys-by-prefix.js';
import { AdmitToolCalls1795270000000 } from './1795270000000-admit-tool-calls.js';
import { CreateFacts1795300000000 } from './1795300000000-create-facts.js';
import { CreateFactIndex1795301000000 } from './1795301000000-create-fact-index.js';
import { CreateGraph1795302000000 } from './1795302000000-create-graph.js';
import { CreateRelations1795302100000 } from './1795302100000-create-relations.js';
import { CreateStreams1795303000000 } from './1795303000000-create-streams.js';
import { CreateSealedSegments1795303100000 } from './1795303100000-create-sealed-segments.js';
import { CreateResultEnvelopes1795303200000 } from './1795303200000-create-result-envelopes.js';
import { StoreGraphLists1795303300000 } from './1795303300000-store-graph-lists.js';
import { ListReceipts1795304000000 } from './1795304000000-list-receipts.js';
import { FindNewestBySubject1795304100000 } from './1795304100000-find-newest-by-subject.js';
import { CreateCorruptionFindings1795305000000 } from './1795305000000-create-corruption-findings.js';
import { CreateSyncNonces1795305100000 } from './1795305100000-create-sync-nonces.js';
import { FindKeysByLookup1795400400000 } from './1795400400000-find-keys-by-lookup.js';
import { RegisterTenants1795400500000 } from './1795400500000-register-tenants.js';
import { ReadFactIndexAtOneSnapshot1795400600000 } from './1795400600000-read-fact-index-at-one-snapshot.js';
import { SearchVectorsInRelaxedOrder1795400700000 } from './1795400700000-search-vectors-in-relaxed-order.js';
import { RecordSqlFunctions1795400800000 } from './1795400800000-record-sql-functions.js';
import { RecordWhatProofsCharge1795400900000 } from './1795400900000-record-what-proofs-charge.js';
import { EmitEntitlements1795400950000 } from './1795400950000-emit-entitlements.js';
import { FindWatchesByTarget1795401000000 } from './1795401000000-find-watches-by-target.js';
import { IndexConversionsByState1795402000000 } from './1795402000000-index-conversions-by-state.js';
import { CreateSurveys1795403000000 } from './1795403000000-create-surveys.js';
import { ManageTenants1795404000000 } from './1795404000000-manage-tenants.js';
import { SetShieldPolicies1795405000000 } from './1795405000000-set-shield-policies.js';
import { KeepSemanticProfiles1795406000000 } from './1795406000000-keep-semantic-profiles.js';
import { ChainSigningKeys1795407000000 } from './1795407000000-chain-signing-keys.js';
import { CreateLogEpochs1795408000000 } from './1795408000000-create-log-epochs.js';
import { BindFacts1795410000000 } from './1795410000000-bind-facts.js';
import { KeepEvidenceLooks1795411000000 } from './1795411000000-keep-evidence-looks.js';
import { KeepCosignedHeads1795413000000 } from './1795413000000-keep-cosigned-heads.js';
import { NameEs256Keys1795420000000 } from './1795420000000-name-es256-keys.js';
import { KeepTimestamps1795421000000 } from './1795421000000-keep-timestamps.js';
import { CreateWork1795431000000 } from './1795431000000-create-work.js';
import { CreateWorkGates1795431100000 } from './1795431100000-create-work-gates.js';
import { RecordAssignees1795431200000 } from './1795431200000-record-assignees.js';
import { CreateLeases1795432000000 } from './1795432000000-create-leases.js';
import { IndexClaimableWork1795432100000 } from './1795432100000-index-claimable-work.js';
import { CreateOrchestrators1795434000000 } from './1795434000000-create-orchestrators.js';
import { FindCoordinationEvents1795434500000 } from './1795434500000-find-coordination-events.js';
import { ClaimTogether1795504000000 } from './1795504000000-claim-together.js';
import { CreateObservation1795520000000 } from './1795520000000-create-observation.js';
import { CreateIncidents1795530000000 } from './1795530000000-create-incidents.js';
import { FindWhatRestsOn1795530100000 } from './1795530100000-find-what-rests-on.js';
import { CreateLegalHolds1795540000000 } from './1795540000000-create-legal-holds.js';
import { CreateErasures1795550000000 } from './1795550000000-create-erasures.js';
import { PinObservation1795560000000 } from './1795560000000-pin-observation.js';
import { CreateCandidates1795610000000 } from './1795610000000-create-candidates.js';
import { CreateEngramLabels1795630000000 } from './1795630000000-create-engram-labels.js';
import { CreateCapabilityAudits1795640000000 } from './1795640000000-create-capability-audits.js';
import { CreateMemoryVectors1795650000000 } from './1795650000000-create-memory-vectors.js';
import { CreateMemoryCases1795660000000 } from './1795660000000-create-memory-cases.js';
import { RunErasures1795670000000 } from './1795670000000-run-erasures.js';
import { PinByStatement1795671000000 } from './1795671000000-pin-by-statement.js';
import { SaltSteps1795672000000 } from './1795672000000-salt-steps.js';
import { EmbedCases1795680000000 } from './1795680000000-embed-cases.js';
import { EmbedEngramsAndCandidates1795690000000 } from './1795690000000-embed-engrams-and-candidates.js';
import { QuarantineCases1795691000000 } from './1795691000000-quarantine-cases.js';
import { NoteTruncations1795691100000 } from './1795691100000-note-truncations.js';
import { CreateProjects1795700000000 } from './1795700000000-create-projects.js';
import { CreateWorkspaceScans1795710000000 } from './1795710000000-create-workspace-scans.js';
import { CreateStorybooks1795720000000 } from './1795720000000-create-storybooks.js';
import { CreateTenantSync1795800000000 } from './1795800000000-create-tenant-sync.js';
import { OrderSyncIndexes1795800100000 } from './1795800100000-order-sync-indexes.js';
import { RetireFactsTogether1795800200000 } from './1795800200000-retire-facts-together.js';
import { CreateSyncPeers1795801000000 } from './1795801000000-create-sync-peers.js';
import { CreatePeerLogs1795802000000 } from './1795802000000-create-peer-logs.js';
import { CreateSyncExchanges1795804000000 } from './1795804000000-create-sync-exchanges.js';
import { CreatePassports1795810000000 } from './1795810000000-create-passports.js';
import { CreateUsage1795810100000 } from './1795810100000-create-usage.js';
import { CreateQuota1795810200000 } from './1795810200000-create-quota.js';
import { CreateCommandLedger1795811000000 } from './1795811000000-create-command-ledger.js';
import { KeepSyncTrees1795820000000 } from './1795820000000-keep-sync-trees.js';
import { CreateReplicatedSegments1795830000000 } from './1795830000000-create-replicated-segments.js';
import { CreateCreditSpendings1795840000000 } from './1795840000000-create-credit-spendings.js';
import { CreateIdentityLinks1795840100000 } from './1795840100000-create-identity-links.js';
import { CreateGithubIntegrations1795850000000 } from './1795850000000-create-github-integrations.js';
import { CreateStudioInstalls1795850100000 } from './1795850100000-create-studio-installs.js';
import { CreateExtensions1795860000000 } from './1795860000000-create-extensions.js';
import { SaltSpendingNotes1795880000000 } from './1795880000000-salt-spending-notes.js';
import { IndexChangesOfAgents1795901000000 } from './1795901000000-index-changes-of-agents.js';
import { ListAgents1795901100000 } from './1795901100000-list-agents.js';
import { KeepSourcesOfFacts1795902000000 } from './1795902000000-keep-sources-of-facts.js';
import { CountActorsOfFacts1795902100000 } from './1795902100000-count-actors-of-facts.js';
import { CreateTenantSettings1795903000000 } from './1795903000000-create-tenant-settings.js';
import { CreateIngestFiles1795910000000 } from './1795910000000-create-ingest-files.js';
import { LocatePassages1795911000000 } from './1795911000000-locate-passages.js';
import { CreateScimUsers1795918000000 } from './1795918000000-create-scim-users.js';
import { CreateScimGroups1795921000000 } from './1795921000000-create-scim-groups.js';
import { RecordCompatibility1795924000000 } from './1795924000000-record-compatibility.js';
import { WriteVersionsOnce1795925000000 } from './1795925000000-write-versions-once.js';
import { BindIngestsTogether1795926000000 } from './1795926000000-bind-ingests-together.js';
import { AdmitToolCallsTogether1795927000000 } from './1795927000000-admit-tool-calls-together.js';
import { KeepLedgersAsLines1795928000000 } from './1795928000000-keep-ledgers-as-lines.js';
import { RecordRetrievalsAtOnce1795929000000 } from './1795929000000-record-retrievals-at-once.js';
import { HoldIdempotencyKeysAtOnce1795930000000 } from './1795930000000-hold-idempotency-keys-at-once.js';
import { ReadSmallSegmentsWhole1795931000000 } from './1795931000000-read-small-segments-whole.js';
import { FindConcernedWatches1795932000000 } from './1795932000000-find-concerned-watches.js';
import { CompareAddressesInAscii1795934000000 } from './1795934000000-compare-addresses-in-ascii.js';
import { CountCompactedFacts1795935000000 } from './1795935000000-count-compacted-facts.js';
import { KeepPlacesOfErasedSegments1795936000000 } from './1795936000000-keep-places-of-erased-segments.js';
import { SpaceAttemptsOfErasures1795937000000 } from './1795937000000-space-attempts-of-erasures.js';
import { KeepAccountsFromPublic1795937100000 } from './1795937100000-keep-accounts-from-public.js';
import { RememberRestores1795938000000 } from './1795938000000-remember-restores.js';
import { KeepEarlierSecrets1795938100000 } from './1795938100000-keep-earlier-secrets.js';
import { CountReadingsOfFiles1795939000000 } from './1795939000000-count-readings-of-files.js';
import { KeepSubjectsOfTokens1795940000000 } from './1795940000000-keep-subjects-of-tokens.js';
import { RememberUsedNonces1795943000000 } from './1795943000000-remember-used-nonces.js';
import { TakeTurnsAtPeerLogs1795945100000 } from './1795945100000-take-turns-at-peer-logs.js';
import { KeepOwnersOfWork1795945300000 } from './1795945300000-keep-owners-of-work.js';
import { LeaveGatedClaimsOut1795945310000 } from './1795945310000-leave-gated-claims-out.js';
import { DropUncalledFunctions1795946000000 } from './1795946000000-drop-uncalled-functions.js';
import { ReadStoppingSwitches1795947000000 } from './1795947000000-read-stopping-switches.js';

/** Every migration, oldest first. A landed one is never edited. */
export const MIGRATIONS = [
  CreateFoundation1795200000000,
  CreateEvidence1795200050000,
  CreateRetrievalIndex1795200100000,
  CreateVectors1795200100100,
  CreateIngest1795200200000,
  CreateAnswers1795200200400,
  CreateProofUpstreamClaims1795200200410,
  CreateProofs1795200200420,
  EndSharingWithRetirement1795200200500,
  CreateSessions1795260000000,
  CreateMail1795261000000,
  CreateThrottle1795261100000,
  CreateAccessRequests1795261200000,
  CreateSeatHistory1795262000000,
  CreateAgents1795263000000,
  CreateLedger1795264000000,
  CreateConversions1795264100000,
  CreateBundles1795264200000,
  CreateShield1795265000000,
  CreateEventDelivery1795266000000,
  CreateWatches1795266100000,
  CreateHomes1795267000000,
  CreateFeedback1795267100000,
  NameApprovalStatus1795268000000,
  EndInvitations1795268100000,
  FindKeysByPrefix1795268200000,
  AdmitToolCalls1795270000000,
  CreateFacts1795300000000,
  CreateFactIndex1795301000000,
  CreateGraph1795302000000,
  CreateRelations1795302100000,
  CreateStreams1795303000000,
  CreateSealedSegments1795303100000,
  CreateResultEnvelopes1795303200000,
  StoreGraphLists1795303300000,
  ListReceipts1795304000000,
  FindNewestBySubject1795304100000,
  CreateCorruptionFindings1795305000000,
  CreateSyncNonces1795305100000,
  FindKeysByLookup1795400400000,
  RegisterTenants1795400500000,
  ReadFactIndexAtOneSnapshot1795400600000,
  SearchVectorsInRelaxedOrder1795400700000,
  RecordSqlFunctions1795400800000,
  RecordWhatProofsCharge1795400900000,
  EmitEntitlements1795400950000,
  FindWatchesByTarget1795401000000,
  IndexConversionsByState1795402000000,
  CreateSurveys1795403000000,
  ManageTenants1795404000000,
  SetShieldPolicies1795405000000,
  KeepSemanticProfiles1795406000000,
  ChainSigningKeys1795407000000,
  CreateLogEpochs1795408000000,
  BindFacts1795410000000,
  KeepEvidenceLooks1795411000000,
  KeepCosignedHeads1795413000000,
  NameEs256Keys1795420000000,
  KeepTimestamps1795421000000,
  CreateWork1795431000000,
  CreateWorkGates1795431100000,
  RecordAssignees1795431200000,
  CreateLeases1795432000000,
  IndexClaimableWork1795432100000,
  CreateOrchestrators1795434000000,
  FindCoordinationEvents1795434500000,
  ClaimTogether1795504000000,
  CreateObservation1795520000000,
  CreateIncidents1795530000000,
  FindWhatRestsOn1795530100000,
  CreateLegalHolds1795540000000,
  CreateErasures1795550000000,
  PinObservation1795560000000,
  CreateCandidates1795610000000,
  CreateEngramLabels1795630000000,
  CreateCapabilityAudits1795640000000,
  CreateMemoryVectors1795650000000,
  CreateMemoryCases1795660000000,
  RunErasures1795670000000,
  PinByStatement1795671000000,
  SaltSteps1795672000000,
  EmbedCases1795680000000,
  EmbedEngramsAndCandidates1795690000000,
  QuarantineCases1795691000000,
  NoteTruncations1795691100000,
  CreateProjects1795700000000,
  CreateWorkspaceScans1795710000000,
  CreateStorybooks1795720000000,
  CreateTenantSync1795800000000,
  OrderSyncIndexes1795800100000,
  RetireFactsTogether1795800200000,
  CreateSyncPeers1795801000000,
  CreatePeerLogs1795802000000,
  CreateSyncExchanges1795804000000,
  CreatePassports1795810000000,
  CreateUsage1795810100000,
  CreateQuota1795810200000,
  CreateCommandLedger1795811000000,
  KeepSyncTrees1795820000000,
  CreateReplicatedSegments1795830000000,
  CreateCreditSpendings1795840000000,
  CreateIdentityLinks1795840100000,
  CreateGithubIntegrations1795850000000,
  CreateStudioInstalls1795850100000,
  CreateExtensions1795860000000,
  SaltSpendingNotes1795880000000,
  IndexChangesOfAgents1795901000000,
  ListAgents1795901100000,
  KeepSourcesOfFacts1795902000000,
  CountActorsOfFacts1795902100000,
  CreateTenantSettings1795903000000,
  CreateIngestFiles1795910000000,
  LocatePassages1795911000000,
  CreateScimUsers1795918000000,
  CreateScimGroups1795921000000,
  RecordCompatibility1795924000000,
  WriteVersionsOnce1795925000000,
  BindIngestsTogether1795926000000,
  AdmitToolCallsTogether1795927000000,
  KeepLedgersAsLines1795928000000,
  RecordRetrievalsAtOnce1795929000000,
  HoldIdempotencyKeysAtOnce1795930000000,
  ReadSmallSegmentsWhole1795931000000,
  FindConcernedWatches1795932000000,
  CompareAddressesInAscii1795934000000,
  CountCompactedFacts1795935000000,
  KeepPlacesOfErasedSegments1795936000000,
  SpaceAttemptsOfErasures1795937000000,
  KeepAccountsFromPublic1795937100000,
  RememberRestores1795938000000,
  KeepEarlierSecrets1795938100000,
  CountReadingsOfFiles1795939000000,
  KeepSubjectsOfTokens1795940000000,
  RememberUsedNonces1795943000000,
  TakeTurnsAtPeerLogs1795945100000,
  KeepOwnersOfWork1795945300000,
  LeaveGatedClaimsOut1795945310000,
  DropUncalledFunctions1795946000000,
  ReadStoppingSwitches1795947000000,
];
