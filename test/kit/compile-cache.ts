import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Each process that runs tests loads thousands of modules.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/svc-tests'));
