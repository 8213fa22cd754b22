import { analyse } from 'chardet';
import { UnreadableFile } from './extraction.types.js';

/** How much of a text its character set is found out from. */
const SAMPLED_BYTES = 64 * 1024;
/** Below, what the detector says is a guess among many. */
const MIN_CONFIDENCE = 15;

/** A control character that no text has: neither white space, nor escape, nor form feed, nor NEL. */
const CONTROL = /[^\P{Cc}\t\n\v\f\r\u001b\u0085]/u;

const NO_TEXT = 'The file is neither text nor of a kind that is read: it has bytes that no text has.';

/**
 * Decodes text: by its byte order mark, as UTF-8 where it is valid, in the stated character set, or in the one that its
 * bytes look like (chardet). Names of character sets are those of the WHATWG Encoding Standard.
 * @throws UnreadableFile where it is no text in any of them
 */
export function decodeText(bytes: Uint8Array, stated?: string): string {
  const marked = markedCharset(bytes);
  if (marked !== undefined) return decodeAs(bytes, marked) ?? fail();
  const utf8 = decodeAs(bytes, 'utf-8');
  if (utf8 !== undefined) return utf8;
  if (stated !== undefined && !/^utf-?8$/i.test(stated)) {
    const text = decodeAs(bytes, stated);
    if (text === undefined) throw new UnreadableFile(`The file is not text in ${stated}, as its type says.`);
    return text;
  }
  for (const { name, confidence } of analyse(bytes.subarray(0, SAMPLED_BYTES))) {
    const text = confidence < MIN_CONFIDENCE ? undefined : decodeAs(bytes, name);
    if (text !== undefined) return text;
  }
  return fail();
}

/** Whether the bytes are text in UTF-8. */
export const isUtf8Text = (bytes: Uint8Array): boolean => decodeAs(bytes, 'utf-8') !== undefined;

function decodeAs(bytes: Uint8Array, charset: string): string | undefined {
  try {
    const text = new TextDecoder(charset, { fatal: true }).decode(bytes);
    return CONTROL.test(text) ? undefined : text;
  } catch {
    // An unknown name, or bytes that are not of it.
    return undefined;
  }
}

function markedCharset([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  return a === 0xfe && b === 0xff ? 'utf-16be' : undefined;
}

function fail(): never {
  throw new UnreadableFile(NO_TEXT);
}
