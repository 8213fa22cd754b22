import { Choice, DateTime, ExtraMembersAllowed, Flag, Integer, Nested, Text } from '../../../common/fields/fields.js';
import { REPO } from '../../projects/projects/projects.types.js';

/** Comments and lists show it as a link. */
const WEB_PAGE = /^https?:\/\/\S+$/;
const OPEN_STATES = ['open', 'closed'] as const;

@ExtraMembersAllowed()
class EventRepository {
  @Integer({ about: 'Its id.', min: 1, max: Number.MAX_SAFE_INTEGER })
  id!: number;

  @Text({ about: 'owner/name.', max: 201, pattern: REPO })
  full_name!: string;
}

@ExtraMembersAllowed()
class EventIssue {
  @Integer({ about: 'Its number in the repository.', min: 1, max: Number.MAX_SAFE_INTEGER })
  number!: number;

  @Text({ about: 'Its title.', max: 1_000 })
  title!: string;

  @Text({ about: 'Its page.', max: 2_000, pattern: WEB_PAGE })
  html_url!: string;

  @Choice({ about: 'Its state.', values: OPEN_STATES })
  state!: (typeof OPEN_STATES)[number];

  @DateTime({ about: 'When it was changed last.' })
  updated_at!: string;
}

@ExtraMembersAllowed()
class EventPullRequest extends EventIssue {
  @Flag({ about: 'Whether it was merged.', optional: true })
  merged?: boolean;
}

@ExtraMembersAllowed()
class GithubEvent {
  @Text({ about: 'What happened.', max: 100, example: 'closed' })
  action!: string;

  @Nested({ about: 'Where.', type: () => EventRepository })
  repository!: EventRepository;
}

/** What GitHub sends of the event `issues`. Further members are taken and left alone. */
@ExtraMembersAllowed()
export class IssuesEvent extends GithubEvent {
  @Nested({ about: 'The issue.', type: () => EventIssue })
  issue!: EventIssue;
}

/** What GitHub sends of the event `pull_request`. */
@ExtraMembersAllowed()
export class PullRequestEvent extends GithubEvent {
  @Nested({ about: 'The pull request.', type: () => EventPullRequest })
  pull_request!: EventPullRequest;
}
