import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DocumentInput } from '../../common/client/api-replies.js';
import { UserError } from '../output.js';
import { listFiles, readText, TEXT_ENDINGS, type FolderFile, type LeftOut, type ReadText } from './text-files.js';

/** What the demo ingests, and what it asks when it is asked nothing else. */
export interface DemoDocuments {
  documents: DocumentInput[];
  leftOut: LeftOut[];
  questions: string[];
}

export const DEMO_CORPUS = 'svc-demo';

const MAX_FILES = 2000;

const PACKAGE = fileURLToPath(new URL('../../../', import.meta.url));
const OWN_PAGES = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md'];
const OWN_QUESTIONS = [
  'How is a proof pack verified without the server?',
  'Which environment variable names an external PostgreSQL database?',
  'How does row-level security keep the tenants apart?',
];

/**
 * Reads a folder's documents, or those of this package.
 * @throws UserError when there are none
 */
export function demoDocuments(folder: string | undefined): DemoDocuments {
  if (folder === undefined) {
    const pages = OWN_PAGES.map((name) => ({ path: join(PACKAGE, name), name })).filter(({ path }) => existsSync(path));
    const { documents } = readDocuments([...pages, ...listFiles(PACKAGE, 'docs').files]);
    if (documents.length === 0) throw new UserError('This installation has no documentation to ingest; give --folder');
    return { documents, leftOut: [], questions: OWN_QUESTIONS };
  }
  const root = resolve(folder);
  const listed = listFiles(root);
  const read = readDocuments(listed.files);
  const leftOut = [...listed.leftOut, ...read.leftOut];
  const { documents } = read;
  if (documents.length === 0)
    throw new UserError(
      [`${root} holds no document to ingest.`, ...describeLeftOut(leftOut), `Taken is text: ${TEXT_ENDINGS}.`].join(
        '\n',
      ),
    );
  const titles = [0, 0.4, 0.8].map((share) => documents[Math.floor(share * documents.length)]!.title);
  return { documents, leftOut, questions: titles.map((title) => `What is said about ${title}?`) };
}

function readDocuments(files: FolderFile[]): { documents: DocumentInput[]; leftOut: LeftOut[] } {
  const documents: DocumentInput[] = [];
  const leftOut: LeftOut[] = [];
  for (const { path, name } of files) {
    const read = documents.length < MAX_FILES ? readText(path) : TOO_MANY;
    if (read.text === undefined) leftOut.push({ name, reason: read.fault });
    else documents.push(documentOf(name, read.text, read.contentType));
  }
  return { documents, leftOut };
}

const TOO_MANY: ReadText = { fault: `more than ${MAX_FILES} documents` };

function documentOf(docId: string, content: string, contentType: string): DocumentInput {
  const url = `https://documents.example/${docId.split('/').map(encodeURIComponent).join('/')}`;
  return { corpusId: DEMO_CORPUS, docId, title: titleOf(content, docId), content, url, metadata: { contentType } };
}

/** The first heading of Markdown, the title of HTML, or the file's name. */
function titleOf(content: string, docId: string): string {
  const found = /^#\s+(.+)$/m.exec(content) ?? /<title[^>]*>([^<]+)<\/title>/i.exec(content);
  const title = (found?.[1] ?? docId).replaceAll(/\s+/g, ' ').trim();
  return title.slice(0, 200).toWellFormed() || docId;
}

/** How many names are printed for each reason. */
const NAMED = 5;

/** A line for each reason, with the first names. */
export function describeLeftOut(leftOut: readonly LeftOut[]): string[] {
  const reasons = Map.groupBy(leftOut, ({ reason }) => reason);
  return [...reasons].map(([reason, files]) => {
    const names = files.slice(0, NAMED).map(({ name }) => name);
    const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : '';
    return `   left out, ${reason}: ${names.join(', ')}${more}`;
  });
}
