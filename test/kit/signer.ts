import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = join(import.meta.dirname, '../../examples/signer/signer.py');

export const canRunSigner =
  spawnSync('python3', ['--version']).status === 0 && spawnSync('openssl', ['version']).status === 0;

/** What happens to answers on their way. */
export type SignerFault = 'none' | 'slow' | 'wrong signature' | 'too few' | 'refuses' | 'no JSON';

/** The program of examples/signer in a process of its own. */
export interface TestSigner {
  /** Settings of a process that signs with it, by its socket. */
  readonly env: Record<string, string>;
  /** The same through a listener that can spoil its answers. */
  readonly spoiledEnv: Record<string, string>;
  fault: SignerFault;
  /** How many requests to sign came through that listener. */
  readonly asked: number;
  /** Makes a private key: `receipts`, `log`, `exports`, `es256`; the name that sorts last is the newest. */
  makeKey(purpose: string, name: string): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

const PURPOSES = ['receipts', 'log', 'exports'];

/** Started, with a key for each purpose. */
export async function startSigner(): Promise<TestSigner> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-signer-'));
  const [keys, socket, token] = ['keys', 'signer.sock', 'token'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(keys);
  writeFileSync(token, 'a token of the tests\n');
  const makeKey = (purpose: string, name: string): void => {
    const kind = purpose === 'es256' ? ['EC', '-pkeyopt', 'ec_paramgen_curve:P-256'] : ['ed25519'];
    execFileSync('openssl', ['genpkey', '-algorithm', ...kind, '-out', join(keys, `${purpose}-${name}.pem`)]);
  };
  for (const purpose of PURPOSES) makeKey(purpose, '1');
  let child: ChildProcess | undefined;
  const listener = createServer((from, to) => void pass(socket, signer, from, to));
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const { port } = listener.address() as AddressInfo;
  const signer = {
    env: { SVC_SIGNER_URL: `unix:${socket}`, SVC_SIGNER_TOKEN_FILE: token },
    spoiledEnv: {
      SVC_SIGNER_URL: `http://127.0.0.1:${port}/signer`,
      SVC_SIGNER_TOKEN_FILE: token,
      SVC_SIGNER_TIMEOUT_MS: '2000',
    },
    fault: 'none' as SignerFault,
    asked: 0,
    makeKey,
    start: async () => {
      const words = [PROGRAM, '--keys', keys, '--socket', socket, '--token-file', token];
      child = spawn('python3', words, { stdio: ['ignore', 'pipe', 'ignore'] });
      await once(child.stdout!, 'data');
    },
    stop: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    close: async () => {
      await signer.stop();
      listener.closeAllConnections();
      await new Promise((closed) => listener.close(closed));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await signer.start();
  return signer;
}

async function pass(
  socket: string,
  signer: { readonly fault: SignerFault; asked: number },
  from: IncomingMessage,
  to: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of from) chunks.push(chunk as Buffer);
  const path = from.url!.replace('/signer', '');
  if (path === '/sign') signer.asked += 1;
  const onward = request({ socketPath: socket, path, method: from.method, headers: from.headers, agent: false });
  onward.on('error', () => to.writeHead(502).end('the token is not there'));
  onward.on('response', (answer) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part as Buffer);
      spoil(path === '/sign' ? signer.fault : 'none', answer.statusCode!, Buffer.concat(parts).toString(), to);
    })();
  });
  onward.end(Buffer.concat(chunks));
}

function spoil(fault: SignerFault, status: number, text: string, to: ServerResponse): void {
  if (fault === 'slow') return;
  if (fault === 'refuses') to.writeHead(403).end('the key is locked');
  else if (fault === 'no JSON') to.writeHead(200).end('signed');
  else if (fault === 'none' || status !== 200) to.writeHead(status).end(text);
  else {
    const { signatures } = JSON.parse(text) as { signatures: string[] };
    const wrong = signatures.map(() => Buffer.alloc(64, 7).toString('base64'));
    to.writeHead(200).end(JSON.stringify({ signatures: fault === 'too few' ? signatures.slice(1) : wrong }));
  }
}
