import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadSettings } from '../../../src/common/config/settings.js';
import { CoreModule, type ProcessParts } from '../../../src/common/core/core.module.js';
import { makeLog } from '../../../src/common/observability/log.js';
import { Metrics } from '../../../src/common/observability/metrics.js';
import type { Problem } from '../../../src/common/problem/problem.js';
import {
  TOOL_CALL_HEADER,
  ToolCallSeal,
  toolCallToSeal,
  type ToolRequest,
} from '../../../src/common/shield/tool-call-seal.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { ToolAdmissionsModule } from '../../../src/modules/shield/tool-calls/tool-admissions.module.js';
import { ToolAdmissionsService } from '../../../src/modules/shield/tool-calls/tool-admissions.service.js';
import type { ToolCallToAdmit } from '../../../src/modules/shield/tool-calls/tool-admissions.types.js';
import { PublicCallersService } from '../../../src/modules/shield/tool-calls/public-callers.service.js';
import { ToolWindowSweep } from '../../../src/modules/shield/tool-calls/tool-calls.sweeps.js';
import type { TestTenant } from '../../kit/app.js';
import type { TestDatabase } from '../../kit/database.js';

/** What a process of the tool service admits calls with; one of several on a database. */
export interface ToolProcess {
  admissions: ToolAdmissionsService;
  seals: ToolCallSeal;
  publicCallers: PublicCallersService;
  windowSweep: ToolWindowSweep;
  tenancy: Tenancy;
  metrics: Metrics;
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
  return {
    admissions: app.get(ToolAdmissionsService),
    seals: app.get(ToolCallSeal),
    publicCallers: app.get(PublicCallersService),
    windowSweep: app.get(ToolWindowSweep),
    tenancy: app.get(Tenancy),
    metrics,
    close: () => app.close(),
  };
}

function moduleOf(parts: ProcessParts) {
  @Module({ imports: [CoreModule.of(parts), ToolAdmissionsModule] })
  class ToolProcessModule {}
  return ToolProcessModule;
}

export const TIP_DIGEST = `sha256:${'1d'.repeat(32)}`;
export const QUERY_DIGEST = `sha256:${'2e'.repeat(32)}`;

export const callerOf = ({ tenantId, keyId }: TestTenant) => ({
  tenantId,
  principal: `key:${keyId}`,
  authType: 'api_key',
});

/** A tool that reads. */
export const query = (tenant: TestTenant, members: Partial<ToolCallToAdmit> = {}): ToolCallToAdmit => ({
  caller: callerOf(tenant),
  tool: 'query_vault',
  route: 'POST /v1/retrieve',
  serverId: 'svc-tools',
  toolDigest: QUERY_DIGEST,
  isRead: true,
  arguments: { query: 'lighthouse' },
  ...members,
});

/** A tool that spends, with the request it becomes. */
export function tip(tenant: TestTenant, { agent = 'a', credits = 10, key = randomUUID() } = {}) {
  const body = { agentId: agent, credits };
  const call: ToolCallToAdmit = {
    caller: callerOf(tenant),
    tool: 'tip_platform',
    route: 'POST /v1/economy/tip-platform',
    serverId: 'svc-tools',
    toolDigest: TIP_DIGEST,
    isRead: false,
    arguments: { agent_id: agent, credits },
    spendsCredits: credits,
    effect: { method: 'POST', path: '/v1/economy/tip-platform', idempotencyKey: key },
  };
  return { call, body, key };
}

/** The decision or what refused it, in words. */
export const inWords = async (asked: Promise<{ decisionId?: string }>): Promise<string> => {
  try {
    return (await asked).decisionId === undefined ? 'repeats' : 'admitted';
  } catch (error) {
    const { kind, facts } = error as Problem;
    const denial = (facts as { denial?: { type: string; cause?: string } }).denial;
    return [kind.type, denial?.type, denial?.cause].filter(Boolean).join(' ');
  }
};

/** The header of a call that was admitted. */
export async function sealOf(
  { seals }: Pick<ToolProcess, 'seals'>,
  call: ToolCallToAdmit,
  {
    decisionId,
    request = {},
    clientAddress = '192.0.2.1',
  }: { decisionId?: string; request?: ToolRequest; clientAddress?: string },
): Promise<Record<string, string>> {
  return { [TOOL_CALL_HEADER]: await seals.seal(toolCallToSeal(call, { decisionId, request, clientAddress })) };
}
