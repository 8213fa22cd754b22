/** Tables that are of no use elsewhere, or hold nothing but credentials and answers with secrets. */
export const LEFT_OUT_TABLES: ReadonlySet<string> = new Set([
  'session',
  'idempotent_request',
  'outgoing_mail',
  'tool_window',
  'quota_window',
  // Derived from documents and facts.
  'chunk_vector',
  'fact_count',
  'fact_index',
  'fact_segment',
  'fact_settled',
  'index_garbage',
  'index_posting',
  'index_segment',
  'index_shard',
  'index_tombstone',
  'memory_vector',
  'memory_vector_state',
  'receipt_tally',
  'sync_change',
  'sync_record',
  'sync_tenant',
  // Of a folder of the server.
  'workspace_file',
  'workspace_scan',
  'workspace_symbol',
]);

/** Columns by which a secret is checked, or that hold one. */
export const LEFT_OUT_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  agent: ['token_hash'],
  api_key: ['key_hash', 'lookup'],
  seat: ['invite_hash'],
  shield_approval: ['token_hash'],
  github_integration: ['token', 'webhook_secret'],
  webhook_endpoint: ['secret', 'previous_secret', 'earlier_secrets'],
};
