import { tool } from '../../../common/contract/tool-declaration.js';
import { AnnounceReply, AnnounceRequest } from './intents.dto.js';

export const INTENT_TOOLS = [
  tool('announce_intent', {
    title: 'Announce what you are about to do',
    description:
      'Says to other agents of a project what this session is about to change or deploy, for ttl_seconds (900). The answer lists where live intents of others meet it: same, nested or matching paths, the same deploy target or milestone. Nothing is refused: talk to them, or choose other work. Announce again to go on, with ttl_seconds 0 when done.',
    route: 'POST /v1/coord/announce',
    body: AnnounceRequest,
    answer: AnnounceReply,
    isRead: false,
  }),
];
