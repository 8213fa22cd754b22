import type { OnboardingStep } from './console-infra.dto.js';

/** What to do with a new daemon; the same for everybody who asks. */
export const STEPS: readonly OnboardingStep[] = [
  {
    ...{ id: 'credentials', title: 'Let callers prove who they are' },
    ...{ how: 'SVCD_AUTH_MODE=jwt_hs256; svc token --tenant <tenant> --scope facts:read', docs: 'docs/daemon-auth.md' },
  },
  { id: 'fact', title: 'Store a fact', how: 'PUT /v1/facts', docs: 'docs/memory.md' },
  { id: 'search', title: 'Find it', how: 'GET /v1/facts?query=', docs: 'docs/memory.md' },
  { id: 'passport', title: 'Give each agent a passport', how: 'POST /v1/passports', docs: 'docs/passports.md' },
  { id: 'evidence', title: 'Verify a receipt', how: 'GET /v1/receipts/{receiptId}/verification', docs: 'docs/keys.md' },
  { id: 'ready', title: 'Watch readiness and metrics', how: 'GET /readyz, GET /metrics', docs: 'docs/readiness.md' },
  {
    id: 'backup',
    title: 'Back up, and try a restore',
    how: 'svc backup <file>; svc restore <file>',
    docs: 'docs/operations.md',
  },
];
