import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDataDir, SvcProcess } from '../processes/svc-process.js';

export const ROOT = join(import.meta.dirname, '..', '..', '..');

/** An empty folder with a file, and a fresh server that has its data there, as `npm start` leaves it. */
export class NewcomersFolder {
  private constructor(
    readonly path: string,
    readonly svc: SvcProcess,
  ) {}

  static async open(): Promise<NewcomersFolder> {
    const path = mkdtempSync(join(tmpdir(), 'svc-newcomer-'));
    cpSync(join(ROOT, 'test', 'data', 'files', 'manual.pdf'), join(path, 'manual.pdf'));
    return new NewcomersFolder(path, await SvcProcess.start(join(path, '.svc')));
  }

  async close(): Promise<void> {
    await this.svc.stop();
    removeDataDir(join(this.path, '.svc'));
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** The one block of a section of docs/first-answer.md, and what its comments promise that it prints. */
export function sectionOf(heading: string, language: string): { block: string; promised: string[] } {
  const page = readFileSync(join(ROOT, 'docs', 'first-answer.md'), 'utf8');
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const block = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(section)![1]!;
  return { block, promised: [...block.matchAll(/ # (\w+)$/gm)].map(([, text]) => text!) };
}
