import { readdir, readFile, stat } from 'node:fs/promises';
import { getSystemErrorMessage } from 'node:util';
import { extname, join } from 'node:path';
import { readSurvey, type FileFault } from './survey-file.rules.js';
import type { Survey } from './surveys.types.js';

export interface SurveyFault extends FileFault {
  /** Empty where it is the folder. */
  file: string;
}

/** The surveys of a folder, and what keeps the others out of it. */
export interface SurveyFolderContent {
  surveys: Survey[];
  faults: SurveyFault[];
}

/** The surveys that come with the product. */
const DEFAULT_FOLDER = join(import.meta.dirname, 'surveys');
const MAX_FILES = 200;
const MAX_BYTES = 256 * 1024;

interface ReadFile extends SurveyFolderContent {
  /** Size and time by which a change is seen. */
  signature: string;
}

/** A folder of surveys, one YAML file each. A file is read again when it changed; a broken one keeps no other out. */
export class SurveyFolder {
  readonly path: string;
  private files = new Map<string, ReadFile>();

  constructor(path: string | undefined) {
    this.path = path ?? DEFAULT_FOLDER;
  }

  async read(): Promise<SurveyFolderContent> {
    const names = await this.list();
    if (!Array.isArray(names)) return { surveys: [], faults: [names] };
    const before = this.files;
    this.files = new Map();
    for (const name of names.slice(0, MAX_FILES)) this.files.set(name, await this.readOne(name, before.get(name)));
    return withoutDoubles([...this.files], names.slice(MAX_FILES));
  }

  /** By name, so that of two files with one survey it is always the same that counts. */
  private async list(): Promise<string[] | SurveyFault> {
    try {
      const names = await readdir(this.path);
      return names.filter((name) => ['.yaml', '.yml'].includes(extname(name)) && !name.startsWith('.')).sort();
    } catch (error) {
      return { file: '', member: '', message: unreadable(error) };
    }
  }

  private async readOne(name: string, before?: ReadFile): Promise<ReadFile> {
    const path = join(this.path, name);
    const refused = (message: string, signature = ''): ReadFile => ({
      signature,
      surveys: [],
      faults: [{ file: name, member: '', message }],
    });
    try {
      const { size, mtimeMs, ino, isFile } = await look(path);
      const signature = `${size} ${mtimeMs} ${ino}`;
      if (before?.signature === signature) return before;
      if (!isFile) return refused('is no file');
      if (size > MAX_BYTES) return refused(`has more than ${MAX_BYTES / 1024} KiB`);
      const found = readSurvey(await readFile(path, 'utf8'));
      if ('survey' in found) return { signature, surveys: [{ ...found.survey, file: name }], faults: [] };
      return { signature, surveys: [], faults: found.faults.map((fault) => ({ file: name, ...fault })) };
    } catch (error) {
      return refused(unreadable(error));
    }
  }
}

async function look(path: string) {
  const found = await stat(path);
  return { size: found.size, mtimeMs: found.mtimeMs, ino: found.ino, isFile: found.isFile() };
}

function withoutDoubles(files: [string, ReadFile][], beyond: string[]): SurveyFolderContent {
  const faults = files.flatMap(([, file]) => file.faults);
  const byName = new Map<string, Survey>();
  for (const [name, { surveys }] of files)
    for (const survey of surveys) {
      const key = `${survey.surveyId} in version ${survey.version}`;
      if (byName.has(key)) faults.push({ file: name, member: 'version', message: `another file has ${key} already` });
      else byName.set(key, survey);
    }
  const tooMany = beyond.map((file) => ({ file, member: '', message: `is more than ${MAX_FILES} files` }));
  return { surveys: [...byName.values()], faults: [...faults, ...tooMany] };
}

const unreadable = (error: unknown): string => {
  const { errno, message } = error as NodeJS.ErrnoException;
  return `cannot be read: ${errno === undefined ? message : getSystemErrorMessage(errno)}`;
};

/** A fault in one line. */
export const describeFault = ({ file, member, message }: SurveyFault): string =>
  [file, member, message].filter((part) => part !== '').join(': ');
