import { expect, it } from 'vitest';
import { invalidMembers, type Issue } from '../../common/problem/common-problems.js';
import type { RpcFailure } from '../json-rpc.js';
import { failureOfAgentCall } from './agent-failures.js';
import { RouteRefusal } from './servers.js';

const failedAt = (tool: string, issues: Issue[]) =>
  failureOfAgentCall(
    new RouteRefusal('daemon', 'POST /v1/work', 400, { type: 'urn:x/validation-failed', issues }),
    tool,
    'r-1',
  ) as RpcFailure;

it.each([
  ['work', 'body.by_passport', 'by_passport must match', 'agent_id must match'],
  ['work', 'body.title', 'must be shorter', 'text must be shorter'],
  ['work', 'path.id', 'id must be a UUID', 'work_id must be a UUID'],
  ['record_answer', 'body.citations[3].chunkId', 'chunkId is no passage', 'cites[3] is no passage'],
  ['remember', 'body.pins[1].chunkId', 'is none', 'sources[1] is none'],
  ['search', 'body.corpusIds[0]', 'must be text', 'corpus_ids[0] must be text'],
  ['more_tools', 'tool_set', 'must be one of a', 'set must be one of a'],
])('a failure of %s at %s names the argument', (tool, path, message, said) => {
  expect(failedAt(tool, [{ path, message }]).message).toBe(`${tool}: ${said}`);
});

it('a failure of the arguments as a whole names none', () => {
  const { message } = failureOfAgentCall(
    invalidMembers([{ path: 'arguments', message: 'must be an object' }]),
    'search',
    'r-1',
  ) as RpcFailure;
  expect(message).toBe('search: must be an object');
});

it('a failure says of each argument the first thing that is wrong with it', () => {
  const issues = [
    { path: 'arguments.query', message: 'must be a string' },
    { path: 'arguments.query', message: 'must be longer' },
    { path: 'arguments.in', message: 'must be one of all' },
  ];
  const { message, data } = failureOfAgentCall(invalidMembers(issues), 'search', 'r-1') as RpcFailure;
  expect(message).toBe('search: query must be a string; in must be one of all');
  expect(data?.['issues']).toEqual([
    { path: 'query', message: 'must be a string' },
    { path: 'in', message: 'must be one of all' },
  ]);
});
