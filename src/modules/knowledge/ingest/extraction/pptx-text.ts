import { FILE_KINDS } from './file-kind.rules.js';
import { UnreadableFile, type ExtractedFile, type SentFile } from './extraction.types.js';
import { titleOf } from './docx-text.js';
import { LocatedText } from './located-text.js';
import { SafeArchive } from './safe-archive.js';
import { elementsIn, parseXml, textIn, type XmlElement } from './xml.js';

const PRESENTATION = 'ppt/presentation.xml';

/** The slides in their order (ECMA-376, part 1, 19.2): titles, texts, tables and notes, each slide under a heading. */
export async function readPptx({ bytes }: SentFile): Promise<ExtractedFile> {
  const archive = await SafeArchive.read(bytes);
  const out = new LocatedText();
  let hasText = false;
  slidesOf(archive).forEach((path, index) => {
    const { title, lines } = readSlide(archive, path);
    hasText ||= title !== '' || lines.length > 0;
    const parts = [`## ${title || `Slide ${index + 1}`}`, ...lines.map((line) => line.replace(/^(#{1,6}\s)/, '\\$1'))];
    out.add(`${parts.join('\n\n')}\n\n`, { slide: index + 1 });
  });
  if (!hasText) throw new UnreadableFile('The slides have no text, only pictures.');
  const { text, locations } = out;
  return { text, contentType: 'text/markdown', mediaType: FILE_KINDS.pptx, title: titleOf(archive), locations };
}

function slidesOf(archive: SafeArchive): string[] {
  const targets = relationsOf(archive, PRESENTATION);
  return elementsIn(parseXml(archive.text(PRESENTATION)), 'sldId').flatMap(({ attributes }) => {
    const target = targets.find(({ id }) => id === attributes['r:id']);
    return target ? [target.path] : [];
  });
}

interface Relation {
  readonly id: string;
  readonly type: string;
  readonly path: string;
}

/** Where a part of the file refers to (ECMA-376, part 2, 8.5). */
export function relationsOf(archive: SafeArchive, part: string): Relation[] {
  const cut = part.lastIndexOf('/');
  const file = `${part.slice(0, cut)}/_rels/${part.slice(cut + 1)}.rels`;
  if (!archive.has(file)) return [];
  return elementsIn(parseXml(archive.text(file)), 'Relationship').map(({ attributes }) => ({
    id: attributes['Id'] ?? '',
    type: attributes['Type'] ?? '',
    path: pathFrom(part, attributes['Target'] ?? ''),
  }));
}

/** The path in an archive that a reference of one of its files leads to. */
export const pathFrom = (part: string, target: string): string => {
  const base = URL.parse(part.split('/').map(encodeURIComponent).join('/'), 'file:///');
  const { pathname } = URL.parse(target, base?.href ?? 'file:///') ?? { pathname: '/' };
  try {
    return decodeURIComponent(pathname.slice(1));
  } catch {
    return '';
  }
};

function readSlide(archive: SafeArchive, path: string): { title: string; lines: string[] } {
  const shapes = elementsIn(parseXml(archive.text(path)), 'sp', 'graphicFrame');
  const isTitle = (shape: XmlElement) => ['title', 'ctrTitle'].includes(placeholderOf(shape) ?? '');
  const [title] = shapes.filter(isTitle);
  const lines = shapes.filter((shape) => shape !== title).flatMap(linesOf);
  const notes = relationsOf(archive, path)
    .filter(({ type, path: notesPath }) => type.endsWith('/notesSlide') && archive.has(notesPath))
    .flatMap((relation) => elementsIn(parseXml(archive.text(relation.path)), 'sp'))
    .filter((shape) => placeholderOf(shape) === 'body')
    .flatMap(paragraphsOf);
  return {
    title: title ? paragraphsOf(title).join(' ') : '',
    lines: [...lines, ...(notes.length > 0 ? [`Notes: ${notes.join('\n')}`] : [])],
  };
}

const placeholderOf = (shape: XmlElement): string | undefined => elementsIn(shape, 'ph')[0]?.attributes['type'];

function linesOf(shape: XmlElement): string[] {
  if (shape.name === 'sp') return paragraphsOf(shape);
  const rows = elementsIn(shape, 'tr').map((row) =>
    elementsIn(row, 'tc').map((cell) => paragraphsOf(cell).join(' ').replaceAll('|', '\\|')),
  );
  return rows.length === 0 ? [] : [rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')];
}

/** The paragraphs that hold text; a line break is a space. */
const paragraphsOf = (shape: XmlElement): string[] =>
  elementsIn(shape, 'p')
    .map((paragraph) =>
      elementsIn(paragraph, 't', 'br', 'tab')
        .map((run) => (run.name === 't' ? textIn(run) : ' '))
        .join('')
        .trim(),
    )
    .filter((text) => text !== '');
