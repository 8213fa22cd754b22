export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

export const bytesOfHex = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export const areEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index]);

/** The one base64 text of these bytes (RFC 4648 section 4). */
export const base64Of = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** @throws Error where the text is not the one base64 text of its bytes */
export function bytesOfBase64(text: string, name: string): Uint8Array<ArrayBuffer> {
  const isForm = /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0;
  const bytes = isForm ? Uint8Array.from(atob(text), (character) => character.charCodeAt(0)) : new Uint8Array();
  if (!isForm || base64Of(bytes) !== text) throw new Error(`${name} is not base64`);
  return bytes;
}

export const base64UrlOf = (bytes: Uint8Array): string =>
  base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** @throws Error where the text is not the one base64url text of its bytes */
export function bytesOfBase64Url(text: string, name: string): Uint8Array<ArrayBuffer> {
  const padded = text.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat((4 - (text.length % 4)) % 4);
  if (/[+/=]/.test(text)) throw new Error(`${name} is not base64url`);
  return bytesOfBase64(padded, name);
}
