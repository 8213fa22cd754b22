import { fileURLToPath } from 'node:url';

/** The main.js of this build, for processes that run it. */
export const PROGRAM = fileURLToPath(new URL('../main.js', import.meta.url));
