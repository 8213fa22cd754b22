import { BundleTooBig, BundleUnreadable, type BundleLimits } from '../../../../evidence/export/bundle-limits.js';
import { zipOf } from '../../../../evidence/export/deterministic-zip.js';
import { readZip } from '../../../../evidence/export/export-zip.js';
import { UnreadableFile } from './extraction.types.js';

const MIB = 1024 * 1024;
/** XML of a large sheet may be a hundredth of its size as it is sent. */
const LIMITS: BundleLimits = { bytes: 192 * MIB, ratio: 150, ratioFloor: 8 * MIB, entries: 10_000 };
const MARKUP = /\.(?:xml|rels|opf|ncx|xhtml|html|htm|vml)$/i;

/** The files of an Office document or an EPUB, all read within bounds before anything else looks at them. */
export class SafeArchive {
  private constructor(private readonly files: ReadonlyMap<string, Uint8Array>) {}

  /** @throws UnreadableFile where it is damaged, encrypted, grows too much, or declares entities of its own */
  static async read(bytes: Uint8Array): Promise<SafeArchive> {
    const files = await readFiles(bytes);
    const archive = new SafeArchive(files);
    if (archive.namesOf('<!ENTITY').length > 0)
      throw new UnreadableFile('The file declares entities of XML, which may grow without bound; save it without.');
    return archive;
  }

  /** The files of markup in which something stands, as ASCII. */
  namesOf(text: string): string[] {
    return this.markupFiles()
      .filter(([, content]) => Buffer.from(content.buffer, content.byteOffset, content.length).includes(text))
      .map(([name]) => name);
  }

  /**
   * Its markup as an archive with nothing else in it: in the one that was sent a reader may find other files.
   * @param names of the files that are edited, as text of one character a byte: whatever their encoding is, it stays
   */
  markup(names: readonly string[] = [], edit = (text: string): string => text): Promise<Buffer> {
    const edited = (content: Uint8Array): Uint8Array =>
      Buffer.from(edit(Buffer.from(content).toString('latin1')), 'latin1');
    return zipOf(this.markupFiles().map(([name, content]) => [name, names.includes(name) ? edited(content) : content]));
  }

  private markupFiles(): (readonly [string, Uint8Array])[] {
    return [...this.files].filter(([name]) => MARKUP.test(name));
  }

  has(name: string): boolean {
    return this.files.has(name);
  }

  /** @throws UnreadableFile where it is not there */
  text(name: string): string {
    const content = this.files.get(name);
    if (!content) throw new UnreadableFile(`The file is damaged: it has no ${name.slice(0, 200)}.`);
    const isUtf16 = (content[0] === 0xff && content[1] === 0xfe) || (content[0] === 0xfe && content[1] === 0xff);
    if (isUtf16) throw new UnreadableFile(`The file has ${name.slice(0, 200)} in UTF-16; save it with UTF-8.`);
    return new TextDecoder().decode(content);
  }
}

async function readFiles(bytes: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> {
  try {
    return await readZip(bytes, LIMITS);
  } catch (error) {
    if (error instanceof BundleTooBig) throw new UnreadableFile(`The file is refused unread: ${error.message}.`);
    if (!(error instanceof BundleUnreadable)) throw error;
    throw new UnreadableFile('The file is damaged or encrypted; open it, and save it again without a password.', {
      cause: error,
    });
  }
}
