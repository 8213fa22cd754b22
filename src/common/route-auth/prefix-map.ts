import type { Scope } from '../contract/scopes.js';

/** One row of the map in memory-daemon.md 5.4: what any of suffices under these paths. An empty list: nothing does. */
export interface PrefixRow {
  /** `/v1/facts*` takes in all that begins so, `/v1/query/*` what lies below, anything else itself alone. */
  paths: readonly string[];
  get: readonly Scope[];
  other: readonly Scope[];
  /** Of the class AdminRead or AdminWrite, which take further scopes here than elsewhere. */
  isAdmin?: true;
}

const READS: Scope[] = ['query:read', 'admin:read'];
const FACTS: Scope[] = ['facts:write', 'admin:write'];

/** The rows in the order of the specification. Where several fit, the longest path decides. */
export const PREFIX_MAP: readonly PrefixRow[] = [
  { paths: ['/v1/query/*', '/v1/projections/entity/*'], get: READS, other: READS },
  { paths: ['/v1/studio/*'], get: READS, other: FACTS },
  {
    paths: [
      '/v1/receipts/*',
      '/v1/replay/*',
      '/v1/events/*',
      '/v1/observations/*',
      '/v1/ops/*',
      '/v1/bootstrap/*',
      '/v1/audit/*',
    ],
    get: ['query:read', 'receipts:read', 'exports:read', 'admin:read'],
    other: [],
  },
  // A-09: the row says GET, the one registration is a POST.
  { paths: ['/v1/cases/retrieve'], get: READS, other: READS },
  // Ours: cases are listed, read and deleted too (decision 0202).
  { paths: ['/v1/cases', '/v1/cases/*'], get: READS, other: FACTS },
  {
    paths: ['/v1/facts*', '/v1/sessions/*', '/v1/entities*', '/v1/edges*', '/v1/kinds*'],
    get: READS,
    other: ['facts:write', 'sessions:write', 'admin:write'],
  },
  { paths: ['/v1/features/capabilities*'], get: ['facts:read', 'admin:read'], other: FACTS },
  { paths: ['/v1/sync/tenants/*'], get: ['facts:read'], other: ['facts:write'] },
  { paths: ['/v1/identity/candidates*'], get: ['admin:read', 'admin:write'], other: ['admin:write'] },
  {
    paths: ['/v1/memory/import', '/v1/result-envelope/import', '/v1/identity/links', '/v1/append'],
    get: ['facts:write', 'admin:write', 'admin:read'],
    other: FACTS,
  },
  // Ours: a link is taken back by its id (decision 0283).
  { paths: ['/v1/identity/links/*'], get: ['facts:write', 'admin:write', 'admin:read'], other: FACTS },
  {
    paths: ['/v1/console/*'],
    isAdmin: true,
    get: ['admin:read', 'tenant:chunks:read', 'tenant:content:preview'],
    other: ['admin:write', 'facts:write', 'integrations:install', 'integrations:grant', 'integrations:disable'],
  },
  {
    paths: ['/v1/integrations', '/v1/integrations/*'],
    get: ['admin:read'],
    other: ['integrations:install', 'integrations:disable'],
  },
  {
    paths: [
      '/v1/work*',
      '/v1/status-feed',
      '/v1/projects*',
      '/v1/rcx/publish/*',
      '/v1/workspace/*',
      '/v1/mcp/tools*',
      '/v1/engrams*',
      '/v1/extensions*',
      '/v1/passports*',
      '/v1/principal/*',
      '/v1/policy/*',
      '/v1/relations*',
      '/v1/agents/*',
      '/v1/cost/*',
      '/v1/cloud/*',
      '/v1/actions/*',
      '/v1/workbench/*',
      '/v1/mediation/*',
      '/v1/memory/*',
    ],
    get: ['admin:read', 'facts:read', 'query:read', 'sessions:read'],
    other: ['admin:write', 'facts:write', 'integrations:install'],
  },
  // Ours: no row of the specification covers them (A-11); who asks is not who registers.
  {
    paths: ['/v1/passport/mint-requests*'],
    get: ['admin:read', 'facts:read', 'query:read', 'sessions:read'],
    other: FACTS,
  },
  { paths: ['/v1/gpu1/*', '/v1/context*'], get: READS, other: READS },
  { paths: ['/v1/openai/*'], get: [...READS, 'admin:write'], other: [...READS, 'admin:write'] },
  { paths: ['/v1/compute/embed'], get: [], other: ['compute:embed'] },
  { paths: ['/v1/provenance/*'], get: [], other: ['provenance:write', 'admin:write'] },
  { paths: ['/v1/quota*'], get: READS, other: [] },
  { paths: ['/v1/credits/*'], get: [], other: ['admin:write'] },
  { paths: ['/v1/incidents*'], get: ['query:read', 'exports:read', 'admin:read'], other: FACTS },
  // Ours: the specification has no GET there, so that its row names no scope; holds are listed and read.
  { paths: ['/v1/legal-holds*'], get: ['admin:read', 'admin:write'], other: ['admin:write'] },
  { paths: ['/v1/coord/*'], get: ['admin:read', 'sessions:read'], other: ['admin:write', 'sessions:write'] },
  { paths: ['/v1/observe/sessions/*'], get: READS, other: FACTS },
  {
    paths: ['/v1/orchestrators*', '/v1/punchcards*', '/v1/activity*'],
    get: ['facts:read', 'admin:read'],
    other: FACTS,
  },
];
