import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail, type AuditRecord } from '../../../common/evidence-log/audit-trail.js';
import { SecretScreen } from '../../../common/screening/secret-screen.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { refusalOf } from './engram-match.rules.js';
import { EngramReadsService } from './engram-reads.service.js';
import { RESOLVED, resolvedEntry } from './engrams.events.js';
import { EngramsUnknown, SpellingsDiffer } from './engrams.problems.js';
import type { Applicable, CapabilityClass, Engram } from './engrams.types.js';
import { withContent } from './engrams.views.js';
import type { AgentBody, ReceiptLinkage, ResolvedEngrams, ResolveEngrams, WhyEngram } from './resolve.dto.js';
import { askerOf, chunkSetHashOf, differing, factsOfSet, setHashOf, statusOf } from './resolve.rules.js';

/** Which engrams an agent works by, and why; the others with the reason. */
interface Resolution {
  given: Applicable[];
  leftOut: WhyEngram[];
  capabilityClass: CapabilityClass;
}

/** Gives engrams out: as a whole, by hash, with a receipt of what was given to whom. */
@Injectable()
export class EngramResolveService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly reads: EngramReadsService,
    private readonly audit: AuditTrail,
    private readonly screen: SecretScreen,
  ) {}

  /** @throws SpellingsDiffer, EngramsUnknown, TenantMismatch */
  async resolve(caller: DaemonCaller, body: ResolveEngrams): Promise<ResolvedEngrams> {
    const { tenantId, agentId, modelId } = checkedAsker(body);
    const asked = {
      agentId: await this.masked(agentId),
      modelId: await this.masked(modelId),
      label: body.label ?? null,
    };
    return this.tenants.write(caller, tenantId, async () => {
      const { given, leftOut, capabilityClass } = await this.choose(body, modelId);
      const engrams = given.map(({ engram }) => engram);
      const setHash = setHashOf(engrams);
      const manifestStatus = statusOf(body.manifest_hash, setHash);
      const named = engrams.map(({ name, version, hash }) => [name, version, hash] as const);
      const entry = resolvedEntry(setHash, { ...asked, capabilityClass, engrams: named, manifestStatus });
      const record = await this.audit.record(caller, entry);
      return {
        ...setOf(engrams),
        engrams: engrams.map(withContent),
        engram_set_hash: setHash,
        manifest_hash: setHash,
        manifest_status: manifestStatus,
        capability_class: capabilityClass,
        applicable_why: given.map(({ engram: { name }, why }) => ({ name, why })),
        left_out: leftOut,
        receipt_id: record.receiptId,
        receipt_linkage: linkageOf(record, setHash, this.tenancy.tenant),
        agent_id: asked.agentId,
        tenant_id: this.tenancy.tenant,
        schema: 'svc.engrams-resolved/1',
      };
    });
  }

  /** In the open unit of work. @throws EngramsUnknown */
  async choose(
    { names, label }: Pick<ResolveEngrams, 'names' | 'label'>,
    modelId: string | undefined,
  ): Promise<Resolution> {
    const capabilityClass = this.reads.classOf(modelId);
    const wanted = names && [...new Set(names)];
    const found = await this.find(wanted, label);
    const unknown = wanted?.filter((name) => !found.some((engram) => engram.name === name)) ?? [];
    if (unknown.length > 0) throw unknownNames(unknown, label);
    const judged = found.map((engram) => ({ engram, refusal: refusalOf(engram, capabilityClass) }));
    const why = [
      names ? 'it was named' : 'it is switched on',
      ...(label === undefined ? [] : [`its version is the one labelled ${label}`]),
      `it fits models of the class ${capabilityClass}`,
    ].join(', ');
    return {
      given: judged.filter(({ refusal }) => refusal === undefined).map(({ engram }) => ({ engram, why })),
      leftOut: judged.flatMap(({ engram: { name }, refusal }) =>
        refusal === undefined ? [] : [{ name, why: refusal }],
      ),
      capabilityClass,
    };
  }

  /** What is sent is kept by a receipt. */
  private async masked(text: string | undefined): Promise<string | null> {
    return text === undefined ? null : (await this.screen.mask(text)).text;
  }

  private find(names: string[] | undefined, label: string | undefined): Promise<Engram[]> {
    return label === undefined || label === 'latest' ? this.reads.list(names) : this.reads.listLabelled(label, names);
  }
}

/** @throws SpellingsDiffer */
export function checkedAsker(body: AgentBody): ReturnType<typeof askerOf> {
  const members = differing(body);
  if (members.length === 0) return askerOf(body);
  throw new SpellingsDiffer({ members }, `Both spellings of ${members.join(', ')} were sent, and differ; send one`);
}

function unknownNames(unknown: string[], label: string | undefined): EngramsUnknown {
  const named = unknown.slice(0, 10).join(', ');
  if (label === undefined)
    return new EngramsUnknown(
      { unknown },
      `body.names: there are none of ${named}; GET /v1/engrams lists those there are`,
    );
  return new EngramsUnknown(
    { unknown },
    `body.names: no version of ${named} has the label ${label}; body.label may be left out`,
  );
}

function setOf(engrams: readonly Engram[]) {
  const { generatedClass, inheritedReason, policyHash, promptHash, sourceChunkHashes } = factsOfSet(engrams);
  return {
    generated_class: generatedClass,
    inherited_reason: inheritedReason,
    policy_hash: policyHash,
    prompt_hash: promptHash,
    source_chunk_hashes: sourceChunkHashes,
    source_chunk_set_hash: chunkSetHashOf(sourceChunkHashes),
  };
}

const linkageOf = ({ receiptId, eventId }: AuditRecord, subject: string, tenantId: string): ReceiptLinkage => ({
  receipt_id: receiptId,
  event_id: eventId,
  kind: RESOLVED,
  subject,
  verification: `/v1/receipts/${receiptId}/verification?tenant_id=${encodeURIComponent(tenantId)}`,
});
