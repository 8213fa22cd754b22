import { buffer as collect } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** yazl writes the local time of a date. This one says 1 January 1980 wherever it is. */
const NO_TIME = new Date(1980, 0, 1);

/** An archive of these files, in their order: the same bytes whenever and wherever it is made. */
export function zipOf(files: Iterable<readonly [string, Uint8Array]>, comment = ''): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of files)
    zip.addBuffer(Buffer.from(content), name, { mtime: NO_TIME, mode: 0o100644, forceDosTimestamp: true });
  zip.end({ forceZip64Format: false, comment });
  return collect(zip.outputStream);
}
