import { z } from 'zod';
import { parsedJson } from '../../common/http/parsed-json.js';
import { UserError } from '../../common/user-error.js';
import type { TarEntry } from './tar.js';
import { sha256 } from '../../evidence/sha256.js';

/**
 * A backup is a gzip-compressed tar: `backup.json` (this header), `tables/<schema>.<table>/<number>` (the table's rows
 * in the text format of COPY, cut into pieces anywhere), `files/<path in the data directory>`, with the private keys
 * `signing-keys.age` (age, by a passphrase), and last `digests.json`, an object from the name of every entry before it
 * to the hexadecimal SHA-256 of its content.
 */
export const BACKUP_FORMAT = 'svc-backup/1';

export const HEADER = 'backup.json';
export const DIGESTS = 'digests.json';
export const FILES = 'files/';
export const KEYS = 'signing-keys.age';

export const tablePrefix = (table: string): string => `tables/${table}/`;

const Header = z.object({
  format: z.literal(BACKUP_FORMAT),
  version: z.string(),
  created_at: z.string(),
  migrations: z.array(z.string()),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
});
export type BackupHeader = z.output<typeof Header>;

/** @throws UserError when this is no backup, or one of another format */
export function readHeader({ name, content }: TarEntry): BackupHeader {
  if (name !== HEADER) throw new UserError('this is no backup made by "svc backup"');
  const parsed = Header.safeParse(parsedJson(content.toString('utf8')));
  if (!parsed.success) throw new UserError(`this program reads backups of the format ${BACKUP_FORMAT} only`);
  return parsed.data;
}

/** Digests of the entries seen, for writing them last or for comparing with those written last. */
export class Digests {
  private readonly seen: Record<string, string> = {};

  add({ name, content }: TarEntry): void {
    this.seen[name] = sha256(content).toString('hex');
  }

  entry(): TarEntry {
    return { name: DIGESTS, content: Buffer.from(JSON.stringify(this.seen, null, 1)) };
  }

  /** @throws UserError naming the first entry that was changed, added or is missing */
  compare(written: TarEntry): void {
    const expected = z
      .record(z.string(), z.string())
      .catch({})
      .parse(parsedJson(written.content.toString('utf8')));
    for (const name of new Set([...Object.keys(expected), ...Object.keys(this.seen)])) {
      if (expected[name] !== this.seen[name])
        throw new UserError(`the backup is damaged: ${name} is not what was written`);
    }
  }
}
