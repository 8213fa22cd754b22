import type { IssuesEvent, PullRequestEvent } from './github-events.dto.js';
import type { GithubItemState, ReportedItem } from './integrations.types.js';

/** An issue that was moved to another repository is not in this one any more. */
const GONE = ['deleted', 'transferred'];

export function reportedBy(event: IssuesEvent | PullRequestEvent): ReportedItem {
  const { repository } = event;
  const item = 'pull_request' in event ? event.pull_request : event.issue;
  return {
    kind: 'pull_request' in event ? 'pull_request' : 'issue',
    repositoryId: repository.id,
    repository: repository.full_name,
    number: item.number,
    title: item.title,
    url: item.html_url,
    state: stateOf(event),
    changedAt: new Date(item.updated_at),
  };
}

function stateOf(event: IssuesEvent | PullRequestEvent): GithubItemState {
  if (GONE.includes(event.action)) return 'deleted';
  if (!('pull_request' in event)) return event.issue.state;
  return event.pull_request.merged ? 'merged' : event.pull_request.state;
}

/** How `linked_issue` and `linked_pr` of a work item may name it. */
export const refsOf = ({ repository, number, url }: Pick<ReportedItem, 'repository' | 'number' | 'url'>): string[] => [
  url,
  `${repository}#${number}`,
];

/** What is noted of a work item: no text of GitHub's users is in it but the name of the repository. */
export const noteOf = ({ kind, repository, number, state, url }: ReportedItem): string =>
  `${kind === 'issue' ? 'Issue' : 'Pull request'} ${repository}#${number} is ${state} on GitHub: ${url}`;
