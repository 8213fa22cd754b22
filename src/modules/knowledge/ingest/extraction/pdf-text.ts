import { extractText, getDocumentProxy, getMeta } from 'unpdf';
import { FILE_KINDS } from './file-kind.rules.js';
import { UnreadableFile, type ExtractedFile, type SentFile } from './extraction.types.js';
import { LocatedText } from './located-text.js';

/** The text of each page, in the order in which the file has it. Nothing in the file is run. */
export async function readPdf({ bytes }: SentFile): Promise<ExtractedFile> {
  const pdf = await open(bytes);
  try {
    const { text: pages } = await extractText(pdf, { mergePages: false });
    const out = new LocatedText();
    pages.forEach((text, index) => {
      if (index > 0) out.add('\n\n');
      out.add(text.trim(), { page: index + 1 });
    });
    if (out.text.trim() === '')
      throw new UnreadableFile('The PDF has no text, only pictures; run text recognition (OCR) over it first.');
    const title: unknown = (await getMeta(pdf)).info['Title'];
    return {
      text: out.text,
      contentType: 'text/plain',
      mediaType: FILE_KINDS.pdf,
      title: typeof title === 'string' ? title : undefined,
      locations: out.locations,
    };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

async function open(bytes: Uint8Array) {
  try {
    // It takes the bytes for its own. Neither fonts nor scripts are made of what the file holds.
    return await getDocumentProxy(new Uint8Array(bytes), {
      disableFontFace: true,
      verbosity: 0,
    });
  } catch (error) {
    if ((error as Error).name === 'PasswordException')
      throw new UnreadableFile('The PDF is encrypted; send it without a password.', { cause: error });
    throw new UnreadableFile('The PDF is damaged or broken off; open it and save it again.', { cause: error });
  }
}
