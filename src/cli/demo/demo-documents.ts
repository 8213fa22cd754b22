import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DocumentInput } from '../../common/client/api-replies.js';
import { UserError } from '../output.js';
import { walkFolder } from '../ingest/folder-walk.js';
import type { LeftOut } from '../ingest/sources.types.js';
import { isTextType, mediaTypeOf, TEXT_ENDINGS } from '../ingest/media-types.js';
import { readText, titleOf, type ReadText } from '../ingest/text-files.js';

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
export async function demoDocuments(folder: string | undefined): Promise<DemoDocuments> {
  if (folder === undefined) {
    const { files } = await walkFolder(join(PACKAGE, 'docs'));
    const pages = [...OWN_PAGES, ...files.map(({ path }) => `docs/${path}`)].filter((name) =>
      existsSync(join(PACKAGE, name)),
    );
    const { documents } = await readDocuments(PACKAGE, pages);
    return { documents, leftOut: [], questions: OWN_QUESTIONS };
  }
  const root = resolve(folder);
  const listed = await walkFolder(root);
  const read = await readDocuments(
    root,
    listed.files.map(({ path }) => path),
  );
  const leftOut = [...listed.leftOut, ...read.leftOut].map(({ name, reason }) => ({ name, reason }));
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

async function readDocuments(
  root: string,
  names: readonly string[],
): Promise<{ documents: DocumentInput[]; leftOut: LeftOut[] }> {
  const documents: DocumentInput[] = [];
  const leftOut: LeftOut[] = [];
  for (const name of names) {
    const read = documents.length < MAX_FILES ? await readNamed(root, name) : TOO_MANY;
    if (read.text === undefined) leftOut.push({ name, reason: read.fault });
    else documents.push(documentOf(name, read.text, read.contentType));
  }
  return { documents, leftOut };
}

const readNamed = (root: string, name: string): Promise<ReadText> | ReadText =>
  isTextType(mediaTypeOf(name) ?? '') ? readText(join(root, name)) : { fault: 'of a type that is not taken' };

const TOO_MANY: ReadText = { fault: `more than ${MAX_FILES} documents` };

function documentOf(docId: string, content: string, contentType: string): DocumentInput {
  const url = `https://documents.example/${docId.split('/').map(encodeURIComponent).join('/')}`;
  return { corpusId: DEMO_CORPUS, docId, title: titleOf(content, docId), content, url, metadata: { contentType } };
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
