const bufferOf = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes);

export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bufferOf(bytes)));
}

export async function verifyEd25519(key: Uint8Array, signature: Uint8Array, message: Uint8Array): Promise<boolean> {
  if (key.length !== 32 || signature.length !== 64) return false;
  const imported = await crypto.subtle.importKey('raw', bufferOf(key), 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', imported, bufferOf(signature), bufferOf(message));
}

/** Why this browser can check no signature; undefined where it can. */
export async function reasonAgainst(): Promise<string | undefined> {
  // Pages of plain HTTP from another machine have no WebCrypto.
  if (!(globalThis.crypto as Crypto | undefined)?.subtle)
    return 'browsers offer their cryptography to pages of HTTPS or of this machine alone';
  try {
    await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
    return undefined;
  } catch {
    return 'this browser has no Ed25519';
  }
}
