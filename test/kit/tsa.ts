import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const openssl = (...words: string[]): Promise<{ stdout: string; stderr: string }> => run('openssl', words);

/** What a test authority does in place of its own answer. */
type Fault =
  | 'silence'
  | 'another imprint'
  | 'an old answer'
  | 'flood'
  | { readonly status: number }
  | { readonly body: Uint8Array };

/** A time-stamping authority of RFC 3161 on a loopback port: `openssl ts` behind HTTP. */
export interface TestTsa {
  readonly url: string;
  /** PEM file of the certificate that its own leads to. */
  readonly caFile: string;
  readonly folder: string;
  fault: Fault | undefined;
  /** How many requests came. */
  asked: number;
  /** A token over bytes, as openssl makes it. */
  stamp(content: Uint8Array, options?: { digest?: string; signer?: 'tsa' | 'plain' }): Promise<Uint8Array>;
  close(): Promise<void>;
}

const CONFIG = `
[req]
distinguished_name = dn
prompt = no
[dn]
CN = unused
[ca]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign, cRLSign
[tsa]
basicConstraints = critical, CA:false
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[plain]
basicConstraints = critical, CA:false
extendedKeyUsage = critical, serverAuth
[tsa_config]
serial = FOLDER/serial
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
accuracy = secs:1
ess_cert_id_alg = sha256
`;
const DAYS = '10000';

/** @param key `rsa` or `ec`: what it signs with */
export async function startTsa(key: 'rsa' | 'ec' = 'ec'): Promise<TestTsa> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-tsa-'));
  const file = (name: string) => join(folder, name);
  await writeFile(file('config'), CONFIG.replaceAll('FOLDER', folder));
  await writeFile(file('serial'), '01\n');
  const newKey = key === 'ec' ? ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'] : ['-newkey', 'rsa:2048'];
  const made = ['-nodes', '-config', file('config')];
  const name = ['-subj', '/O=Example/CN=Example Root', '-extensions', 'ca', '-days', DAYS];
  await openssl('req', '-x509', ...newKey, ...made, ...name, '-keyout', file('ca.key'), '-out', file('ca.pem'));
  for (const one of ['tsa', 'plain']) {
    const subject = [
      '-subj',
      `/O=Example/CN=Example ${one}`,
      '-keyout',
      file(`${one}.key`),
      '-out',
      file(`${one}.csr`),
    ];
    await openssl('req', '-new', ...newKey, ...made, ...subject);
    const issuer = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', DAYS];
    const extensions = ['-extfile', file('config'), '-extensions', one];
    await openssl('x509', '-req', '-in', file(`${one}.csr`), ...issuer, ...extensions, '-out', file(`${one}.pem`));
  }
  let old: Uint8Array | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  /** One at a time: openssl counts serial numbers in a file. */
  const reply = (query: Uint8Array): Promise<Uint8Array> => {
    const next = turn.then(async () => {
      await writeFile(file('query'), query);
      const signer = ['-signer', file('tsa.pem'), '-inkey', file('tsa.key'), '-sha256'];
      const config = ['-config', file('config'), '-section', 'tsa_config'];
      await openssl('ts', '-reply', '-queryfile', file('query'), ...config, ...signer, '-out', file('reply'));
      return readFile(file('reply'));
    });
    turn = next.catch(() => undefined);
    return next;
  };
  const queryFor = async (content: Uint8Array, digest = 'sha256'): Promise<Uint8Array> => {
    await writeFile(file('content'), content);
    await openssl('ts', '-query', '-data', file('content'), `-${digest}`, '-cert', '-out', file('made.query'));
    return readFile(file('made.query'));
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const query = await buffer(request);
    tsa.asked++;
    const { fault } = tsa;
    if (fault === 'silence') return;
    if (typeof fault === 'object' && 'status' in fault) {
      response.writeHead(fault.status).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/timestamp-reply' });
    if (fault === 'flood') {
      response.end(Buffer.alloc(2 ** 21));
      return;
    }
    if (typeof fault === 'object') {
      response.end(fault.body);
      return;
    }
    const made = await reply(fault === 'another imprint' ? await queryFor(Buffer.from('other')) : query);
    response.end(fault === 'an old answer' ? (old ?? made) : made);
    old ??= made;
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const tsa: TestTsa = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsr`,
    ...{ caFile: file('ca.pem'), folder, fault: undefined, asked: 0 },
    stamp: async (content, { digest, signer = 'tsa' } = {}) => {
      if (signer === 'plain') return signedByPlain(folder, await reply(await queryFor(content, digest)));
      await writeFile(file('one.reply'), await reply(await queryFor(content, digest)));
      await openssl('ts', '-reply', '-in', file('one.reply'), '-token_out', '-out', file('one.token'));
      return readFile(file('one.token'));
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await turn;
      await rm(folder, { recursive: true, force: true });
    },
  };
  return tsa;
}

/** The TSTInfo of a reply, signed by a certificate that is not for time stamping: openssl ts would not do that. */
async function signedByPlain(folder: string, reply: Uint8Array): Promise<Uint8Array> {
  const file = (name: string) => join(folder, name);
  await writeFile(file('p.reply'), reply);
  await openssl('ts', '-reply', '-in', file('p.reply'), '-token_out', '-out', file('p.token'));
  const input = ['-inform', 'DER', '-in', file('p.token'), '-noverify', '-binary', '-out', file('p.info')];
  await openssl('cms', '-verify', ...input);
  const signer = ['-signer', file('plain.pem'), '-inkey', file('plain.key'), '-md', 'sha256', '-cades'];
  const content = ['-econtent_type', '1.2.840.113549.1.9.16.1.4', '-nodetach', '-binary', '-nosmimecap'];
  await openssl('cms', '-sign', '-in', file('p.info'), ...content, ...signer, '-outform', 'DER', '-out', file('p.out'));
  return readFile(file('p.out'));
}
