import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadSettings } from '../../../src/common/config/settings.js';
import { CoreModule } from '../../../src/apps/core.module.js';
import { toolsContract } from '../../../src/apps/tools.app.js';
import type { ProcessContext } from '../../../src/common/process-context.js';
import { makeLog } from '../../../src/common/observability/log.js';
import { Metrics } from '../../../src/common/observability/metrics.js';
import { Problem } from '../../../src/common/problem/problem.js';
import {
  TOOL_CALL_HEADER,
  ToolCallSigner,
  toolCallToSign,
  type ToolRequest,
} from '../../../src/common/call-policy/tool-call-signer.js';
import { PublicCallersService } from '../../../src/modules/shield/core/tool-calls/public-callers.service.js';
import { ToolAdmissionsModule } from '../../../src/modules/shield/core/tool-calls/tool-admissions.module.js';
import { ToolAdmissionsService } from '../../../src/modules/shield/core/tool-calls/tool-admissions.service.js';
import type { ToolCallToAdmit } from '../../../src/modules/shield/core/tool-calls/tool-admissions.types.js';
import { ToolWindowSweep } from '../../../src/modules/shield/core/tool-calls/tool-calls.sweeps.js';
import type { Answer, TestTenant } from '../../kit/app.js';
import type { TestDatabase } from '../../kit/database.js';
import { verdict } from './given.js';

/** What a process of the tool service admits calls with; one of several on a database. */
export interface ToolProcess {
  admit: ToolAdmissionsService['admit'];
  signer: ToolCallSigner;
  publicCallers: PublicCallersService;
  windowSweep: ToolWindowSweep;
  /** How many calls were let through, by what decided. */
  admittedBy(what: string): Promise<number>;
  close(): Promise<void>;
}

export async function startToolProcess(database: TestDatabase, env: Record<string, string> = {}): Promise<ToolProcess> {
  const settings = loadSettings({
    NODE_ENV: 'test',
    SVC_LOG_LEVEL: 'silent',
    SVC_DATABASE_POOL_SIZE: '8',
    SVC_DATABASE_CONNECT_TIMEOUT_MS: '15000',
    SVC_TOOLS_RATE_LIMIT: '0',
    ...env,
  });
  const metrics = new Metrics();
  const parts = { settings, address: { ownerUrl: database.url }, log: makeLog(settings, 'tools'), metrics };
  const app = await NestFactory.createApplicationContext(moduleOf(parts), { logger: false });
  const admissions = app.get(ToolAdmissionsService);
  return {
    admit: (call) => admissions.admit(call),
    signer: app.get(ToolCallSigner),
    publicCallers: app.get(PublicCallersService),
    windowSweep: app.get(ToolWindowSweep),
    admittedBy: (what) => countOf(metrics, 'svc_tool_admissions_total', { by: what }),
    close: () => app.close(),
  };
}

function moduleOf(parts: ProcessContext) {
  @Module({ imports: [CoreModule.of(parts, { contract: toolsContract(parts) }), ToolAdmissionsModule] })
  class ToolProcessModule {}
  return ToolProcessModule;
}

export async function countOf(metrics: Metrics, name: string, labels: Record<string, string>): Promise<number> {
  const { values } = await metrics.registry.getSingleMetric(name)!.get();
  const found = values.find((value) => Object.entries(labels).every(([label, of]) => value.labels[label] === of));
  return found?.value ?? 0;
}

/** What a tool is, as far as admission asks. */
const tool = (name: string, route: string, isRead: boolean) => ({
  tool: name,
  route,
  isRead,
  usesApprovalNow: isRead,
  serverId: 'svc-tools',
  toolDigest: digestOf(name),
});
export const digestOf = (name: string) => `sha256:${Buffer.from(name.padEnd(32, '.')).toString('hex').slice(0, 64)}`;

export const callerOf = ({ tenantId, keyId }: TestTenant) => ({
  tenantId,
  principal: `key:${keyId}`,
  authType: 'api_key',
});

/** A tool that reads. */
export const query = (tenant: TestTenant, members: Partial<ToolCallToAdmit> = {}): ToolCallToAdmit => ({
  ...tool('query_vault', 'POST /v1/retrieve', true),
  caller: callerOf(tenant),
  arguments: { query: 'lighthouse' },
  ...members,
});

/** A call of a tool that changes something, with the request that it becomes. */
export interface ToolEffect {
  call: ToolCallToAdmit;
  body: object;
  key: string;
}

/** A tool that says what it spends. */
export function tip(
  tenant: TestTenant,
  members: { agentId?: string; credits?: number; key?: string } = {},
): ToolEffect {
  const { agentId = 'a', credits = 10, key = randomUUID() } = members;
  const path = '/v1/economy/tip-platform';
  const call = {
    ...tool('tip_platform', `POST ${path}`, false),
    caller: callerOf(tenant),
    arguments: { agent_id: agentId, credits },
    spendsCredits: credits,
    effect: { method: 'POST', path, idempotencyKey: async () => key },
  };
  return { call, key, body: { agentId, credits } };
}

/** A tool whose effect finds out what it spends. */
export function purchase(tenant: TestTenant, bundleId: string, key: string = randomUUID()): ToolEffect {
  const path = '/v1/bundles/purchase';
  const call = {
    ...tool('purchase_bundle', `POST ${path}`, false),
    caller: callerOf(tenant),
    arguments: { agent_id: 'a', bundle_id: bundleId },
    effect: { method: 'POST', path, idempotencyKey: async () => key },
  };
  return { call, key, body: { agentId: 'a', bundleId } };
}

/** The decision or what refused it, in words. */
export async function inWords(asked: Promise<{ decisionId: string | undefined }>): Promise<string> {
  try {
    return (await asked).decisionId === undefined ? 'repeats' : 'admitted';
  } catch (error) {
    return refusalInWords(error);
  }
}

function refusalInWords(error: unknown): string {
  if (!(error instanceof Problem)) throw error;
  const { denial } = error.facts as { denial?: { type: string; cause?: string } };
  return [error.kind.type, denial?.type, denial?.cause].filter(Boolean).join(' ');
}

/** What a call was refused with. */
export async function refusalOf(asked: Promise<unknown>): Promise<Problem & { facts: any }> {
  const error: unknown = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Problem)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

/** The header of a call that was admitted. */
export async function signedHeadersOf(
  { signer }: Pick<ToolProcess, 'signer'>,
  call: ToolCallToAdmit,
  what: { decisionId?: string; request?: ToolRequest; clientAddress?: string } = {},
): Promise<Record<string, string>> {
  const { decisionId, request = {}, clientAddress = '192.0.2.1' } = what;
  return { [TOOL_CALL_HEADER]: await signer.sign(toolCallToSign(call, { decisionId, request, clientAddress })) };
}

/**
 * As the tool service does it: admitted, sealed, sent to the API with the caller's key. What the admission refuses is
 * thrown.
 */
export async function callTool(
  process: ToolProcess,
  tenant: TestTenant,
  { call, body, key }: ToolEffect,
  approvalToken?: string,
): Promise<Answer & { decisionId: string | undefined }> {
  const { decisionId } = await process.admit({ ...call, approvalToken });
  const [method, path] = call.route.split(' ') as [string, string];
  const answer = await tenant.call(method, path, body, {
    'x-idempotency-key': key,
    ...(approvalToken === undefined ? {} : { 'x-shield-approval-token': approvalToken }),
    ...(await signedHeadersOf(process, call, { decisionId, request: { body } })),
  });
  return { ...answer, decisionId };
}

/** The same in words: the API's status and refusal, or `tools:` and what refused before it. */
export async function outcomeOf(called: Promise<Answer>): Promise<string> {
  try {
    return verdict(await called);
  } catch (error) {
    return `tools: ${refusalInWords(error)}`;
  }
}

/** What was decided, oldest first. */
export const decisionsOf = (database: TestDatabase, where: string, parameters: unknown[] = []) =>
  database.query<any>(`select * from shield_decision where ${where} order by decided_at`, parameters);
