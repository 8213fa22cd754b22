import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { countTokens } from '../../../common/tokens/tokenizer.js';
import { blake3Digest } from '../../../evidence/digest.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { EffectiveLayersService } from '../../projects/layers/effective-layers.service.js';
import { checkedAsker, EngramResolveService } from './engram-resolve.service.js';
import type { Engram } from './engrams.types.js';
import { setHashOf } from './resolve.rules.js';
import { bodyOf, lineOf, pick, type BodyItem, type Omission } from './session-body.rules.js';
import type { StartedSession, StartSession } from './session-init.dto.js';
import { SessionItemsService, type Gathered } from './session-items.service.js';
import { PROCEDURE_LAYER, SESSION_PROCEDURE } from './session-procedure.js';

/** What an agent begins a session with, of whole items within a budget (D43). */
@Injectable()
export class SessionInitService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly engrams: EngramResolveService,
    private readonly items: SessionItemsService,
    private readonly layers: EffectiveLayersService,
  ) {}

  /** @throws SpellingsDiffer, TenantMismatch, ProjectUnknown */
  start(caller: DaemonCaller, body: StartSession): Promise<StartedSession> {
    const { tenantId, agentId, modelId } = checkedAsker(body);
    return this.tenants.write(caller, tenantId, async () => {
      const { given, leftOut, capabilityClass } = await this.engrams.choose({}, modelId);
      const procedure = await this.readProcedure(caller, body.project_id);
      const engrams = given.map(({ engram }) => engram);
      const gathered: Gathered[] = [
        [{ section: 'who', id: 'who', text: whoOf(caller, this.tenancy.tenant, agentId, capabilityClass) }],
        [{ section: 'procedure', id: 'procedure', text: procedure }],
        engrams.map((engram) => ({ section: 'engrams' as const, id: engram.name, text: textOf(engram) })),
        await this.items.listFacts(caller, agentId),
        await this.items.listWork(caller),
        await this.items.listGates(caller),
      ];
      const unfit = leftOut.map(({ name, why }) => ({ section: 'engrams' as const, id: name, tokens: null, why }));
      const made = await assemble(gathered, body.token_budget);
      return {
        ...made,
        omitted: [...unfit, ...made.omitted],
        capability_class: capabilityClass,
        engram_manifest: {
          engram_set_hash: setHashOf(engrams),
          engrams: engrams.map(({ name, version, hash }) => ({ name, version, hash })),
        },
        passport_id: caller.passport ?? null,
        session_procedure: procedure,
        session_procedure_hash: blake3Digest(procedure),
        schema: 'svc.session-init/1',
      };
    });
  }

  /** Of the project, else of the workspace, else the built-in one. */
  private async readProcedure(caller: DaemonCaller, projectId: string | undefined): Promise<string> {
    const [layer] = await this.layers.find(caller, { projectId, layer: PROCEDURE_LAYER });
    return layer?.fact.value ?? SESSION_PROCEDURE;
  }
}

type Made = Pick<StartedSession, 'body' | 'tokens' | 'hash'> & { omitted: Omission[] };

async function assemble(gathered: readonly Gathered[], budget: number): Promise<Made> {
  const items: BodyItem[] = [];
  for (const item of gathered.flatMap((one) => (Array.isArray(one) ? one : [])))
    items.push({ ...item, tokens: await countTokens(item.text) });
  const { taken, omitted } = pick(items, budget);
  const body = bodyOf(taken);
  const refused = gathered.filter((one): one is Omission => !Array.isArray(one));
  return { body, tokens: await countTokens(body), hash: blake3Digest(body), omitted: [...omitted, ...refused] };
}

const whoOf = (
  { passport, principal, agentSession }: DaemonCaller,
  tenantId: string,
  agentId: string | undefined,
  capabilityClass: string,
): string =>
  [
    `- passport: ${passport ?? `none (${principal})`}`,
    `- tenant: ${tenantId}`,
    ...(agentId === undefined ? [] : [`- agent: ${lineOf(agentId)}`]),
    ...(agentSession === undefined ? [] : [`- session: ${lineOf(agentSession)}`]),
    `- model class: ${capabilityClass}`,
  ].join('\n');

const textOf = ({ name, version, content }: Engram): string => `## ${name} (version ${version})\n\n${content}\n`;
