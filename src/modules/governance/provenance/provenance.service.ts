import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import type { SecretBytes } from '../../../common/fields/secret-bytes.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { sha256Digest } from '../../../evidence/digest.js';
import { findInexactness } from '../../../evidence/exact-json.js';
import { digestsOf } from '../../../evidence/forms/provenance-envelope.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type {
  ProvenanceVerdict,
  RecordedVerdict,
  SignContentReply,
  SignContentRequest,
  VerifyContentRequest,
} from './provenance.dto.js';
import { PROVENANCE_VERIFIED } from './provenance.events.js';
import { SigningGateway } from './signing-gateway.service.js';
import { TrustRoots } from './trust-roots.service.js';
import { judgeEnvelope } from './verdict.rules.js';

const MAX_VALUES = 100_000;

/** Makes and judges envelopes over content that is with the caller: none of it is stored. */
@Injectable()
export class ProvenanceService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly gateway: SigningGateway,
    private readonly roots: TrustRoots,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws TenantMismatch, ValidationFailed, SigningKeyRefused, CertificateChainRefused */
  async sign(caller: DaemonCaller, request: SignContentRequest): Promise<SignContentReply> {
    await this.checkTenant(caller, request.tenant_id);
    const { manifest = {}, content_type: contentType, key_id: keyId, cert_chain_pem } = request;
    const fault = findInexactness(manifest, MAX_VALUES);
    if (fault) throw invalid(`body.manifest${fault.path}`, fault.message);
    const digests = digestsOf(Buffer.from(request.content_b64, 'base64'));
    const secret = request.signing_key_pem as SecretBytes;
    const signed = this.gateway.sign(secret, cert_chain_pem, { digests, contentType, manifest, keyId });
    return {
      manifest_envelope_b64: Buffer.from(signed.envelope).toString('base64'),
      algorithm: signed.algorithm,
      digest: { ...digests },
    };
  }

  /** @throws TenantMismatch, ServiceUnavailable */
  async verify(caller: DaemonCaller, request: VerifyContentRequest): Promise<ProvenanceVerdict> {
    await this.checkTenant(caller, request.tenant_id);
    return this.judge(request);
  }

  /** The verdict, and its receipt in the tenant. @throws TenantMismatch, ServiceUnavailable */
  async verifyAndRecord(caller: DaemonCaller, request: VerifyContentRequest): Promise<RecordedVerdict> {
    const verdict = await this.judge(request);
    const content = Buffer.from(request.content_b64, 'base64');
    const envelope = sha256Digest(Buffer.from(request.manifest_envelope_b64, 'base64'));
    const { receiptId } = await this.tenants.write(caller, request.tenant_id, () =>
      this.audit.record(caller, {
        kind: PROVENANCE_VERIFIED,
        subject: envelope,
        facts: {
          signatureValid: verdict.signature_valid,
          contentMatch: verdict.content_match,
          chainValid: verdict.chain.valid,
          chainTrusted: verdict.chain.trusted,
          content: sha256Digest(content),
          errors: [...new Set(verdict.errors.map((error) => error.split(':', 1)[0]!))],
        },
      }),
    );
    return { verdict, recorded: true, receipt_id: receiptId };
  }

  private async judge({ manifest_envelope_b64, content_b64 }: VerifyContentRequest): Promise<ProvenanceVerdict> {
    const content = Buffer.from(content_b64, 'base64');
    const roots = await this.roots.read();
    return judgeEnvelope(Buffer.from(manifest_envelope_b64, 'base64'), { content, roots, time: new Date() });
  }

  /** Of a caller whose credential covers no tenant at all nothing is asked unless it names one. */
  private async checkTenant(caller: DaemonCaller, tenantId: string | undefined): Promise<void> {
    if (tenantId !== undefined) await this.tenants.enter(caller, tenantId);
  }
}
