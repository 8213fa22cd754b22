import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { inflate } from '@sparticuz/chromium';
import { chromium, type Browser } from 'playwright-core';

const require = createRequire(import.meta.url);
const PACKAGE = dirname(dirname(require.resolve('@sparticuz/chromium')));
/** node_modules/.cache, whichever folder this file was compiled to. */
const CACHE = join(PACKAGE, '..', '..', '.cache');
/** Never the arguments that the package proposes: they switch the security of the web off. */
const ARGUMENTS = ['--no-sandbox', '--headless=shell', '--disable-gpu'];

/** Open Sans, which comes along, before what the system has: the package's own file names folders of another place. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias binding="strong"><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="strong"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;

/** Chromium as npm brought it, unpacked once for a version of it. */
async function unpackedChromium(): Promise<string> {
  const { version } = require(join(PACKAGE, 'package.json')) as { version: string };
  const folder = join(CACHE, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(join(CACHE, 'unpacking-'));
  const { TMPDIR } = process.env;
  // The package unpacks to the folder for temporary files.
  process.env['TMPDIR'] = fresh;
  try {
    for (const name of ['chromium.br', 'fonts.tar.br', 'al2023.tar.br']) await inflate(join(PACKAGE, 'bin', name));
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
  writeFileSync(join(fresh, 'fonts', 'fonts.conf'), FONTS);
  try {
    renameSync(fresh, folder);
  } catch {
    // Another process was sooner.
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/** A real Chromium, with the system's libraries, or its own where the system has none. */
export async function startBrowser(): Promise<Browser> {
  const folder = await unpackedChromium();
  const fonts = { FONTCONFIG_PATH: join(folder, 'fonts'), XDG_CACHE_HOME: join(folder, 'cache') };
  const env = { ...process.env, ...fonts } as Record<string, string>;
  const options = { executablePath: join(folder, 'chromium'), args: ARGUMENTS };
  try {
    return await chromium.launch({ ...options, env });
  } catch {
    return chromium.launch({ ...options, env: { ...env, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') } });
  }
}
