import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files of a language: what they are called, and what they declare under a name. */
interface Written {
  extension: string;
  text: (name: string) => string;
}

const DECLARED = 10;
const times = (line: (number: number) => string): string =>
  Array.from({ length: DECLARED }, (_, i) => line(i)).join('');

const LANGUAGES: readonly Written[] = [
  {
    extension: 'ts',
    text: (name) =>
      `export class ${name} {\n${times((i) => `  method${i}(a: number): number {\n    return a + ${i};\n  }\n`)}}\n`,
  },
  {
    extension: 'js',
    text: (name) => `// ${name}\n${times((i) => `export const ${name}${i} = (a) => {\n  return [a, ${i}];\n};\n`)}`,
  },
  {
    extension: 'py',
    text: (name) => `class ${name}:\n${times((i) => `    def method${i}(self, a):\n        return a + ${i}\n\n`)}`,
  },
  {
    extension: 'go',
    text: (name) =>
      `package lamp\n\ntype ${name} struct{}\n${times((i) => `\nfunc (x *${name}) Method${i}(a int) int {\n\treturn a + ${i}\n}\n`)}`,
  },
  {
    extension: 'java',
    text: (name) =>
      `public class ${name} {\n${times((i) => `  int method${i}(int a) {\n    return a + ${i};\n  }\n`)}}\n`,
  },
  {
    extension: 'rs',
    text: (name) =>
      `struct ${name};\nimpl ${name} {\n${times((i) => `    fn method${i}(&self, a: i32) -> i32 {\n        a + ${i}\n    }\n`)}}\n`,
  },
  {
    extension: 'c',
    text: (name) => `/* ${name} */\n${times((i) => `int ${name}_${i}(int a) {\n  return a + ${i};\n}\n`)}`,
  },
  { extension: 'md', text: (name) => `# ${name}\n\n${times((i) => `Some words about ${i}.\n`)}` },
];
/** Files of a folder. */
const FOLDER_FILES = 50;

/** Writes so many source files of eight languages in turn, and one file in ten more that git ignores. */
export function writeSourceTree(root: string, files: number): void {
  write(root, '.gitignore', 'out/\n*.log\n');
  for (let number = 0; number < files - 1; number += 1) {
    const { extension, text } = LANGUAGES[number % LANGUAGES.length]!;
    const folder = Math.floor(number / FOLDER_FILES);
    write(root, `part${folder % 20}/folder${folder}/file${number}.${extension}`, text(`Name${number}`));
    if (number % 10 === 0) write(root, `part${folder % 20}/folder${folder}/out/file${number}.js`, 'var ignored;\n');
  }
}

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
