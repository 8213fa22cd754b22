import { readSymbols } from './read-symbols.js';
import type { FileSymbols, SymbolsJob } from './symbols.types.js';

/** What a worker thread runs: a batch of files, so that one hand-over serves many. */
export default async function read({ root, paths }: SymbolsJob): Promise<FileSymbols[]> {
  const read: FileSymbols[] = [];
  for (const path of paths) read.push(await readSymbols(root, path));
  return read;
}
