import { fileTypeFromBuffer } from 'file-type';
import { MAX_CONTENT_BYTES } from '../ingest.types.js';
import { isUtf8Text } from './decode-text.js';
import { UnreadableFile, type ExtractedFile, type ExtractionOutcome, type SentFile } from './extraction.types.js';
import { kindOf, type FileKind } from './file-kind.rules.js';
import { storable } from './located-text.js';

type Reader = (file: SentFile) => ExtractedFile | Promise<ExtractedFile>;

/** Each is loaded when there is a file of its kind. */
const READERS: Readonly<Record<FileKind, () => Promise<Reader>>> = {
  pdf: async () => (await import('./pdf-text.js')).readPdf,
  docx: async () => (await import('./docx-text.js')).readDocx,
  xlsx: async () => (await import('./xlsx-text.js')).readXlsx,
  pptx: async () => (await import('./pptx-text.js')).readPptx,
  epub: async () => (await import('./epub-text.js')).readEpub,
  rtf: async () => (await import('./rtf-text.js')).readRtf,
  email: async () => (await import('./email-text.js')).readEmail,
  csv: async () => (await import('./csv-text.js')).readCsv,
  tsv: async () => (await import('./csv-text.js')).readTsv,
  html: async () => (await import('./plain-files.js')).readHtml,
  markdown: async () => (await import('./plain-files.js')).readMarkdown,
  json: async () => (await import('./json-file.js')).readJson,
  text: async () => (await import('./plain-files.js')).readText,
};

/** Reads the text of a file; whatever is wrong with the file is a reason, not an error. */
export async function extractFile(file: SentFile): Promise<ExtractionOutcome> {
  if (file.bytes.length === 0) return { reason: 'The file is empty.' };
  const finding = kindOf({ ...file, found: await findType(file.bytes) });
  if ('reason' in finding) return finding;
  try {
    const read = await READERS[finding.kind]();
    return checked(await read(file));
  } catch (error) {
    const { message, cause } = error as Error;
    if (error instanceof UnreadableFile) return { reason: message, cause: (cause as Error | undefined)?.message };
    return {
      reason: `The file cannot be read as ${finding.kind}: it is damaged, or of a form that is not known.`,
      cause: message,
    };
  }
}

/** What the bytes say; nothing where they are text that only looks like something else, such as `BM…`. */
async function findType(bytes: Uint8Array): Promise<string | undefined> {
  const found = (await fileTypeFromBuffer(bytes))?.mime;
  if (found === undefined) return undefined;
  const isOurs = !('reason' in kindOf({ fileName: null, mediaType: null, found }));
  return isOurs || !isUtf8Text(bytes) ? found : undefined;
}

function checked(file: ExtractedFile): ExtractionOutcome {
  const text = storable(file.text);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_CONTENT_BYTES) return { file: { ...file, text } };
  const most = MAX_CONTENT_BYTES / (1024 * 1024);
  return { reason: `The text of the file is ${bytes} bytes of UTF-8, at most ${most} MiB are taken; divide the file.` };
}
