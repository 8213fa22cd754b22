import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import treeSitter, { type Node, type Parser, type Query, type QueryMatch } from '@vscode/tree-sitter-wasm';
import type { FoundSymbol } from '../workspace-scan.types.js';
import { GRAMMARS } from './grammars.js';
import type { GrammarLanguage } from './symbol-languages.js';

const MAX_PARSE_MS = 5_000;
/** Of syntax trees: what is declared deeper than this is local to something. */
const MAX_DEPTH = 64;
const FOLDER = dirname(createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm'));

interface Reader {
  parser: Parser;
  query: Query;
}
const readers = new Map<GrammarLanguage, Promise<Reader>>();
let started: Promise<void> | undefined;

/**
 * The declarations of a file by its tree-sitter grammar, and what is declared within them, but not in functions.
 * @throws Error where it cannot be parsed within MAX_PARSE_MS
 */
export async function readByGrammar(language: GrammarLanguage, text: string): Promise<FoundSymbol[]> {
  let reader = readers.get(language);
  if (!reader) readers.set(language, (reader = makeReader(language)));
  const { parser, query } = await reader;
  const until = Date.now() + MAX_PARSE_MS;
  const tree = parser.parse(text, null, { progressCallback: () => Date.now() > until });
  if (!tree) {
    parser.reset();
    throw new Error(`takes longer than ${MAX_PARSE_MS} ms`);
  }
  try {
    return symbolsOf(query.matches(tree.rootNode, { maxStartDepth: MAX_DEPTH }));
  } finally {
    tree.delete();
  }
}

async function makeReader(language: GrammarLanguage): Promise<Reader> {
  started ??= treeSitter.Parser.init({ locateFile: (name: string) => join(FOLDER, name) });
  await started;
  const { file, query } = GRAMMARS[language];
  const grammar = await treeSitter.Language.load(await readFile(join(FOLDER, `tree-sitter-${file}.wasm`)));
  const parser = new treeSitter.Parser();
  parser.setLanguage(grammar);
  return { parser, query: new treeSitter.Query(grammar, query) };
}

interface Declared {
  node: Node;
  kind: string;
  name: string;
  line: number;
}

/** Kinds whose functions are methods. */
const OWNERS = new Set(['class', 'struct', 'interface', 'trait', 'enum', 'scope']);
/** What is within them is nobody else's. */
const BODIES = new Set(['function', 'method', 'macro', 'variable']);

/** From the outside in: what a declaration is within comes before it. */
function symbolsOf(matches: readonly QueryMatch[]): FoundSymbol[] {
  const declared = matches
    .map(declaredOf)
    .sort((a, b) => a.node.startIndex - b.node.startIndex || b.node.endIndex - a.node.endIndex);
  const around: Declared[] = [];
  const found: FoundSymbol[] = [];
  for (const one of declared) {
    while (around.length > 0 && around.at(-1)!.node.endIndex <= one.node.startIndex) around.pop();
    const outer = around.at(-1);
    const isLocal = around.some(({ kind }) => BODIES.has(kind));
    const name = outer ? `${outer.name}.${one.name}` : one.name;
    around.push({ ...one, name });
    if (isLocal || one.kind === 'scope') continue;
    const kind = one.kind === 'function' && outer && OWNERS.has(outer.kind) ? 'method' : one.kind;
    found.push({ name, kind, line: one.line });
  }
  return found;
}

function declaredOf({ captures }: QueryMatch): Declared {
  const name = captures.find((capture) => capture.name === 'name')!.node;
  const owner = captures.find((capture) => capture.name === 'owner')?.node.text;
  const { name: kind, node } = captures.find((capture) => capture.name !== 'name' && capture.name !== 'owner')!;
  return {
    node,
    kind,
    name: owner === undefined ? name.text : `${owner}.${name.text}`,
    line: name.startPosition.row + 1,
  };
}
