import { describe, expect, it } from 'vitest';
import { actionsFrom, containing, isVotable, targetOf } from './requests.rules.js';
import { REQUEST_STATUSES, type RequestStatus } from './requests.types.js';

describe('the way of a request', () => {
  it('is open, acknowledged, then shipped or archived; archived may be reopened, shipped stays', () => {
    const moves = (status: RequestStatus) => actionsFrom(status).map((action) => `${action} to ${targetOf(action)}`);
    expect(Object.fromEntries(REQUEST_STATUSES.map((status) => [status, moves(status)]))).toEqual({
      open: ['acknowledge to acknowledged', 'archive to archived', 'accept to acknowledged', 'decline to archived'],
      acknowledged: ['ship to shipped', 'archive to archived', 'decline to archived'],
      shipped: [],
      archived: ['reopen to open'],
    });
  });

  it('never stays where it is, and reaches every status from open', () => {
    for (const status of REQUEST_STATUSES) expect(actionsFrom(status).map(targetOf)).not.toContain(status);
    const reached = new Set<RequestStatus>(['open']);
    for (const status of reached) for (const action of actionsFrom(status)) reached.add(targetOf(action));
    expect([...reached].sort()).toEqual([...REQUEST_STATUSES].sort());
  });
});

it('a request is voted for until it is shipped or archived', () => {
  expect(REQUEST_STATUSES.filter(isVotable)).toEqual(['open', 'acknowledged']);
});

/** What LIKE of PostgreSQL matches, with its escape character: a backslash. */
function isLike(text: string, pattern: string): boolean {
  if (pattern === '') return text === '';
  const [first, rest] = [pattern[0], pattern.slice(1)];
  if (first === '%') return isLike(text, rest) || (text !== '' && isLike(text.slice(1), pattern));
  if (first === '\\') return text[0] === rest[0] && isLike(text.slice(1), rest.slice(1));
  return text !== '' && (first === '_' || first === text[0]) && isLike(text.slice(1), rest);
}

describe('a search for a text', () => {
  it.each(['dark mode', '100%', 'snake_case', 'C:\\path', '\\%', '%%__\\\\', ''])('finds %j within others', (text) => {
    for (const whole of [text, `before ${text}`, `${text} after`, `a${text}b`])
      expect([whole, isLike(whole, containing(text))]).toEqual([whole, true]);
  });

  it.each([
    ['100%', '1000'],
    ['snake_case', 'snakeXcase'],
    ['C:\\path', 'C:path'],
    ['%', 'anything'],
    ['_', 'x'],
  ])('for %j does not find %j', (text, other) => {
    expect(isLike(other, containing(text))).toBe(false);
  });
});
