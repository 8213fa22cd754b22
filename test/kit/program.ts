import { join } from 'node:path';

/** The compiled `svc`, for tests that run it as users do. */
export const PROGRAM = join(import.meta.dirname, '../../dist/main.js');

/** What stands for `npx svc` in the shell, which finds it only in the package's own folder. */
export const SHELL_PROGRAM = `'${process.execPath}' '${PROGRAM}'`;
