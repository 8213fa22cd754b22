import { fileURLToPath } from 'node:url';

/**
 * The file of a worker thread next to the module at `url`. When that module itself runs from TypeScript, as in the
 * tests, the worker is that of the last build: a thread cannot load TypeScript with decorators.
 * @param url `import.meta.url` of the caller
 * @param name of the worker's file, without its extension
 */
export function workerFile(url: string, name: string): string {
  const file = fileURLToPath(new URL(`./${name}.js`, url));
  return url.endsWith('.ts') ? file.replace(/([\\/])src([\\/]modules[\\/])/, '$1dist$2') : file;
}
