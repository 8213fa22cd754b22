/** Digests of 32 bytes as text: lower-case hexadecimal digits, with the name of the algorithm or without. */
export const HEX_DIGEST = /^[0-9a-f]{64}$/;
export const SHA256_DIGEST = /^sha256:[0-9a-f]{64}$/;
export const BLAKE3_DIGEST = /^blake3:[0-9a-f]{64}$/;
export const NAMED_DIGEST = /^(sha256|blake3):[0-9a-f]{64}$/;
