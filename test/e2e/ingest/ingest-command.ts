import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROGRAM } from '../../kit/program.js';
import { startAcme, type AcmeApi } from '../../kit/server-process.js';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  /** What it wrote until now. */
  said: { stdout: string; stderr: string };
  ended: Promise<Ended>;
}

/** The API in a process of its own, for `svc ingest` in others. */
export async function startApiForCommand(): Promise<AcmeApi> {
  return startAcme();
}

/** Starts a verb of the compiled program, with the tenant's server and key in its environment. */
export function startVerb(
  acme: AcmeApi | undefined,
  words: readonly string[],
  environment: Record<string, string> = {},
): Running {
  const server = acme && { SVC_API_URL: acme.api.url, SVC_TENANT_ID: 'acme', SVC_API_KEY: acme.apiKey };
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env: { PATH: process.env['PATH'], SVC_DATA_DIR: '/nonexistent', ...server, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  return { child, said, ended: new Promise((resolve) => child.once('close', (code) => resolve({ ...said, code }))) };
}

/** Puts files below a folder. */
export function putFiles(folder: string, files: Record<string, string | Uint8Array>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

interface ListedDocument {
  docId: string;
  version: number;
  url: string;
  title: string;
  contentHash: string;
  metadata: Record<string, any>;
}

/** All documents of a corpus that can be searched, by docId. */
export async function documentsOf(acme: AcmeApi, corpus: string): Promise<Map<string, ListedDocument>> {
  const found = new Map<string, ListedDocument>();
  let cursor: string | null = '';
  while (cursor !== null) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { body } = await acme.call('GET', `/v1/documents?corpusId=${corpus}&limit=200${after}`);
    for (const document of body.documents as ListedDocument[]) found.set(document.docId, document);
    cursor = body.next_cursor as string | null;
  }
  return found;
}
