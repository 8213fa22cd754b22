import { Sessions } from '../../../src/common/sessions/sessions.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { byBearer, bySession, send, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';

export const ON = { FEATURE_SELF_SIGNUP: '1' };

/** An agent that registered itself, with its bearer. */
export interface TestAgent {
  agentId: string;
  token: string;
  /** The whole answer of its registration. */
  registered: Answer;
  call: TestTenant['call'];
}

export async function givenAgent(url: string, body: object = {}): Promise<TestAgent> {
  const registered = await send(url, 'POST', '/v1/agents/register', { agentFramework: 'langgraph', ...body });
  if (registered.status !== 201) throw new Error(`registering answered ${registered.status}: ${registered.text}`);
  const { agentPrincipalId: agentId, sessionToken: token } = registered.body;
  return { agentId, token, registered, call: byBearer(url, token) };
}

/** How a session of the tenant's key calls, as a browser on the server's own pages does. */
export async function givenSession(api: TestApi, tenant: TestTenant): Promise<TestTenant['call']> {
  const open = () => api.app.get(Sessions).open({ authType: 'api_key', keyId: tenant.keyId });
  const { cookie } = await api.app.get(Tenancy).run(tenant.tenantId, open);
  return bySession(api.url, `svc_session=${cookie}`);
}

/** The four headers of an answer: credits, queries of the day, whether a sponsor is needed, where to go. */
export const standingIn = ({ headers }: Answer) =>
  ['credits-remaining', 'rate-limit-daily-remaining', 'sponsor-required', 'upgrade-url'].map((name) =>
    headers.get(`x-svc-${name}`),
  );
