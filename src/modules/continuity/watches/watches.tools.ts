import { tool } from '../../../common/contract/tool-declaration.js';
import { AlertList, AlertQuery } from './watch-alerts.dto.js';
import { Watch, WatchCreated, WatchList, WatchListQuery, WatchPath, WatchRequest } from './watches.dto.js';

const WATCH_ID = 'The watchId that watch_answer or get_watches answered. It is taken under the name id too.';

export const WATCH_TOOLS = [
  tool('watch_answer', {
    title: 'Watch an answer',
    description:
      'Watches an answer, a document, a passage or a question from now on, and raises an alert when it changes: a new version, a deletion, a cited passage that is gone, a new match. ' +
      'Use it after giving an answer that must stay right. Pass target_id, which is an answerId unless target_type says otherwise; for target_type query pass query instead. ' +
      'The answer has watchId, for get_watch_alerts and unwatch_answer; alerts also stand in get_journal of agent_id, and are posted to webhook_url where one is given (the secret in webhook is shown this once). ' +
      'Costs nothing. WatchExists (-32005) names the watch there is already; forbidden (-32001) on the free tier. ' +
      'Without idempotency_key a repeat within 24 hours answers the same watch until that one has ended, and then makes a new one.',
    route: 'POST /v1/watches',
    body: WatchRequest,
    answer: WatchCreated,
    isRead: false,
    isOpenWorld: true,
    idempotency: 'derived',
    restsOn: 'watch_target',
    aliases: { answer_id: 'target_id' },
    defaults: { target_type: 'answer' },
    about: {
      target_id:
        'What is watched: an answerId, or what target_type says. For a query a name of your choosing, or left out. It is taken under the name answer_id too.',
    },
  }),
  tool('unwatch_answer', {
    title: 'End a watch',
    description:
      'Ends a watch for good: it raises no alert from now on, and its webhook ends with it. Use it when what is watched no longer matters; to watch the same again, make a new watch with watch_answer. ' +
      'Pass watch_id from watch_answer or get_watches. The alerts it has raised stay readable with get_watch_alerts. Costs nothing. ' +
      'Without idempotency_key a repeat within 24 hours answers the same, unless the same has been watched again since: then there is nothing left to end, WatchUnknown (-32004).',
    route: 'DELETE /v1/watches/:id',
    path: WatchPath,
    answer: Watch,
    isRead: false,
    isDestructive: true,
    idempotency: 'derived',
    restsOn: 'watch',
    names: { id: 'watch_id' },
    about: { watch_id: WATCH_ID },
  }),
  tool('get_watches', {
    title: 'List watches',
    description:
      'Lists the watches of the tenant that are active, with what each watches and how many alerts it has raised; active false lists those that have ended. ' +
      'Use it to find a watch_id, or to see whether something is watched already. Narrow it with agent_id, target_type and target_id, and pass next_cursor as cursor for more. Costs nothing; forbidden (-32001) on the free tier.',
    route: 'GET /v1/watches',
    query: WatchListQuery,
    answer: WatchList,
    isRead: true,
  }),
  tool('get_watch_alerts', {
    title: 'Read the alerts of a watch',
    description:
      'Lists what a watch has noticed, oldest first: what changed, in which document, from which version to which, and the passages it is about. ' +
      'Pass watch_id, and since with the time of your last look; next_cursor goes into cursor for more. Use it when get_watches shows a higher alertCount than you know of; then search again with query_vault and correct the answer. Costs nothing, also for a watch that has ended.',
    route: 'GET /v1/watches/:id/alerts',
    path: WatchPath,
    query: AlertQuery,
    answer: AlertList,
    isRead: true,
    isOpenWorld: true,
    names: { id: 'watch_id' },
    about: { watch_id: WATCH_ID },
  }),
];
