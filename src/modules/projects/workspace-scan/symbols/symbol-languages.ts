import { extname } from 'node:path/posix';

/** Languages whose symbols are read, by the extensions of their files. */
const EXTENSIONS = {
  typescript: ['.ts', '.mts', '.cts', '.tsx'],
  javascript: ['.js', '.mjs', '.cjs', '.jsx'],
  python: ['.py', '.pyi'],
  go: ['.go'],
  java: ['.java'],
  rust: ['.rs'],
  c: ['.c', '.h'],
  cpp: ['.cc', '.cpp', '.cxx', '.hh', '.hpp', '.hxx'],
  'c-sharp': ['.cs'],
  ruby: ['.rb'],
  php: ['.php'],
} as const;

export type Language = keyof typeof EXTENSIONS;
/** Those that are not read by the TypeScript compiler. */
export type GrammarLanguage = Exclude<Language, 'typescript' | 'javascript'>;

const BY_EXTENSION = new Map<string, Language>(
  Object.entries(EXTENSIONS).flatMap(([language, extensions]) =>
    extensions.map((extension) => [extension, language as Language] as const),
  ),
);

/** @returns undefined for a file whose symbols are not read */
export const languageOf = (path: string): Language | undefined => BY_EXTENSION.get(extname(path).toLowerCase());
