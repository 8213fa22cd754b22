import { tool } from '../../../common/contract/tool-declaration.js';
import { AgentPath, CreditBalance, EscrowPage, EscrowQuery } from './credits.dto.js';
import { DashboardQuery, EconomyDashboard } from './dashboard.dto.js';
import { Conversion, ConversionPreview, ConversionRequest, Tip, TipRequest } from './economy.dto.js';

const SPENDING =
  'More than 100 credits need the approval of an owner: the error ShieldApprovalRequired (-32002) names the request; once it is approved, the same call goes through.';

const ABOUT = {
  agent_id: 'The agent, by the name it goes by in query_vault; default-agent where none was given there.',
};

export const ECONOMY_TOOLS = [
  tool('get_credit_balance', {
    title: 'Read the credit balance',
    description:
      'Reports how many credits an agent can spend now and where they come from: its own, the allowance of the month that the agents of the tenant share, and what the tenant earned. ' +
      'Use it before tip_platform, purchase_bundle, proof_document or many searches of the commons, and after CreditsExhausted (-32007). Pass the agent_id that the spending is done under, which is default-agent where none was named. Costs nothing.',
    route: 'GET /v1/credits/:agentId',
    path: AgentPath,
    answer: CreditBalance,
    isRead: true,
    about: ABOUT,
  }),
  tool('get_credit_escrow', {
    title: 'Read the credits in escrow',
    description:
      'Lists the conversions of an agent whose credits are held until the payment provider settles them; with status applied or failed, what became of earlier ones. ' +
      'Use it after convert_credits_to_discount to see whether the discount was applied (the credits are burned) or failed (they came back; so they do when nobody has settled it by expiresAt). Pass agent_id, and next_cursor as cursor for the next page. Costs nothing.',
    route: 'GET /v1/credits/:agentId/escrow',
    path: AgentPath,
    query: EscrowQuery,
    answer: EscrowPage,
    isRead: true,
    about: ABOUT,
  }),
  tool('get_economy_dashboard', {
    title: 'Read the economy of an agent',
    description:
      'Adds up what an agent spent and got back by day and reason, its conversions towards the cap of the month, discount, tips, and what the tenant earned by selling bundles. ' +
      'Use it to explain where credits went or to plan spending; for the balance alone get_credit_balance is smaller. Pass agent_id and, in days, how far to look back (30 unless said). Exact at the moment of the call; costs nothing.',
    route: 'GET /v1/economy/dashboard/:agentId',
    path: AgentPath,
    query: DashboardQuery,
    answer: EconomyDashboard,
    isRead: true,
    about: ABOUT,
  }),
  tool('convert_credits_to_discount', {
    title: 'Convert credits into a discount',
    description:
      "Turns credits into a discount of the tenant's subscription: 100 credits are 1.00 GBP, at most half of the tier's monthly price a month. Not possible on the free tier. " +
      'Call get_subscription_discount_preview with the same arguments first: it says what would happen and spends nothing. Pass agent_id, credits and a new idempotency_key. ' +
      'The credits are held in escrow until the payment provider settles it, 7 days at most, which get_credit_escrow shows. ' +
      SPENDING,
    route: 'POST /v1/economy/convert',
    body: ConversionRequest,
    answer: Conversion,
    isRead: false,
    isDestructive: true,
    isOpenWorld: true,
    idempotency: 'required',
    spends: 'credits',
  }),
  tool('get_subscription_discount_preview', {
    title: 'Preview a conversion of credits',
    description:
      'Works out what convert_credits_to_discount would do with the same arguments at this moment, and changes nothing: accepted says whether it would go through, refusal why not and what to do about it; more than 100 credits need the approval of an owner all the same. ' +
      'Use it before every conversion, or to find how much of the cap of the month is left. Pass agent_id and credits, in whole hundreds. Costs nothing and needs no key.',
    route: 'POST /v1/economy/convert/preview',
    body: ConversionRequest,
    answer: ConversionPreview,
    isRead: true,
  }),
  tool('tip_platform', {
    title: 'Tip the platform',
    description:
      'Gives credits of an agent to the platform, for what was worth more than its price. A tip is never returned, so give one only when the user has asked for it. ' +
      'Pass agent_id, credits, a word in message where you like, and a new idempotency_key. The answer is the tip and the balance afterwards; CreditsExhausted (-32007) when there are too few credits. ' +
      SPENDING,
    route: 'POST /v1/economy/tip-platform',
    body: TipRequest,
    answer: Tip,
    isRead: false,
    isDestructive: true,
    idempotency: 'required',
    spends: 'credits',
  }),
];
