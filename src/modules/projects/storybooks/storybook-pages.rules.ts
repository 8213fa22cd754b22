import { micromark } from 'micromark';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { nameOf } from './storybook-evidence.rules.js';
import { escapeMarkdown, fencedBlock, sentenceMarkdown, sentenceText } from './markdown-text.rules.js';
import type { Section, Statement, StatementAnchor, Storybook } from './storybooks.types.js';

/** Signs of an id that a link shows; the end, since ids that were made at one time begin alike. */
const SHOWN = 8;
const EVIDENCE = 'evidence';

/** The whole storybook as one Markdown document (CommonMark). The id of each section is that of its heading. */
export function markdownOf(book: Storybook): string {
  const sections = book.sections.map((section) => sectionMarkdown(section, '## ', ''));
  return `${[headingMarkdown(book.title), ...sections].join('\n\n')}\n`;
}

/**
 * The same as a folder of Markdown pages: an index, a page for each section, and all statements as JSON. Every link
 * leads to a page of the folder.
 */
export function pagesOf(book: Storybook): Map<string, Uint8Array> {
  const contents = book.sections.map(({ id, title }) => `- [${title}](./${id}.md)`).join('\n');
  const pages = book.sections.map((section) => {
    const target = section.id === EVIDENCE ? '' : `./${EVIDENCE}.md`;
    return [`${section.id}.md`, `${sectionMarkdown(section, '# ', target)}\n\n[Contents](./index.md)\n`] as const;
  });
  const files = [['index.md', `${headingMarkdown(book.title)}\n\n${contents}\n`] as const, ...pages];
  return new Map<string, Uint8Array>([
    ...files.map(([name, text]): [string, Uint8Array] => [name, Buffer.from(text)]),
    ['storybook.json', canonicalJson(statementsOf(book))],
  ]);
}

/** A page that loads nothing. What others wrote is text in it, never markup. */
export function htmlOf(book: Storybook, markdown: string): string {
  const body = micromark(markdown).replace(
    /<h([1-3])>([^<]*)<\/h\1>/g,
    (_, level: string, text: string) => `<h${level} id="${slugOf(text)}">${text}</h${level}>`,
  );
  const title = micromark(escapeMarkdown(book.title)).replace(/<\/?[a-z]+>/g, '');
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">`;
  return `<!doctype html>\n<html lang="en"><head>${head}<title>${title}</title></head><body>\n${body}\n</body></html>\n`;
}

/** Every statement with its text and what it rests on. */
const statementsOf = ({ title, sections }: Storybook) => ({
  title,
  sections: sections.map(({ id, title: named, statements, cut }) => ({
    ...{ id, title: named, cut },
    statements: statements.map((statement) => ({
      ...{ id: statement.id, text: fullText(statement) },
      anchors: statement.anchors.map(({ kind, id: of }) => ({ kind, id: of })),
    })),
  })),
});

/** A sentence with the text below it. */
export const fullText = (statement: Statement): string =>
  statement.block === undefined ? sentenceText(statement) : `${sentenceText(statement)}\n${statement.block}`;

/** @param target the page of the evidence; '' where it is on the same one */
export function sectionMarkdown({ id, title, statements, cut }: Section, heading: string, target: string): string {
  const stated =
    id === EVIDENCE
      ? statements.map((statement) => `### ${headingOf(statement.anchors[0]!)}\n\n${sentenceMarkdown(statement)}`)
      : [
          statements
            .map((statement) => itemOf(statement, target))
            .join('\n')
            .trimEnd(),
        ];
  const nothing = statements.length === 0 ? ['Nothing is known.'] : [];
  const more = cut ? ['There is more than is shown here.'] : [];
  return [`${heading}${title}`, ...stated.filter((text) => text !== ''), ...nothing, ...more].join('\n\n');
}

const headingMarkdown = (title: string): string => `# ${escapeMarkdown(title).replaceAll('#', '\\#')}`;

function itemOf(statement: Statement, target: string): string {
  const links = statement.anchors.map((anchor) => `[${shortOf(anchor)}](${target}#${slugOf(headingOf(anchor))})`);
  const line = `- ${[sentenceMarkdown(statement), ...links].join(' ')}`;
  return statement.block === undefined ? line : `${line}\n\n${fencedBlock(statement.block, '  ')}\n`;
}

/** Letters, digits and spaces alone: of anything else generators make different ids. */
const headingOf = (anchor: StatementAnchor): string =>
  nameOf(anchor)
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim();
const shortOf = ({ kind, id }: StatementAnchor): string => `${kind} ${id.slice(-SHOWN)}`;

/** The id that GitHub and VitePress give such a heading too. */
const slugOf = (heading: string): string => heading.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-');
