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
];
