/** Members of routes, in snake_case, that are arguments by other names; `pins[].chunk_id` of each. */
type Names = Readonly<Record<string, string>>;

const OF_ALL: Names = { 'x-idempotency-key': 'idempotency_key', 'x-shield-approval-token': 'shield_approval_token' };

/** By tool. Where several arguments become one member, the tool itself names the one that is wrong. */
const BY_TOOL: Readonly<Record<string, Names>> = {
  search: { top_k: 'limit' },
  read: names('id', ['chunk_id', 'corpus_id', 'doc_id', 'fact_id', 'answer_id']),
  remember: {
    ...{ name: 'key', kind: 'as', content: 'value', 'content.text': 'value', actor: 'agent_id' },
    ...names('sources[]', ['pins[]', 'pins[].chunk_id', 'pins[].answer_id']),
  },
  related: { kind: 'id', edge_kinds: 'relation', 'edge_kinds[]': 'relation', max_hops: 'hops' },
  link: { edge_kind: 'relation', from_kind: 'from_id', to_kind: 'to_id' },
  record_answer: {
    answer_text: 'text',
    ...names('cites[]', ['citations[]', 'citations[].chunk_id']),
    citations: 'cites',
  },
  prove: names('id', ['artefact_id', 'answer_id', 'retrieval_id', 'fact_id', 'receipt_id']),
  evidence: names('id', ['receipt_id', 'answer_id', 'fact_id']),
  watch: { target_id: 'id', target_type: 'id', 'query.query': 'query' },
  work: {
    ...names('agent_id', ['by_passport', 'author_passport', 'created_by_passport']),
    ...names('text', ['title', 'body', 'reason', 'why', 'blocker_reason']),
    ...{ id: 'work_id', project_id: 'project', 'x-svc-fence': 'fence' },
  },
  more_tools: { tool_set: 'set' },
};

function names(argument: string, members: readonly string[]): Names {
  return Object.fromEntries(members.map((member) => [member, argument]));
}

/** The argument that a place in a request to a route came from: `citations[2].chunk_id` is `cites[2]`. */
export function argumentAt(tool: string, place: string): string {
  const numbers = [...place.matchAll(/\[(\d+)\]/g)].map(([, number]) => number);
  const known = { ...OF_ALL, ...BY_TOOL[tool] };
  const named = known[place.replace(/\[\d+\]/g, '[]')];
  if (named === undefined) return place;
  return named.replaceAll('[]', () => `[${numbers.shift()}]`);
}
