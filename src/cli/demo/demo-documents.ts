import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DocumentInput } from '../../common/client/api-replies.js';
import { UserError } from '../output.js';

/** What the demo ingests, and what it asks when it is asked nothing else. */
export interface DemoDocuments {
  documents: DocumentInput[];
  questions: string[];
}

export const DEMO_CORPUS = 'svc-demo';

const CONTENT_TYPES: Record<string, string> = {
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.html': 'text/html',
  '.htm': 'text/html',
};
const MOST_FILES = 2000;
/** The content cap of the API (D16). */
const MOST_BYTES = 4 * 1024 * 1024;

const PACKAGE = fileURLToPath(new URL('../../../', import.meta.url));
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
    const own = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md'].map((file) => join(PACKAGE, file)).filter(existsSync);
    const documents = readDocuments(PACKAGE, [...own, ...filesOf(join(PACKAGE, 'docs'))]);
    if (documents.length === 0) throw new UserError('This installation has no documentation to ingest; give --folder');
    return { documents, questions: OWN_QUESTIONS };
  }
  const root = resolve(folder);
  if (!existsSync(root)) throw new UserError(`There is no folder ${root}`);
  const documents = readDocuments(root, filesOf(root));
  if (documents.length === 0)
    throw new UserError(`${root} holds no .md, .txt or .html file with text, of at most 4 MiB`);
  const titles = [0, 0.4, 0.8].map((share) => documents[Math.floor(share * documents.length)]!.title);
  return { documents, questions: titles.map((title) => `What is said about ${title}?`) };
}

/** The readable files of a folder and the folders in it; what is hidden, and installed packages, are left out. */
function filesOf(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  const files = entries
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesOf(path);
      return entry.isFile() && CONTENT_TYPES[extname(entry.name)] ? [path] : [];
    });
  return files.slice(0, MOST_FILES);
}

function readDocuments(root: string, files: string[]): DocumentInput[] {
  return files.flatMap((file) => {
    if (statSync(file).size > MOST_BYTES) return [];
    const content = readFileSync(file, 'utf8').replaceAll('\0', '').toWellFormed();
    if (content.trim() === '') return [];
    const docId = relative(root, file).split(sep).join('/');
    const url = `https://documents.example/${docId.split('/').map(encodeURIComponent).join('/')}`;
    const metadata = { contentType: CONTENT_TYPES[extname(file)]! };
    return [{ corpusId: DEMO_CORPUS, docId, title: titleOf(content, docId), content, url, metadata }];
  });
}

/** The first heading of Markdown, the title of HTML, or the file's name. */
function titleOf(content: string, docId: string): string {
  const found = /^#\s+(.+)$/m.exec(content) ?? /<title[^>]*>([^<]+)<\/title>/i.exec(content);
  return (found?.[1] ?? docId).trim().slice(0, 200).toWellFormed() || docId;
}
