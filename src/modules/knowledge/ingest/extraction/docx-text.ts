import mammoth from 'mammoth';
import { FILE_KINDS } from './file-kind.rules.js';
import { UnreadableFile, type ExtractedFile, type SentFile } from './extraction.types.js';
import { markdownOfHtml } from './markdown-of-html.js';
import { SafeArchive } from './safe-archive.js';
import { elementsIn, parseXml, textIn } from './xml.js';

/** The text of a Word document: headings, paragraphs, lists, tables, notes. It has no pages until it is printed. */
export async function readDocx({ bytes }: SentFile): Promise<ExtractedFile> {
  const archive = await SafeArchive.read(bytes);
  const text = markdownOfHtml(await toHtml(bytes));
  if (text.trim() === '') throw new UnreadableFile('The document has no text.');
  return { text, contentType: 'text/markdown', mediaType: FILE_KINDS.docx, title: titleOf(archive), locations: [] };
}

/** The title among the properties of an Office document. */
export function titleOf(archive: SafeArchive): string | undefined {
  if (!archive.has('docProps/core.xml')) return undefined;
  const [title] = elementsIn(parseXml(archive.text('docProps/core.xml')), 'title');
  return title && textIn(title);
}

async function toHtml(bytes: Uint8Array): Promise<string> {
  try {
    // Pictures would come as text of their bytes.
    const convertImage = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
    const options = { convertImage, externalFileAccess: false };
    const { value } = await mammoth.convertToHtml({ buffer: Buffer.from(bytes) }, options);
    return value;
  } catch (error) {
    throw new UnreadableFile('The document is damaged; open it and save it again.', { cause: error });
  }
}
