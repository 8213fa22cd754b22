import { tool } from '../../../common/contract/tool-declaration.js';
import { AcquiredPunchcard, PunchcardReply } from './punchcard-replies.dto.js';
import { AcquirePunchcard, ReleasePunchcard } from './punchcards.dto.js';

export const PUNCHCARD_TOOLS = [
  tool('acquire_path', {
    title: 'Acquire a path',
    description:
      'Call before you change files that others may work on too: a path from the root of the repository, or a pattern with *, ? and **. What you hold includes everything below it. ' +
      'When somebody else holds a part of it, the error PunchcardHeld names the holder and until when: work on something else, or wait. Where the server only advises, you get it and `conflicts` says the same. ' +
      'Called again for the same resource it lasts longer, under the same fence. Release it with release_path when the work is committed.',
    route: 'POST /v1/punchcards/acquire',
    body: AcquirePunchcard,
    answer: AcquiredPunchcard,
    isRead: false,
  }),
  tool('release_path', {
    title: 'Release a path',
    description:
      'Call when the work on what you acquired with acquire_path is committed or given up, so that others need not wait until it ends by itself. ' +
      'Name the punchcard by its id or by its resource, and as release_commit_sha the commit that the work ended with. Of one that has ended, or is of another holder, nothing changes and the error is PunchcardNotFound.',
    route: 'POST /v1/punchcards/release',
    body: ReleasePunchcard,
    answer: PunchcardReply,
    isRead: false,
    isDestructive: true,
  }),
];
