import type { TagNote } from './server-contract.js';

const tag = (name: string, description: string): TagNote => ({ name, description });

/** The groups of the tenant API and of the tool service. */
export const TENANT_API_TAGS: readonly TagNote[] = [
  tag('ingest', 'Documents go in here: one, or up to 500 at a time. They are searchable when the ingest is completed.'),
  tag('retrieval', 'The best passages for a question, and each of them with what is around it.'),
  tag('citations', 'What an answer rests on, passage by passage.'),
  tag('proofs', 'Whether the cited passages still say what they said, with a receipt and a pack to verify offline.'),
  tag('documents', 'What is searchable now, and what to remove.'),
  tag('evidence', 'The keys and the transparency log that receipts are verified with; open to everyone.'),
  tag('tools', 'The tools of the API for agents, by JSON-RPC 2.0, lines of JSON, events and MCP.'),
  tag('seats', 'The people of a tenant: invitations, roles and settings.'),
  tag('agents', 'Agents that register themselves, and the tenants that sponsor them.'),
  tag('api keys', 'The credentials of programs.'),
  tag('scim', 'People of a tenant as a directory of an identity provider keeps them (SCIM 2.0).'),
  tag('frontdoor', 'Sign-in, sign-out and requests for access.'),
  tag('continuity', 'What an agent knows from one session to the next: journal, primitives and changes.'),
  tag('watches', 'Alerts when a document that was cited changes.'),
  tag('feedback', 'What a tenant misses: requests, declarations and surveys.'),
  tag('shield', 'Decisions on calls before their effect: policies, approvals, kill switches and trust.'),
  tag('events', 'What happened in a tenant, in order.'),
  tag('webhooks', 'The same, sent to a server of yours.'),
  tag('credits', 'Credits of an agent, and those in escrow.'),
  tag('economy', 'Credits as a discount on a subscription.'),
  tag('bundles', 'Corpora sold together.'),
  tag('operations', 'Whether the process lives and can work, its metrics and its build.'),
];
