import { QueryFailedError } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { isWorthAnotherTry } from './read-fault.js';

const fault = (code: string, message = 'fault') => Object.assign(new Error(message), { code });
const wrapped = (inner: Error) => new QueryFailedError('select 1', [], inner);

describe('a read is worth another try', () => {
  it.each([
    ['its connection was ended', fault('57P01')],
    ['its connection broke', fault('08006')],
    ['the server is starting', fault('57P03')],
    ['it met a writer', fault('40001')],
    ['it was chosen in a deadlock', fault('40P01')],
    ['the driver lost it', new Error('Connection terminated unexpectedly')],
    ['the same, reported by TypeORM', wrapped(fault('57P01'))],
  ])('when %s', (_, error) => expect(isWorthAnotherTry(error)).toBe(true));

  it.each([
    ['it took too long', fault('57014')],
    ['it waited too long for a lock', fault('55P03')],
    ['there are too many connections', fault('53300')],
    ['the disk is full', fault('53100')],
    ['the disk fails', fault('58030')],
    ['the server is in recovery', fault('25006')],
    ['no connection came free', new Error('timeout exceeded when trying to connect')],
    ['the same, reported by TypeORM', wrapped(fault('57014'))],
    ['the statement is wrong', fault('42601')],
    ['it is no error of the database', new TypeError('undefined is not a function')],
    ['it is no error', 'text'],
  ])('not when %s', (_, error) => expect(isWorthAnotherTry(error)).toBe(false));
});
