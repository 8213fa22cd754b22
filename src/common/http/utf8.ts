const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of bytes that are UTF-8, without a byte order mark at its beginning; undefined where they are not. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
