import { FILE_KINDS } from './file-kind.rules.js';
import { UnreadableFile, type ExtractedFile, type SentFile } from './extraction.types.js';
import { LocatedText } from './located-text.js';
import { markdownOfHtml } from './markdown-of-html.js';
import { pathFrom } from './pptx-text.js';
import { SafeArchive } from './safe-archive.js';
import { elementsIn, parseXml, textIn } from './xml.js';

const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';
/** What a chapter is, by its type (EPUB 3.3, 3.2), or by its name where a book says no type or another. */
const CONTENT_TYPE = /^\s*(?:application\/xhtml\+xml|text\/html|text\/x-oeb1-document)\s*(?:;|$)/i;
const CONTENT_NAME = /\.(?:x?html?|xml)$/i;
/** Elements that XHTML may close at once; HTML would read on as if they were open. */
const CLOSED_AT_ONCE =
  /<(title|script|style|textarea|iframe|noscript|a|div|p|span|i|b|em|strong|td|th|li)\b([^<>]*)\/>/gi;

/** The chapters of a book in the order of its spine (EPUB 3.3, 5.7), each as a part by its file. */
export async function readEpub({ bytes }: SentFile): Promise<ExtractedFile> {
  const archive = await SafeArchive.read(bytes);
  const [root] = elementsIn(parseXml(archive.text(CONTAINER)), 'rootfile');
  const packagePath = root?.attributes['full-path'] ?? '';
  const document = parseXml(archive.text(packagePath));
  const items = new Map(elementsIn(document, 'item').map(({ attributes }) => [attributes['id'] ?? '', attributes]));
  const chapters = elementsIn(document, 'itemref').flatMap(({ attributes }) => {
    const item = items.get(attributes['idref'] ?? '');
    const path = pathFrom(packagePath, item?.['href'] ?? '');
    return item && (CONTENT_TYPE.test(item['media-type'] ?? '') || CONTENT_NAME.test(path)) ? [path] : [];
  });
  refuseEncrypted(archive, chapters);
  const out = new LocatedText();
  for (const chapter of chapters) {
    const text = markdownOfHtml(archive.text(chapter).replace(CLOSED_AT_ONCE, '<$1$2></$1>'));
    if (text !== '') out.add(`${text}\n`, { part: chapter });
  }
  if (out.text.trim() === '') throw new UnreadableFile('The book has no text.');
  const [title] = elementsIn(document, 'title');
  const { text, locations } = out;
  return { text, contentType: 'text/markdown', mediaType: FILE_KINDS.epub, title: title && textIn(title), locations };
}

/** Fonts may be obfuscated; the text of a book that is sold is often encrypted. */
function refuseEncrypted(archive: SafeArchive, chapters: readonly string[]): void {
  if (!archive.has(ENCRYPTION)) return;
  const encrypted = elementsIn(parseXml(archive.text(ENCRYPTION)), 'CipherReference').map(({ attributes }) =>
    pathFrom('', attributes['URI'] ?? ''),
  );
  if (chapters.some((chapter) => encrypted.includes(chapter)))
    throw new UnreadableFile('The EPUB is encrypted; send it without copy protection.');
}
