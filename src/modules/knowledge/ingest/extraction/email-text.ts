import PostalMime, { type Address } from 'postal-mime';
import { FILE_KINDS } from './file-kind.rules.js';
import { UnreadableFile, type ExtractedFile, type SentFile } from './extraction.types.js';
import { LocatedText } from './located-text.js';
import { markdownOfHtml } from './markdown-of-html.js';

/**
 * An e-mail (RFC 5322, MIME): who wrote to whom and when, its text, and the names of what is attached. Attachments are
 * documents of their own.
 */
export async function readEmail({ bytes }: SentFile): Promise<ExtractedFile> {
  const mail = await PostalMime.parse(bytes, { maxNestingDepth: 32 });
  if (!mail.from && !mail.date && mail.subject === undefined)
    throw new UnreadableFile('The file is no e-mail: it has no From, Date or Subject.');
  const out = new LocatedText();
  const heads = [
    ['From', addressesOf(mail.from ? [mail.from] : [])],
    ['To', addressesOf(mail.to ?? [])],
    ['Cc', addressesOf(mail.cc ?? [])],
    ['Date', mail.date ?? ''],
    ['Subject', mail.subject ?? ''],
  ].filter(([, value]) => value !== '');
  out.add(`${heads.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n`, { part: 'headers' });
  const body = mail.text?.trim() ? mail.text : markdownOfHtml(mail.html ?? '');
  out.add(`${body.trim()}\n\n`, { part: 'body' });
  const names = mail.attachments.map(({ filename, mimeType }) => `- ${filename ?? 'without a name'} (${mimeType})`);
  if (names.length > 0) out.add(`Attachments:\n${names.join('\n')}\n`, { part: 'attachments' });
  const { text, locations } = out;
  return { text, contentType: 'text/plain', mediaType: FILE_KINDS.email, title: mail.subject, locations };
}

const addressesOf = (addresses: readonly Address[]): string =>
  addresses
    .flatMap((one) => one.group ?? [one])
    .map(({ name, address }) => (name ? `${name} <${address}>` : (address ?? '')))
    .join(', ');
