import type { ToolName } from '../../../src/common/contract/tool-names.js';
import type { TestTenant } from '../../kit/app.js';

/** Who calls by one transport, and what is there for nobody else. */
export interface Doer {
  slug: string;
  call: TestTenant['call'];
  agentId: string;
  bundleId: string;
  requestId: string;
  watchId: string;
}

/** One call of a tool that changes something, and what there is of its effect. */
export interface Mutation {
  tool: ToolName;
  args(doer: Doer): object;
  /** The call of the API that the tool is a name for. */
  route(doer: Doer): [method: string, path: string, body?: object];
  /** What the answer must hold. */
  shows(doer: Doer): object;
  /** The whole effect, as the API reports it. */
  effect(doer: Doer): Promise<unknown>;
  /** What that must be after one effect. */
  once(doer: Doer): unknown;
}

const dashboard = async ({ call, agentId }: Doer): Promise<any> =>
  (await call('GET', `/v1/economy/dashboard/${agentId}`)).body;

const spentOn = async (doer: Doer, reason: string): Promise<unknown> =>
  (await dashboard(doer)).spend.byReason.find((one: any) => one.reason === reason)?.spent;

const watchesOf = async ({ call, agentId }: Doer, active: boolean): Promise<unknown> =>
  (await call('GET', `/v1/watches?agentId=${agentId}&active=${active}`)).body.watches.map((one: any) => one.targetId);

const surveyOf = async ({ call }: Doer): Promise<any> =>
  (await call('GET', '/v1/feedback/surveys/current')).body.response;

const subject = ({ slug }: Doer) => `Worth of ${slug}`;
const title = ({ slug }: Doer) => `Wish of ${slug}`;
const answers = [
  { questionId: 'satisfaction', scale: 9 },
  { questionId: 'recommend', scale: 8 },
  { questionId: 'relied-on', choices: ['retrieval', 'proofs'] },
  { questionId: 'next', choice: 'evidence' },
];

/** Every tool with an effect under a key; in this order, where one makes ready for the next. */
export const MUTATIONS: Mutation[] = [
  {
    tool: 'convert_credits_to_discount',
    args: ({ agentId }) => ({ agent_id: agentId, credits: 100 }),
    route: ({ agentId }) => ['POST', '/v1/economy/convert', { agentId, credits: 100 }],
    shows: ({ agentId }) => ({ agentId, credits: 100, pence: 100, status: 'pending' }),
    effect: async ({ call, agentId }) =>
      (await call('GET', `/v1/credits/${agentId}/escrow`)).body.items.map((one: any) => one.credits),
    once: () => [100],
  },
  {
    tool: 'tip_platform',
    args: ({ agentId, slug }) => ({ agent_id: agentId, credits: 7, message: `From ${slug}` }),
    route: ({ agentId, slug }) => [
      'POST',
      '/v1/economy/tip-platform',
      { agentId, credits: 7, message: `From ${slug}` },
    ],
    shows: ({ agentId, slug }) => ({ agentId, credits: 7, message: `From ${slug}` }),
    effect: async (doer) => {
      const { recent, ...sums } = (await dashboard(doer)).tips;
      return { ...sums, messages: recent.map(({ message }: { message: string }) => message) };
    },
    once: ({ slug }) => ({ periodTips: 1, periodCredits: 7, totalCredits: 7, messages: [`From ${slug}`] }),
  },
  {
    tool: 'purchase_bundle',
    args: ({ agentId, bundleId }) => ({ agent_id: agentId, bundle_id: bundleId, expected_price: 10 }),
    route: ({ agentId, bundleId }) => ['POST', '/v1/bundles/purchase', { agentId, bundleId, expectedPrice: 10 }],
    shows: ({ agentId, bundleId, slug }) => ({ agentId, bundleId, priceCredits: 10, corpora: [`press-${slug}`] }),
    effect: (doer) => spentOn(doer, 'bundle.purchased'),
    once: () => 10,
  },
  {
    tool: 'proof_document',
    args: ({ agentId }) => ({ agent_id: agentId, mode: 'light', artefact_id: 'vault/a' }),
    route: ({ agentId }) => ['POST', '/v1/proof/jobs', { agentId, mode: 'light', artefact_id: 'vault/a' }],
    shows: ({ agentId }) => ({ agentId, mode: 'light', subject: { type: 'document', id: 'vault/a' } }),
    effect: (doer) => spentOn(doer, 'proof'),
    once: () => 1,
  },
  {
    tool: 'watch_answer',
    args: ({ agentId }) => ({ agent_id: agentId, target_type: 'document', target_id: 'vault/b' }),
    route: ({ agentId }) => ['POST', '/v1/watches', { agentId, targetType: 'document', targetId: 'vault/b' }],
    shows: ({ agentId }) => ({ agentId, targetType: 'document', targetId: 'vault/b', active: true, webhook: null }),
    effect: (doer) => watchesOf(doer, true),
    once: () => ['vault/a', 'vault/b'],
  },
  {
    tool: 'unwatch_answer',
    args: ({ watchId }) => ({ watch_id: watchId }),
    route: ({ watchId }) => ['DELETE', `/v1/watches/${watchId}`],
    shows: ({ watchId }) => ({ watchId, active: false }),
    effect: (doer) => watchesOf(doer, false),
    once: () => ['vault/a'],
  },
  {
    tool: 'submit_feature_request',
    args: (doer) => ({ title: title(doer), body: 'So that it helps.', agent_id: doer.agentId }),
    route: (doer) => [
      'POST',
      '/v1/feedback/requests',
      { title: title(doer), body: 'So that it helps.', agentId: doer.agentId },
    ],
    shows: (doer) => ({ title: title(doer), status: 'open', votes: 0 }),
    effect: async ({ call, agentId }) =>
      (await call('GET', `/v1/feedback/requests?agentId=${agentId}`)).body.requests.map((one: any) => one.title),
    once: (doer) => [title(doer)],
  },
  {
    tool: 'vote_feature_request',
    args: ({ requestId }) => ({ request_id: requestId }),
    route: ({ requestId }) => ['POST', `/v1/feedback/requests/${requestId}/vote`, {}],
    shows: ({ requestId }) => ({ requestId, votes: 1, voted: true, changed: true }),
    effect: async ({ call, slug }) =>
      (await call('GET', `/v1/feedback/requests?q=${encodeURIComponent(`Vote for ${slug}.`)}`)).body.requests.map(
        (one: any) => [one.votes, one.voted],
      ),
    once: () => [[1, true]],
  },
  {
    tool: 'declare_revenue_willingness',
    args: (doer) => ({ subject: subject(doer), amount_minor: 1250, currency: 'EUR', period: 'yearly' }),
    route: (doer) => [
      'POST',
      '/v1/feedback/revenue/declarations',
      { subject: subject(doer), amountMinor: 1250, currency: 'EUR', period: 'yearly' },
    ],
    shows: (doer) => ({ subject: subject(doer), amountMinor: 1250, status: 'pending' }),
    effect: async (doer) =>
      (await doer.call('GET', `/v1/feedback/revenue/summary?subject=${encodeURIComponent(subject(doer))}`)).body.count,
    once: () => 1,
  },
  {
    tool: 'respond_to_survey',
    args: () => ({ question_id: 'satisfaction', scale: 9 }),
    route: () => [
      'POST',
      '/v1/feedback/surveys/current/responses',
      { answers: [{ questionId: 'satisfaction', scale: 9 }], partial: true },
    ],
    shows: () => ({ status: 'partial', answers: [{ questionId: 'satisfaction', scale: 9 }] }),
    effect: async (doer) => {
      const { status, answers: given } = await surveyOf(doer);
      return { status, given };
    },
    once: () => ({ status: 'partial', given: [{ questionId: 'satisfaction', scale: 9 }] }),
  },
  {
    tool: 'submit_feedback_survey',
    args: () => ({ answers: answers.map(({ questionId, ...answer }) => ({ question_id: questionId, ...answer })) }),
    route: () => ['POST', '/v1/feedback/surveys/current/responses', { answers }],
    shows: () => ({ status: 'complete', missing: [] }),
    effect: async (doer) => {
      const { status, answers: given } = await surveyOf(doer);
      return { status, given };
    },
    once: () => ({ status: 'complete', given: answers }),
  },
];
