import { describe, expect, it } from 'vitest';
import type { IssuesEvent, PullRequestEvent } from './github-events.dto.js';
import { noteOf, refsOf, reportedBy } from './github-events.rules.js';

const repository = { id: 7, full_name: 'acme/shop' };
const item = {
  ...{ number: 12, title: 'T', html_url: 'https://github.com/acme/shop/issues/12' },
  updated_at: '2026-03-05T12:00:00Z',
};
const issue = (action: string, state: 'open' | 'closed'): IssuesEvent => ({
  ...{ action, repository, issue: { ...item, state } },
});
const pull = (state: 'open' | 'closed', merged?: boolean): PullRequestEvent => ({
  ...{ action: 'closed', repository, pull_request: { ...item, state, ...(merged !== undefined && { merged }) } },
});

describe('the state of what an event reports', () => {
  it.each([
    [issue('opened', 'open'), 'open'],
    [issue('closed', 'closed'), 'closed'],
    [issue('deleted', 'open'), 'deleted'],
    [issue('transferred', 'open'), 'deleted'],
    [pull('open', false), 'open'],
    [pull('closed', true), 'merged'],
    [pull('closed', false), 'closed'],
    [pull('closed'), 'closed'],
  ])('%#', (event, state) => expect(reportedBy(event).state).toBe(state));

  it('goes with its place, and with how work items name it', () => {
    const reported = reportedBy(issue('closed', 'closed'));
    expect(reported).toMatchObject({ kind: 'issue', repositoryId: 7, repository: 'acme/shop', number: 12 });
    expect(refsOf(reported)).toEqual([item.html_url, 'acme/shop#12']);
    expect(noteOf(reported)).toBe(`Issue acme/shop#12 is closed on GitHub: ${item.html_url}`);
  });
});
