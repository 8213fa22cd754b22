import { blake3 as digestOf } from '@noble/hashes/blake3.js';
import { hexOf } from './bytes.ts';

/** BLAKE3 of 256 bits (spec of BLAKE3, 2.6). In JavaScript: the policy of the page allows no WebAssembly. */
export const blake3 = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(digestOf(bytes));

export const blake3Digest = (bytes: Uint8Array): string => `blake3:${hexOf(blake3(bytes))}`;
