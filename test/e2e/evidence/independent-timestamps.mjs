/**
 * The step `timestamps` of proof packs and exports, from docs/formats/timestamps.md alone: the tokens are left to the command
 * openssl, as that page shows it.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const need = (holds, detail) => {
  if (!holds) throw new Error(detail);
};

/** The signed text, the empty line, and the lines under the name in its first line. */
function stampedOf(text) {
  const gap = text.lastIndexOf('\n\n') + 2;
  const origin = text.slice(0, text.indexOf('\n'));
  const own = text
    .slice(gap)
    .split('\n')
    .filter((line) => line.split(' ')[1] === origin);
  return text.slice(0, gap) + own.map((line) => `${line}\n`).join('');
}
/** Whether the bytes are one SEQUENCE with its length before it, and nothing after it. */
function isWhole([tag, first, ...rest]) {
  const more = first > 0x80 ? first - 0x80 : 0;
  const length = more === 0 ? first : rest.slice(0, more).reduce((sum, byte) => sum * 256 + byte, 0);
  return tag === 0x30 && first !== 0x80 && rest.length - more === length;
}
const firstLines = (text) => text.split('\n', 2).join('\n');

/**
 * @param stamps maps as the file has them, as objects
 * @param texts the file's checkpoint, then the earlier ones
 * @param holds whether the seal (bytes) is a good one of this token (bytes)
 * @param roots PEM texts of authorities to require, or undefined
 */
export function checkTimestamps(stamps, texts, holds, roots) {
  need(stamps.length > 0 || roots === undefined, 'no timestamp');
  const folder = mkdtempSync(join(tmpdir(), 'independent-'));
  const file = (name, content) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const openssl = (...words) => {
    const { status, stdout } = spawnSync('openssl', words, { encoding: 'utf8' });
    need(status === 0, `openssl ${words[0]} refuses`);
    return stdout;
  };
  try {
    for (const { seal, size, token } of stamps) {
      const der = Buffer.from(token, 'base64');
      need(holds(Buffer.from(seal, 'base64'), der) && isWhole(der), 'the seal of a token, or its length');
      const [origin] = texts[0].split('\n');
      const over = texts.filter((text) => firstLines(text) === `${origin}\n${size}`);
      const path = file('token', der);
      const said = openssl('ts', '-reply', '-token_in', '-in', path, '-text');
      need(/^Hash Algorithm: sha256$/m.test(said), 'the imprint');
      const time = Date.parse(/^Time stamp: (.*)$/m.exec(said)[1]) / 1000;
      const own = file('own.pem', openssl('pkcs7', '-inform', 'DER', '-in', path, '-print_certs'));
      const ca = roots === undefined ? own : file('roots.pem', roots.join('\n'));
      const verify = ['ts', '-verify', '-token_in', '-in', path, '-CAfile', ca, '-untrusted', own];
      const when = ['-attime', String(Math.floor(time)), '-partial_chain'];
      const isOver = (text) =>
        spawnSync('openssl', [...verify, ...when, '-data', file('text', stampedOf(text))]).status === 0;
      need(over.some(isOver), 'a token over no checkpoint of this size');
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
