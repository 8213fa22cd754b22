/** Of a receipt over the verdict on one envelope; its subject is the SHA-256 of the envelope. */
export const PROVENANCE_VERIFIED = 'provenance.verified';
