import type { Address } from '../../common/contract/contract.js';

/** A tool of the daemon: a route under a name for agents. Its schemas and scopes are those of the route. */
export interface DaemonTool {
  name: string;
  title: string;
  /** For a model: what it does, when to use it. */
  description: string;
  route: Address;
  /** Hints of MCP (2026-07-28, server/tools, "Tool Annotations"). */
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean };
}

const READS = { readOnlyHint: true };

export const DAEMON_TOOLS: readonly DaemonTool[] = [
  {
    name: 'store_fact',
    title: 'Store a fact',
    description:
      'Remembers a value under an entity and a key. A second value for the same entity and key supersedes the first, which stays readable as history.',
    route: 'PUT /v1/facts',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  },
  {
    name: 'search_facts',
    title: 'Search facts',
    description:
      'Finds what is remembered, ranked by the words of `query`, within token_budget; without a query, the latest facts of an entity or of entities that begin with entity_prefix.',
    route: 'GET /v1/facts',
    annotations: READS,
  },
  {
    name: 'get_fact',
    title: 'Read one fact',
    description: 'Reads one fact whole, by its id. Retired facts are there too, and name what superseded them.',
    route: 'GET /v1/facts/:factId',
    annotations: READS,
  },
  {
    name: 'retire_fact',
    title: 'Retire a fact',
    description: 'Writes a tombstone: reads no longer find the entity and key, history still does.',
    route: 'DELETE /v1/facts/:factId',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  },
  {
    name: 'relate',
    title: 'Relate two artifacts',
    description:
      'Writes an edge from one artifact to another, by their numbers, with a confidence from 0 to 1. The same edge again changes its confidence.',
    route: 'POST /v1/relations',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  },
  {
    name: 'expand',
    title: 'Expand from artifacts',
    description:
      'Follows edges from some artifacts outward, and tells which are reached, in how many hops and how surely.',
    route: 'POST /v1/relations/expand',
    annotations: READS,
  },
  {
    name: 'record_receipt_lookup',
    title: 'Look a receipt up',
    description: 'Reads the evidence of something that happened, by the id of its receipt.',
    route: 'GET /v1/receipts/:receiptId',
    annotations: READS,
  },
  {
    name: 'verify_receipt',
    title: 'Verify a receipt',
    description:
      'Checks a receipt: its signature, its place in the chain of the tenant, and that it is in the transparency log. A receipt is tamper-evidence, not proof that what it says was done.',
    route: 'GET /v1/receipts/:receiptId/verification',
    annotations: READS,
  },
];
