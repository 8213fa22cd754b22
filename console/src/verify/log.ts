import { areEqual, bytesOfBase64, bytesOfHex, concat, utf8 } from './bytes.ts';
import { sha256, verifyEd25519 } from './crypto.ts';

const node = (left: Uint8Array, right: Uint8Array) => sha256(concat(Uint8Array.of(1), left, right));
export const leafOf = (entry: Uint8Array) => sha256(concat(Uint8Array.of(0), entry));

/** The root that an audit path leads to (RFC 9162 section 2.1.3.2). @throws Error where no tree has such a path */
export async function rootOf(leaf: Uint8Array, index: number, size: number, path: readonly string[]) {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) throw new Error(`no leaf ${index} among ${size}`);
  let [at, last, hash] = [index, size - 1, leaf];
  for (const text of path) {
    if (!/^sha256:[0-9a-f]{64}$/.test(text)) throw new Error('the path has something else than hashes');
    const sibling = bytesOfHex(text.slice('sha256:'.length));
    if (last === 0) throw new Error('the path is too long');
    if (at % 2 === 1 || at === last) {
      hash = await node(sibling, hash);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else hash = await node(hash, sibling);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  if (last !== 0) throw new Error('the path is too short');
  return hash;
}

export interface Checkpoint {
  origin: string;
  size: number;
  root: Uint8Array;
  text: string;
  lines: { name: string; keyId: Uint8Array; signature: Uint8Array }[];
}

const NAME = /^[^\p{White_Space}\uFEFF+]+$/u;
const MAX_LINES = 64;

/** docs/formats/transparency-log.md, "Checkpoint". @throws Error */
export function parseCheckpoint(note: string): Checkpoint {
  if (/[\u0000-\u0009\u000b-\u001f]/.test(note)) throw new Error('the checkpoint has control characters');
  const split = note.lastIndexOf('\n\n');
  if (split < 0 || !note.endsWith('\n')) throw new Error('the checkpoint is no signed note');
  const text = note.slice(0, split + 1);
  const [origin = '', sizeText = '', rootText = '', ...rest] = text.slice(0, -1).split('\n');
  const size = Number(sizeText);
  const root = bytesOfBase64(rootText, 'the root of the checkpoint');
  if (rest.length > 0 || !NAME.test(origin)) throw new Error('a checkpoint has the lines origin, size and root');
  if (!Number.isSafeInteger(size) || size < 0 || String(size) !== sizeText || root.length !== 32)
    throw new Error('the size or root of the checkpoint is malformed');
  const lines = note.slice(split + 2, -1).split('\n');
  if (lines.length > MAX_LINES) throw new Error('the checkpoint has too many signatures');
  return { origin, size, root, text, lines: lines.map(parseLine) };
}

function parseLine(line: string): Checkpoint['lines'][number] {
  const [, name = '', text = ''] = /^\u2014 (\S+) ([A-Za-z0-9+/]+={0,2})$/u.exec(line) ?? [];
  const bytes = bytesOfBase64(text, 'a signature of the checkpoint');
  if (!NAME.test(name) || bytes.length < 5) throw new Error('a signature line of the checkpoint is malformed');
  return { name, keyId: bytes.slice(0, 4), signature: bytes.slice(4) };
}

/** The first four bytes of SHA-256(name, newline, 0x01, key): C2SP signed-note. */
export const keyIdOf = async (name: string, key: Uint8Array) =>
  (await sha256(concat(utf8(`${name}\n`), Uint8Array.of(1), key))).slice(0, 4);

/** Whether the key has signed the checkpoint; undefined where no line is by it. */
export async function isSignedBy({ origin, text, lines }: Checkpoint, key: Uint8Array): Promise<boolean | undefined> {
  const id = await keyIdOf(origin, key);
  const own = lines.filter(({ name, keyId }) => name === origin && areEqual(keyId, id));
  if (own.length === 0) return undefined;
  for (const { signature } of own) if (!(await verifyEd25519(key, signature, utf8(text)))) return false;
  return true;
}
