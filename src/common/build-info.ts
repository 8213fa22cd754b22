import { readFileSync } from 'node:fs';

/** What was built: written by the build next to the compiled program. */
export interface BuildRecord {
  version: string;
  commit: string | null;
  builtAt: string;
  tag: string | null;
}

/** Run from source (tests), there is no build: the package's version and the moment of loading stand in. */
export function readBuild(): BuildRecord {
  try {
    return JSON.parse(readFileSync(new URL('../build-info.json', import.meta.url), 'utf8')) as BuildRecord;
  } catch {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    return { version, commit: null, builtAt: new Date().toISOString(), tag: null };
  }
}
