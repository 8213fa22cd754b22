import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  createMcpHandler,
  type McpHttpHandler,
  type McpRequestContext,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PassportStandings } from '../../../guards/passport-standings.js';
import { readBuild } from '../../../common/build-info.js';
import type { ProcessContext } from '../../../common/process-context.js';
import { RouteManifest } from '../../../common/contract/route-manifest.js';
import { bracketed } from '../../../common/http/bound-address.js';
import { makeHttpServer } from '../../../common/http/http-server.js';
import { findFault } from '../../../common/http/json-body.js';
import { OwnHosts } from '../../../common/http/own-hosts.js';
import { AUTHENTICATOR, type Authenticator } from '../../../common/bearer-auth/authenticator.js';
import { FollowedCredentials } from '../../../common/bearer-auth/followed-credentials.js';
import { AutoSteps } from '../../../common/evidence-log/auto-steps.js';
import { ToolCallSteps } from '../../../rpc/tool-call-steps.js';
import { ServerSecret } from '../../../common/sessions/server-secret.js';
import { AccessTokens } from '../../../common/access-tokens/access-tokens.js';
import { ClientAddresses } from '../../../common/http/client-address.js';
import { DelegatedCallers } from '../../../common/keys/delegated-callers.js';
import { FailedCredentials } from '../../../common/throttle/failed-credentials.js';
import { invalid, NotFound } from '../../../common/problem/common-problems.js';
import { failureOfProblem } from '../../../rpc/tools/tool-errors.js';
import { AgentRepeats } from '../../../rpc/agent/agent-repeats.js';
import { CheckedServer } from '../../../rpc/mcp/checked-server.js';
import { answerMcp, readMcp } from '../../../rpc/mcp/http-exchange.js';
import { canAsk } from '../../../rpc/mcp/mcp-elicitation.js';
import type { McpCall } from '../../../rpc/mcp/approval-rounds.js';
import { RpcFailure } from '../../../rpc/json-rpc.js';
import { resultOfFailure } from '../../../rpc/mcp/mcp-results.js';
import { CONTEXT_CACHE, CONTEXT_CAPABILITIES } from '../../../rpc/mcp/mcp-context.js';
import { INSTRUCTIONS, TOOLS_CACHE, toolUnknown } from '../../../rpc/mcp/mcp-tools.js';
import { ToolAdmissionsService } from '../../../modules/shield/core/tool-calls/tool-admissions.service.js';
import { ApprovalHandoverService } from '../../../modules/shield/core/approvals/approval-handover.service.js';
import { ToolSetChoices } from '../../../modules/access/tenant-settings/tool-set-choices.service.js';
import { ToolCallSigner } from '../../../common/call-policy/tool-call-signer.js';
import { ToolCatalog } from '../../../rpc/tools/tool-catalog.service.js';
import { ApiConnection } from '../../../rpc/api-connection.js';
import { ROUTER_TIMEOUT_MS } from '../daemon-server.js';
import { daemonProblems } from '../../../common/problem/daemon-problem-form.js';
import { DaemonProblemFilter } from '../../../common/problem/daemon-problem.filter.js';
import { DaemonContext } from './daemon-context.js';
import { DaemonRounds, type RoundKeys } from './daemon-rounds.js';
import { McpSteps } from './mcp-steps.js';
import type { Outcome } from './gate-rounds.js';
import type { ToolRoutes } from './tool-call.js';
import { ApiCredentials } from './api-credentials.js';
import { DaemonToolAdmission } from './daemon-tool-admission.js';
import { McpSignIn } from './mcp-sign-in.js';
import { scopesByTool } from './listed-tools.js';
import { DaemonToolCalls } from './daemon-tool-calls.js';

/** What knows who listens to a stream, and when that ends. */
interface StreamFollowers {
  standings: PassportStandings;
  credentials: FollowedCredentials;
  steps: McpSteps;
}

export interface OpenListener {
  url: string;
  close: () => Promise<void>;
}

/**
 * The MCP listener of the daemon (memory-daemon.md 1): POST /mcp, revision 2026-07-28 and, without sessions, those with
 * a handshake. Every tool is a route of the HTTP listener and is called through it, so that nothing is decided here.
 * @param app of the HTTP listener
 */
export async function openMcp(parts: ProcessContext, app: NestFastifyApplication): Promise<OpenListener> {
  const { mcpHost, mcpPort } = parts.settings.daemon;
  const fastify = makeMcpServer(parts);
  const served = await servedBy(parts, app);
  const handler = makeHandler(parts, served);
  const followers = {
    standings: app.get(PassportStandings),
    credentials: app.get(FollowedCredentials),
    steps: served.steps,
  };
  serveMcp(fastify, { handler, signIn: signInAt(app), followers });
  await fastify.listen({ host: mcpHost, port: mcpPort });
  const { port } = fastify.server.address() as { port: number };
  return {
    url: `http://${bracketed(mcpHost)}:${port}/mcp`,
    close: async () => {
      await handler.close();
      await fastify.close();
    },
  };
}

/** A server that answers all failures as the HTTP listener does. */
function makeMcpServer(parts: ProcessContext): FastifyInstance {
  const { settings, log, stopping } = parts;
  const { mcpHost, mcpPublicUrl, maxBodyBytes, errorsBase } = settings.daemon;
  const adapter = makeHttpServer(
    {
      maxBodyBytes: maxBodyBytes || Number.MAX_SAFE_INTEGER,
      requestTimeoutMs: ROUTER_TIMEOUT_MS,
      problems: daemonProblems(errorsBase),
      stopping,
      ownHosts: new OwnHosts(settings, { host: mcpHost, publicUrl: mcpPublicUrl, speaksMcp: true }),
      requestLine: { message: 'mcp_control', membersOf: (_, elapsed_ms) => ({ elapsed_ms }) },
    },
    parts,
  );
  const fastify = adapter.getInstance<FastifyInstance>();
  const filter = new DaemonProblemFilter(log, settings);
  fastify.setErrorHandler((error, request, reply) => filter.catch(error, new ExecutionContextHost([request, reply])));
  fastify.setNotFoundHandler((request, reply) =>
    filter.catch(nothingHere(), new ExecutionContextHost([request, reply])),
  );
  return fastify;
}

async function servedBy(parts: ProcessContext, app: NestFastifyApplication): Promise<ToolRoutes & Served> {
  const { settings, log } = parts;
  const secret = app.get(ServerSecret);
  const keys = {
    approvals: await secret.keyFor('daemon-mcp-approvals'),
    gates: await secret.keyFor('daemon-mcp-state'),
  };
  const routes = { http: app.getHttpAdapter().getInstance(), problems: daemonProblems(settings.daemon.errorsBase) };
  const calls = await toolCallsOf(parts, app, routes);
  const context = new DaemonContext(routes, app.get(RouteManifest).routes);
  const steps = new McpSteps(new ToolCallSteps(app.get(AutoSteps), log), {
    authenticator: app.get<Authenticator>(AUTHENTICATOR),
    defaultTenant: settings.bootstrap.tenantId,
  });
  return { ...routes, calls, keys, context, steps };
}

function serveMcp(
  fastify: FastifyInstance,
  { handler, signIn, followers }: { handler: McpHttpHandler; signIn: McpSignIn; followers: StreamFollowers },
): void {
  signIn.serve(fastify);
  for (const method of ['POST', 'GET', 'DELETE'])
    fastify.route({
      method,
      url: '/mcp',
      config: { body: 'bytes' },
      ...(method === 'POST' ? { onRequest: (request, reply) => signIn.check(request, reply) } : {}),
      handler: async (request, reply) => {
        const response = await answer(handler, request, reply);
        if (isStream(response)) void endWithCaller(followers, request, reply);
        return response;
      },
    });
}

const signInAt = (app: NestFastifyApplication): McpSignIn =>
  new McpSignIn({
    tokens: app.get(AccessTokens),
    authenticator: app.get<Authenticator>(AUTHENTICATOR),
    failures: app.get(FailedCredentials),
    addresses: app.get(ClientAddresses),
  });

/** @throws Error for a tool whose route is not served */
async function toolCallsOf(
  { settings }: ProcessContext,
  app: NestFastifyApplication,
  routes: ToolRoutes,
): Promise<DaemonToolCalls> {
  const catalog = app.get(ToolCatalog);
  const { routes: declared } = app.get(RouteManifest);
  const credentials = new ApiCredentials(settings, {
    authenticator: app.get<Authenticator>(AUTHENTICATOR),
    ...{ delegated: app.get(DelegatedCallers), standings: app.get(PassportStandings), tokens: app.get(AccessTokens) },
  });
  return new DaemonToolCalls({
    ...{
      routes,
      catalog,
      scopes: scopesByTool(await catalog.daemonTools(), declared),
      choices: app.get(ToolSetChoices),
    },
    ...{
      admission: new DaemonToolAdmission(app.get(ToolAdmissionsService), credentials),
      handover: app.get(ApprovalHandoverService),
      repeats: app.get(AgentRepeats),
      signer: app.get(ToolCallSigner),
      addresses: app.get(ClientAddresses),
    },
    api: app.get<ApiConnection | null>(ApiConnection),
    credentials,
  });
}

const nothingHere = () =>
  new NotFound(
    {},
    'This listener answers POST /mcp and nothing else; the rest is on the HTTP listener (SVCD_HTTP_PORT)',
  );

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** What is streamed ends with the passport and the credential, whether it is an answer on its way or a subscription. */
async function endWithCaller(
  { standings, credentials, steps }: StreamFollowers,
  request: FastifyRequest,
  { raw }: FastifyReply,
): Promise<void> {
  const of = await steps.callerOf(request);
  if (!of || raw.destroyed) return;
  const { passport } = of.caller;
  const end = (): void => void raw.destroy();
  if (passport !== undefined) raw.once('close', standings.follow(of.tenantId, passport, end));
  raw.once('close', credentials.follow(request, of, end));
}

async function answer(handler: McpHttpHandler, request: FastifyRequest, reply: FastifyReply): Promise<Response> {
  const read = readMcp(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
  if (read.refusal) return read.refusal;
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return answerMcp(handler, read.parsed, { request, signal: gone.signal, extra: { request } });
}

/** What the listener has to offer, and the keys of what it signs. */
interface Served {
  calls: DaemonToolCalls;
  keys: RoundKeys;
  context: DaemonContext;
  steps: McpSteps;
}

function makeHandler(
  { log }: ProcessContext,
  { calls, keys, context: offered, steps, ...routes }: ToolRoutes & Served,
): McpHttpHandler {
  const identity = {
    name: 'svc-memory-daemon',
    title: 'svc memory daemon',
    version: readBuild().version,
    description: 'Facts, relations and the evidence of what happened.',
  };
  const make = (context: McpRequestContext): Server => {
    const request = () => clientOf(context);
    const rounds = new DaemonRounds(keys, routes, { request, take: (id) => calls.takeApproval(id, request()) });
    const options = {
      capabilities: { tools: { listChanged: false }, ...CONTEXT_CAPABILITIES },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': TOOLS_CACHE, 'server/discover': TOOLS_CACHE, ...CONTEXT_CACHE },
      requestState: { verify: (state: string, round: ServerContext) => rounds.open(state, round) },
    };
    const server = new CheckedServer(identity, options, { log, requestId: () => clientOf(context).id });
    server.onerror = (error) => log.info({ error }, 'mcp: a message was refused');
    offered.serve(server, () => clientOf(context));
    server.setRequestHandler('tools/list', () => calls.list(clientOf(context)));
    server.setRequestHandler('tools/call', ({ params: { name, arguments: given = {} } }, round) =>
      callIn(
        { calls, steps, rounds },
        { name, given, request: request(), context: round, canAsk: canAsk(server, round) },
      ),
    );
    return server;
  };
  return createMcpHandler(make, {
    legacy: 'stateless',
    onerror: (error) => log.info({ error }, 'mcp: a request was refused'),
  });
}

interface Called extends Omit<McpCall, 'run' | 'requestId'> {
  request: FastifyRequest;
}

/** @throws ProtocolError */
async function callIn(
  { calls, steps, rounds }: Pick<Served, 'calls' | 'steps'> & { rounds: DaemonRounds },
  called: Called,
): Promise<Outcome> {
  const { name, given, request } = called;
  const tool = await calls.find(name);
  if (!tool) throw toolUnknown(name);
  const run: McpCall['run'] = (extra) =>
    steps.around(tool, given, request, () => calls.call(tool, { ...given, ...extra }, request));
  try {
    const fault = findFault(given, 'arguments');
    if (fault) throw failureOfProblem(invalid(fault.path, fault.message), request.id);
    return await rounds.run({ ...called, requestId: request.id, run });
  } catch (error) {
    if (error instanceof RpcFailure) return resultOfFailure(error);
    throw error;
  }
}

function clientOf({ authInfo }: McpRequestContext): FastifyRequest {
  const request = authInfo?.extra?.request;
  if (!request) throw new Error('an MCP request came without its client');
  return request as FastifyRequest;
}
