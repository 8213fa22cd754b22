import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Checkpoint, parseCheckpoint, verifyCheckpoint } from '../../src/evidence/checkpoint.js';
import { emptyRoot, type TreeHead, verifyConsistency } from '../../src/evidence/merkle.js';
import { parseNoteVerifierKey } from '../../src/evidence/signed-note.js';
import { SigningKey } from '../../src/evidence/signing-key.js';
import { cosign, witnessKeyOf } from './cosign.js';

/** A witness of C2SP tlog-witness on a loopback port: it keeps one log's newest checkpoint and refuses what is none. */
export interface TestWitness {
  readonly name: string;
  readonly verifierKey: string;
  /** `<verifier key>@<address>`, as SVC_WITNESSES takes it. */
  readonly setting: string;
  /** What it has signed last. */
  seen: Checkpoint | undefined;
  /** Status codes that it has answered. */
  readonly answered: number[];
  /** In place of its own answer: a number is a status, text the body of a 200, 'silence' is none. */
  fault: number | 'silence' | { body: string } | undefined;
  /** The log's key, as `/.well-known/jwks.json` names it in `log.verifier_keys`; 404 to all until it is set. */
  logKey: string | undefined;
  close(): Promise<void>;
}

export async function startWitness(name = 'witness.example/w1'): Promise<TestWitness> {
  const key = SigningKey.generate();
  const verifierKey = witnessKeyOf(name, key);
  const server = createServer((request, response) => void answer(witness, key, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`;
  const witness: TestWitness = {
    ...{ name, verifierKey, setting: `${verifierKey}@${url}`, answered: [] },
    ...{ seen: undefined, fault: undefined, logKey: undefined },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return witness;
}

async function answer(witness: TestWitness, key: SigningKey, request: IncomingMessage, response: ServerResponse) {
  const body = (await buffer(request)).toString('utf8');
  const { fault } = witness;
  if (fault === 'silence') return;
  const [status, text, type = 'text/plain'] =
    typeof fault === 'number' ? [fault, ''] : fault ? [200, fault.body] : judge(witness, key, request, body);
  witness.answered.push(status);
  response.writeHead(status, { 'content-type': type }).end(text);
}

type Answer = [status: number, body: string, type?: string];

/** The checks of tlog-witness, in its order: of the request and its signature. */
function judge(witness: TestWitness, key: SigningKey, request: IncomingMessage, body: string): Answer {
  if (request.method !== 'POST' || request.url !== '/prefix/add-checkpoint') return [404, ''];
  const [, old = '', proofText = '', note] = /^old (0|[1-9]\d*)\n((?:[A-Za-z0-9+/]{43}=\n)*)\n([^]+)$/.exec(body) ?? [];
  if (note === undefined) return [400, ''];
  const checkpoint = parseCheckpoint(note);
  const log = witness.logKey === undefined ? undefined : parseNoteVerifierKey(witness.logKey);
  if (log?.name !== checkpoint.origin) return [404, ''];
  if (!verifyCheckpoint(checkpoint, log.key)) return [403, ''];
  const lines = proofText.split('\n').slice(0, -1);
  const proof = lines.map((line) => Buffer.from(line, 'base64'));
  const refused = compare(witness.seen ?? { size: 0, root: emptyRoot() }, Number(old), checkpoint, proof);
  if (refused) return refused;
  witness.seen = checkpoint;
  return [200, cosign(checkpoint.note.text, witness.name, key, Math.floor(Date.now() / 1000))];
}

/** Of what it has seen. */
function compare(seen: TreeHead, old: number, checkpoint: Checkpoint, proof: Uint8Array[]): Answer | undefined {
  if (old > checkpoint.size) return [400, ''];
  if (old !== seen.size) return [409, `${seen.size}\n`, 'text/x.tlog.size'];
  if (old === checkpoint.size && Buffer.compare(seen.root, checkpoint.root) !== 0) return [409, ''];
  return verifyConsistency(seen, checkpoint, proof) ? undefined : [422, ''];
}
