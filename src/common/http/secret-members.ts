import { SecretBytes } from '../fields/secret-bytes.js';
import { stringsIn } from './json-shape.js';

const BACKSLASH = 0x5c;
const SPACE = 0x20;
const LETTERS: Readonly<Record<string, number>> = { n: 0x0a, r: 0x0d, t: 0x09, b: 0x08, f: 0x0c };

/**
 * Takes the text of members out of a JSON object: blanks stand there in `bytes` afterwards. Of duplicate members the
 * last one counts, and all are blanked.
 * @param bytes of a body; of what is not JSON nothing may be taken
 */
export function takeSecrets(bytes: Buffer, names: readonly string[]): Map<string, SecretBytes> {
  const taken = new Map<string, SecretBytes>();
  for (const { name, from, to } of stringsIn(bytes, names)) {
    taken.get(name)?.erase();
    taken.set(name, new SecretBytes(unescaped(bytes.subarray(from, to))));
    bytes.fill(SPACE, from, to);
  }
  return taken;
}

/** The bytes that a JSON string stands for. What is escaped and not ASCII becomes `?`: a secret in PEM has none. */
function unescaped(text: Buffer): Buffer {
  const bytes = Buffer.allocUnsafeSlow(text.length);
  let used = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== BACKSLASH) {
      bytes[used++] = text[at]!;
      continue;
    }
    at += 1;
    const letter = String.fromCharCode(text[at] ?? SPACE);
    if (letter === 'u') {
      const code = codeAt(text, at + 1);
      bytes[used++] = code < 0x80 ? code : 0x3f;
      at += 4;
    } else bytes[used++] = LETTERS[letter] ?? letter.charCodeAt(0);
  }
  bytes.fill(0, used);
  return bytes.subarray(0, used);
}

/** Four hexadecimal digits, by their bytes: no string is made of them. */
function codeAt(text: Buffer, from: number): number {
  let code = 0;
  for (let at = from; at < from + 4; at += 1) {
    const digit = text[at] ?? SPACE;
    code = code * 16 + (digit <= 0x39 ? digit - 0x30 : (digit | 0x20) - 0x57);
  }
  return code;
}
