import { Injectable } from '@nestjs/common';
import { namedDigest } from '../../../evidence/digest.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { againAfterDeadlock } from '../../../common/database/deadlocks.js';
import { FactImportsService } from '../facts/fact-imports.service.js';
import { GraphImportsService } from '../graph/graph-imports.service.js';
import type { ImportCounts, ImportEnvelopeReply, ImportEnvelopeRequest, ResultPayload } from './envelopes.dto.js';
import { ENVELOPE_IMPORTED, envelopeImported, type EnvelopeImport } from './envelopes.events.js';
import { EnvelopeImported, EnvelopeNotVerified, type RefusalReason } from './envelopes.problems.js';
import {
  artefactIdOf,
  canonicalPayload,
  checkNames,
  parseSignature,
  readPayload,
  signedMessageOf,
} from './envelopes.rules.js';
import { EnvelopesStore, type ImportedRow } from './envelopes.store.js';
import { isValidAt } from './platform-keys.rules.js';
import { PlatformKeys } from './platform-keys.service.js';

/** An envelope whose signature and hash hold, with all that is to be stored made ready. */
interface Verified {
  readonly request: ImportEnvelopeRequest;
  readonly keyId: string;
  readonly signature: Uint8Array;
  readonly bytes: Uint8Array;
  readonly hash: Uint8Array;
  readonly payload: ResultPayload;
  readonly items: Awaited<ReturnType<EnvelopesService['prepare']>>;
}

/**
 * Imports the result of a platform's job once: verifies it, then stores its contents in the modules they belong to, all
 * in one transaction.
 */
@Injectable()
export class EnvelopesService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly keys: PlatformKeys,
    private readonly store: EnvelopesStore,
    private readonly facts: FactImportsService,
    private readonly graph: GraphImportsService,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @param deadline when it aborts before the import is done, nothing of it remains
   * @throws ValidationFailed, EnvelopeNotVerified, ContentHashMismatch, EnvelopeImported, ServiceUnavailable
   */
  async import(
    caller: DaemonCaller,
    request: ImportEnvelopeRequest,
    deadline: AbortSignal,
  ): Promise<ImportEnvelopeReply> {
    checkNames(request);
    const signed = await this.verify(request);
    const { bytes, hash } = canonicalPayload(request);
    const payload = readPayload(request.payload);
    const items = await this.prepare(caller, payload);
    const verified = { request, ...signed, bytes, hash, payload, items };
    return againAfterDeadlock(() =>
      this.tenants.write(caller, request.tenant_id, async () => {
        const reply = await this.take(caller, verified);
        deadline.throwIfAborted();
        return reply;
      }),
    );
  }

  /** @throws EnvelopeNotVerified */
  private async verify(request: ImportEnvelopeRequest): Promise<{ keyId: string; signature: Uint8Array }> {
    const parsed = parseSignature(request.platform_signature);
    if (!parsed)
      throw refusal('malformed_signature', 'platform_signature is a key id, a dot and 64 bytes in base64url');
    const { keyId, signature } = parsed;
    if (!this.keys.isConfigured)
      throw refusal('no_keys_registered', 'Set SVCD_PLATFORM_KEYS_FILE to a JWK Set with the key of the platform');
    const found = await this.keys.find(keyId);
    if (!found) throw refusal('unknown_key', 'Register the key in the file that SVCD_PLATFORM_KEYS_FILE names', keyId);
    if (!isValidAt(found, new Date()))
      throw refusal('key_not_valid_now', 'The key is not valid yet, or not any more (nbf, exp)', keyId);
    if (!found.key.verify(signedMessageOf(request), signature))
      throw refusal(
        'signature_invalid',
        'The signature does not hold over this envelope; nothing of it was used',
        keyId,
      );
    return parsed;
  }

  private async prepare(caller: DaemonCaller, { facts = [], entities = [], edges = [] }: ResultPayload) {
    return {
      facts: await this.facts.prepare(caller, facts, 'body.payload.facts'),
      entities: await this.graph.readEntities(entities, 'body.payload.entities'),
      edges: await this.graph.readEdges(edges, 'body.payload.edges'),
    };
  }

  /** In the open unit of work. */
  private async take(caller: DaemonCaller, verified: Verified): Promise<ImportEnvelopeReply> {
    const { request, keyId, signature, bytes, hash, payload, items } = verified;
    const before = await this.store.claim(request.job_id);
    if (before) throw alreadyImported(request.job_id, before);
    const artefactId = artefactIdOf(request);
    const importedAt = new Date();
    const counts: ImportCounts = {
      facts: (await this.facts.store(caller, items.facts)).length,
      entities: await this.graph.storeEntities(items.entities, caller.principal),
      edges: await this.graph.storeEdges(items.edges, caller.principal),
      companion_artifacts: request.companion_artifacts?.length ?? 0,
    };
    const purposeTag = payload.purpose_tag ?? null;
    const done = { job_id: request.job_id, artefact_id: artefactId, purpose_tag: purposeTag, counts };
    const receiptId = await this.recordImport(caller, verified, done);
    await this.store.record(request, {
      ...{ artefactId, schema: payload.schema, purposeTag, keyId, signature, contentHash: hash, payload: bytes },
      ...{ counts, receiptId, importedBy: caller.principal, importedAt },
    });
    return {
      status: 'imported',
      reason: 'signature_verified',
      imported_at: importedAt.toISOString(),
      at: importedAt.getTime(),
      tenant_id: request.tenant_id,
      blake3_content_hash: namedDigest('blake3', hash),
      size_bytes: bytes.length,
      key_id: keyId,
      schema: payload.schema,
      entities: counts.entities,
      edges: counts.edges,
      companion_artifacts: request.companion_artifacts ?? [],
      credit_spend_receipt: request.credit_spend_receipt ?? null,
      sealed: true,
      ...done,
      receipt_id: receiptId,
    };
  }

  /** Recorded late: from here on other writers of the tenant's receipts wait. @returns the receipt's id */
  private async recordImport(
    caller: DaemonCaller,
    { request, keyId, hash, bytes, payload }: Verified,
    done: Omit<EnvelopeImport, 'receipt_id'>,
  ): Promise<string> {
    const { receiptId } = await this.audit.record(caller, {
      kind: ENVELOPE_IMPORTED,
      subject: done.job_id,
      receipt: {
        job_id: done.job_id,
        artefact_id: done.artefact_id,
        schema_version: request.schema_version,
        schema: payload.schema,
        purpose_tag: payload.purpose_tag,
        blake3_content_hash: namedDigest('blake3', hash),
        size_bytes: bytes.length,
        key_id: keyId,
        platform_signature: request.platform_signature,
        passport_fpr: request.passport_fpr,
        credit_spend_receipt: request.credit_spend_receipt,
        companion_artifacts: (request.companion_artifacts ?? []).map((companion) => ({ ...companion })),
        counts: { ...done.counts },
      },
      makeEvent: (receipt_id) => envelopeImported({ ...done, receipt_id }),
    });
    return receiptId;
  }
}

const refusal = (reason: RefusalReason, detail: string, key_id?: string): EnvelopeNotVerified =>
  new EnvelopeNotVerified({ reason, ...(key_id === undefined ? {} : { key_id }) }, detail);

const alreadyImported = (job_id: string, { artefact_id, imported_at, receipt_id }: ImportedRow): EnvelopeImported =>
  new EnvelopeImported(
    { reason: 'already_imported', job_id, artefact_id, imported_at: imported_at.toISOString(), receipt_id },
    'A job has one result; what was imported stands, and nothing of this envelope was used',
  );
