import { tool } from '../../../common/contract/tool-declaration.js';
import { ProvenanceVerdict, SignContentReply, SignContentRequest, VerifyContentRequest } from './provenance.dto.js';

export const PROVENANCE_TOOLS = [
  tool('sign_content', {
    title: 'Sign content by your own key',
    description:
      'Makes an envelope that shows who vouches for content: signed by signing_key_pem (PEM: P-256, P-384, Ed25519 or RSA), with the certificates of cert_chain_pem, over the digests of content_b64 and the manifest. Anyone can verify it without this server. The key is used once and not stored here; whatever stands between you and this server sees it too, so use one that is meant for this.',
    route: 'POST /v1/provenance/sign',
    body: SignContentRequest,
    answer: SignContentReply,
    isRead: true,
  }),
  tool('verify_content', {
    title: 'Verify an envelope and its content',
    description:
      'Judges an envelope of sign_content (manifest_envelope_b64) against content_b64: whether its signature holds, the content is the one that was signed, and the chain of certificates is valid now and leads to a root that this server trusts. errors says what does not hold. Nothing is stored.',
    route: 'POST /v1/provenance/verify',
    body: VerifyContentRequest,
    answer: ProvenanceVerdict,
    isRead: true,
  }),
];
