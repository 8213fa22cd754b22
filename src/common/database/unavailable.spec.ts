import { QueryFailedError } from 'typeorm';
import { QueryRunnerProviderAlreadyReleasedError } from 'typeorm/error/QueryRunnerProviderAlreadyReleasedError.js';
import { describe, expect, it } from 'vitest';
import { isDatabaseUnavailable } from './unavailable.js';

const failure = (members: object, message = 'failed') => Object.assign(new Error(message), members);

describe('isDatabaseUnavailable', () => {
  it.each([
    ['refused connection', failure({ code: 'ECONNREFUSED', syscall: 'connect' })],
    ['missing socket', failure({ code: 'ENOENT', syscall: 'connect' })],
    ['shutting down', failure({ code: '57P01' })],
    ['starting up', failure({ code: '57P03' })],
    ['too many connections', failure({ code: '53300' })],
    ['full disk', failure({ code: '53100' })],
    ['out of memory', failure({ code: '53200' })],
    ['statement time-out', failure({ code: '57014' })],
    ['operator intervention', failure({ code: '57000' })],
    ['input or output failed', failure({ code: '58030' })],
    ['serialization failure', failure({ code: '40001' })],
    ['lock not available', failure({ code: '55P03' })],
    ['deadlock', failure({ code: '40P01' })],
    ['in recovery', failure({ code: '25006' })],
    ['driver lost it', failure({}, 'Connection terminated unexpectedly')],
    ['pool exhausted', failure({}, 'timeout exceeded when trying to connect')],
    ['wrapped by TypeORM', new QueryFailedError('select 1', [], failure({ code: '57P01' }))],
    ['lost inside a transaction', new QueryRunnerProviderAlreadyReleasedError()],
    ['as a cause', new Error('outer', { cause: failure({ code: 'ECONNRESET' }) })],
    ['all addresses failed', new AggregateError([failure({ code: 'ECONNREFUSED', syscall: 'connect' })])],
  ])('%s: the same work may succeed later', (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it.each([
    ['a missing file', failure({ code: 'ENOENT', syscall: 'open' })],
    ['a unique violation', failure({ code: '23505' })],
    ['a statement that is too complex', failure({ code: '54001' })],
    ['a syntax error', new QueryFailedError('selec', [], failure({ code: '42601' }))],
    ['no error at all', 'ECONNREFUSED'],
  ])('%s: it would fail again', (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});
