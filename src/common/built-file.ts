import { fileURLToPath } from 'node:url';

/**
 * A file next to the module at `url` that the build makes: that of a worker thread, or data. When the module itself
 * runs from TypeScript, as in unit tests, it is that of the last build: a thread cannot load TypeScript with
 * decorators.
 * @param url `import.meta.url` of the caller
 */
export function builtFile(url: string, name: string): string {
  const file = fileURLToPath(new URL(`./${name}`, url));
  return url.endsWith('.ts') ? file.replace(/([\\/])src([\\/](?:modules|common)[\\/])/, '$1dist$2') : file;
}
