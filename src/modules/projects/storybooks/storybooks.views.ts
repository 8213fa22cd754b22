import { diffLists } from '../../../common/diff/text-diff.js';
import { zipOf } from '../../../evidence/export/deterministic-zip.js';
import { fullText, htmlOf, pagesOf, sectionMarkdown } from './storybook-pages.rules.js';
import type { StorybookRow } from './storybook.entity.js';
import type {
  StorybookClaim,
  StorybookQuery,
  StorybookSection,
  StorybookSectionDiff,
  StorybookShown,
  StorybookVersion,
} from './storybooks.dto.js';
import type { Section, SentStorybook, Statement } from './storybooks.types.js';

export const STORYBOOK_TYPES = {
  markdown: 'text/markdown; charset=utf-8',
  html: 'text/html; charset=utf-8',
  zip: 'application/zip',
} as const;

/** What is shown of a version in a list. */
export const VERSION_COLUMNS = [
  ...(['projectId', 'generatedAtUnixMs', 'generatedByPassport', 'bytes', 'sectionCount', 'stats'] as const),
  ...(['contentHash', 'receiptId', 'createdAt'] as const),
] as const;

export const versionOf = (row: Pick<StorybookRow, (typeof VERSION_COLUMNS)[number]>): StorybookVersion => ({
  project_id: row.projectId,
  generated_at_unix_ms: row.generatedAtUnixMs,
  generated_by_passport: row.generatedByPassport,
  bytes: row.bytes,
  section_count: row.sectionCount,
  stats: row.stats,
  content_hash: row.contentHash,
  receipt_id: row.receiptId,
  created_at: row.createdAt.toISOString(),
});

export function storybookShown(row: StorybookRow, { section, claims }: StorybookQuery): StorybookShown {
  const sections = row.sections.filter(({ id }) => section === undefined || id === section);
  return {
    ...versionOf(row),
    title: row.title,
    sections: sections.map((one) => sectionOf(one, claims)),
    content: contentOf(row, section),
  };
}

/** @param section one that it has; undefined: all of it */
export async function storybookFile(row: StorybookRow, { format, section }: StorybookQuery): Promise<SentStorybook> {
  const name = `${row.projectId}-${row.generatedAtUnixMs}`;
  if (format === 'zip')
    return { contentType: STORYBOOK_TYPES.zip, fileName: `${name}.zip`, bytes: await zipOf(pagesOf(row)) };
  if (format === 'html') {
    const bytes = Buffer.from(htmlOf(row, row.content));
    return { contentType: STORYBOOK_TYPES.html, fileName: `${name}.html`, bytes };
  }
  return { contentType: STORYBOOK_TYPES.markdown, fileName: `${name}.md`, bytes: Buffer.from(contentOf(row, section)) };
}

/** Section by section, whichever of the two has it. */
export function sectionDiffsOf(a: readonly Section[], b: readonly Section[]): StorybookSectionDiff[] {
  return b.map(({ id, title, statements }) => {
    const before = a.find((section) => section.id === id)?.statements ?? [];
    const { added, removed, changed, unchanged } = diffLists(before.map(textOf), statements.map(textOf));
    return {
      ...{ id, title, unchanged },
      added: added.map(({ of }) => claimOf(of)),
      removed: removed.map(({ of }) => claimOf(of)),
      changed: changed.map(({ id: claim_id, ...change }) => ({ claim_id, ...change })),
    };
  });
}

const contentOf = (row: StorybookRow, section: string | undefined): string => {
  const one = row.sections.find(({ id }) => id === section);
  return one ? `${sectionMarkdown(one, '## ', '')}\n` : row.content;
};

const sectionOf = ({ id, title, statements, cut }: Section, withClaims: boolean): StorybookSection => ({
  ...{ id, title, claim_count: statements.length, cut },
  ...(withClaims ? { claims: statements.map(claimOf) } : {}),
});

const claimOf = (statement: Statement): StorybookClaim => ({
  claim_id: statement.id,
  text: fullText(statement),
  anchors: statement.anchors,
});

const textOf = (statement: Statement) => ({ id: statement.id, text: fullText(statement), of: statement });
